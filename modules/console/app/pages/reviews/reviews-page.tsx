import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { viaText } from '../../api/operation-words.ts';
import { usePeople } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { Choice } from '../../design/fields.tsx';
import { Listing } from '../../design/listing.tsx';
import { Empty, Page } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { titleOfField } from '../../api/parameter-words.ts';
import { kindOf, stateInAddress, stateOptions, stateTitles } from './review-words.ts';
import { inSentence, noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Review = Output<'list-reviews'>['reviews'][number];

/** How often the page asks for what others have done. */
const everyMs = 2_000;

/** The proposed changes of tests of a project, the open ones first. */
export default function ReviewsPage({ projectId }: { readonly projectId: number }) {
  const [address, change] = useAddress();
  const { page, pager } = usePaging();
  const { nameOf } = usePeople();
  const state = stateInAddress(address.get('state'));
  const reviews = useTool(
    'list-reviews',
    { projectId, ...(state === 'all' ? {} : { state }), ...page },
    { keep: true, everyMs },
  );
  return (
    <Page
      title={t('Reviews')}
      actions={
        <Choice
          label={t('State')}
          options={stateOptions}
          value={state}
          onChange={(id) => change({ state: id === 'open' ? null : id, offset: null }, { push: true })}
        />
      }
    >
      <Listing
        of={reviews}
        label={t('Proposed changes')}
        rowsOf={({ reviews: rows }) => rows}
        keyOf={({ reviewId }) => reviewId}
        columns={columnsOf(projectId, nameOf)}
        names={noun('proposal')}
        pager={pager}
        empty={
          <Empty title={state === 'open' ? t('Nothing to decide on') : t('No such proposal')}>
            <p>
              {nodes(
                'A proposal is a change of a test that somebody else approves before it is written. Whose changes need one is set on the page {projectSettings}.',
                {
                  projectSettings: (
                    <Link href={`/projects/${projectId}/settings`}>{t('Project settings')}</Link>
                  ),
                },
              )}
            </p>
          </Empty>
        }
      />
    </Page>
  );
}

function proposedText(review: Review): string {
  switch (kindOf(review)) {
    case 'delete':
      return t('delete the test');
    case 'create':
      return t('new test');
    case 'change':
      return review.fields.map((field) => titleOfField(field)).join(', ');
  }
}

const columnsOf = (projectId: number, nameOf: (userId: number) => string) => [
  {
    title: t('Test'),
    cell: ({ reviewId, testName }: Review) => (
      <Link href={`/projects/${projectId}/reviews/${reviewId}`}>{testName}</Link>
    ),
  },
  {
    title: t('Proposed'),
    cell: (review: Review) => proposedText(review),
  },
  {
    title: t('By'),
    cell: ({ authorId, client }: Review) => `${nameOf(authorId)}${viaText(client)}`,
  },
  {
    title: t('State'),
    cell: ({ state, changedSince }: Review) => (
      <>
        <span className="badge">{inSentence(stateTitles[state])}</span>{' '}
        {changedSince && state !== 'declined' && <span className="badge">{t('test changed since')}</span>}
      </>
    ),
  },
  { title: t('Changed'), cell: ({ updatedAt }: Review) => <Time at={updatedAt} /> },
];
