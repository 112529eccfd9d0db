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
import { titleOfField } from '../versions/version-words.ts';
import { kindOf, stateInAddress, stateOptions, stateTitles } from './review-words.ts';

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
      title="Reviews"
      actions={
        <Choice
          label="State"
          options={stateOptions}
          value={state}
          onChange={(id) => change({ state: id === 'open' ? null : id, offset: null }, { push: true })}
        />
      }
    >
      <Listing
        of={reviews}
        label="Proposed changes"
        rowsOf={({ reviews: rows }) => rows}
        keyOf={({ reviewId }) => reviewId}
        columns={columnsOf(projectId, nameOf)}
        names={['proposal', 'proposals']}
        pager={pager}
        empty={
          <Empty title={state === 'open' ? 'Nothing to decide on' : 'No such proposal'}>
            <p>
              A proposal is a change of a test that somebody else approves before it is written. Whose changes
              need one is set on the page{' '}
              <Link href={`/projects/${projectId}/settings`}>Project settings</Link>.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}

const columnsOf = (projectId: number, nameOf: (userId: number) => string) => [
  {
    title: 'Test',
    cell: ({ reviewId, testName }: Review) => (
      <Link href={`/projects/${projectId}/reviews/${reviewId}`}>{testName}</Link>
    ),
  },
  {
    title: 'Proposed',
    cell: (review: Review) =>
      kindOf(review) === 'change'
        ? review.fields.map((field) => titleOfField(field)).join(', ')
        : kindOf(review),
  },
  {
    title: 'By',
    cell: ({ authorId, client }: Review) => `${nameOf(authorId)}${viaText(client)}`,
  },
  {
    title: 'State',
    cell: ({ state, changedSince }: Review) => (
      <>
        <span className="badge">{stateTitles[state].toLowerCase()}</span>{' '}
        {changedSince && state !== 'declined' && <span className="badge">test changed since</span>}
      </>
    ),
  },
  { title: 'Changed', cell: ({ updatedAt }: Review) => <Time at={updatedAt} /> },
];
