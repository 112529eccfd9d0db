import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { viaText } from '../../api/operation-words.ts';
import { usePeople } from '../../api/people.ts';
import { useMe, useTool } from '../../api/queries.ts';
import { LinkButton } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { Alert, Answer, Page } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { useMay } from '../../frame/organizations.ts';
import { Difference } from '../versions/difference.tsx';
import { titleOfField } from '../../api/parameter-words.ts';
import { ReviewDecision } from './review-decision.tsx';
import { isOwnChange, kindOf, stateTitles, verdictTexts } from './review-words.ts';
import { inSentence, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Review = Output<'get-review'>;

/** How often the page asks for what others have said. */
const everyMs = 2_000;

interface ReviewPageProps {
  readonly projectId: number;
  readonly reviewId: number;
}

/** One proposed change: what it changes, who said what, and the buttons to decide. */
export default function ReviewPage({ projectId, reviewId }: ReviewPageProps) {
  const review = useTool('get-review', { reviewId }, { everyMs });
  const project = useTool('get-project-detail', { projectId });
  const me = useMe().data?.userId;
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  return (
    <Page
      title={t('Proposal {reviewId}', { reviewId })}
      actions={<LinkButton to={`/projects/${projectId}/reviews`}>{t('All proposals')}</LinkButton>}
    >
      <Answer of={review}>
        {(data) => (
          <>
            <About review={data} />
            {mayWrite && isOwnChange(data, me) && (
              <p>
                <LinkButton to={`/projects/${projectId}/tests/${data.testId}?proposal=${reviewId}`}>
                  {t('Change the proposal')}
                </LinkButton>
              </p>
            )}
            <section className="card stack" aria-label={t('What it changes')}>
              <h2>{t('What it changes')}</h2>
              {data.conflicts.length > 0 && <Conflicts review={data} />}
              <Difference
                fields={data.changes}
                steps={data.steps}
                marked={{ fields: data.conflicts, text: t('conflict') }}
              />
            </section>
            <Verdicts review={data} />
            <ReviewDecision key={data.hash} review={data} mayWrite={mayWrite} />
          </>
        )}
      </Answer>
    </Page>
  );
}

const whatOf = (review: Review): string =>
  ({ delete: t('delete the test'), create: t('create the test'), change: t('change the test') })[
    kindOf(review)
  ];

function About({ review }: { readonly review: Review }) {
  const { nameOf } = usePeople();
  const { projectId, testId, testName, state, authorId, client, comment, reviewers, createdAt } = review;
  return (
    <section className="card stack" aria-label={t('Proposal')}>
      <p>
        <span className="badge">{inSentence(stateTitles[state])}</span>{' '}
        {nodes('{authorId}{client} proposes to {review}', {
          authorId: <strong>{nameOf(authorId)}</strong>,
          client: viaText(client),
          review: whatOf(review),
        })}{' '}
        {testId === null ? (
          <strong>{testName}</strong>
        ) : (
          <Link href={`/projects/${projectId}/tests/${testId}`}>{testName}</Link>
        )}{' '}
        <Time at={createdAt} />
      </p>
      {comment !== '' && <blockquote className="wrap">{comment}</blockquote>}
      {reviewers.length > 0 && (
        <Facts of={[{ name: t('Reviewers'), value: reviewers.map((id) => nameOf(id)).join(', ') }]} />
      )}
    </section>
  );
}

const Conflicts = ({ review: { conflicts, projectId, testId } }: { readonly review: Review }) => (
  <Alert kind="warning">
    {nodes(
      'The test was changed since, in the same place: {conflicts}. It cannot be merged until its author proposes again what is wanted now.',
      { conflicts: conflicts.map((field) => inSentence(titleOfField(field))).join(', ') },
    )}{' '}
    {testId !== null && <Link href={`/projects/${projectId}/tests/${testId}`}>{t('Show the test')}</Link>}
  </Alert>
);

function Verdicts({ review: { verdicts, closedBy, closedAt, state } }: { readonly review: Review }) {
  const { nameOf } = usePeople();
  if (verdicts.length === 0 && closedBy === null) return null;
  return (
    <section className="card stack" aria-label={t('Verdicts')}>
      <h2>{t('Verdicts')}</h2>
      <ol className="entries">
        {verdicts.map(({ userId, verdict, comment, isAboutPresent, at }, index) => (
          <li key={index}>
            <p>
              <strong>{nameOf(userId)}</strong> {verdictTexts[verdict]} <Time at={at} />{' '}
              {!isAboutPresent && <span className="badge">{t('of an earlier proposal')}</span>}
            </p>
            {comment !== '' && <p className="wrap">{comment}</p>}
          </li>
        ))}
        {state === 'merged' && closedBy !== null && closedAt !== null && (
          <li>
            <p>
              {nodes('{closedBy} merged it {time}', {
                closedBy: <strong>{nameOf(closedBy)}</strong>,
                time: <Time at={closedAt} />,
              })}
            </p>
          </li>
        )}
      </ol>
    </section>
  );
}
