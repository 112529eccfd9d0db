import { Link } from 'wouter';
import { useMe, useTool } from '../../api/queries.ts';
import { Alert } from '../../design/states.tsx';
import { isOwnChange } from './review-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface OwnProposalsProps {
  readonly projectId: number;
  readonly testId: number;
}

/** Says that this person has proposed a change of the test already: another one would stand beside it. */
export function OwnProposals({ projectId, testId }: OwnProposalsProps) {
  const me = useMe().data?.userId;
  const found = useTool('list-reviews', { projectId, testId, limit: 50 });
  const own = (found.data?.reviews ?? []).find((review) => isOwnChange(review, me));
  if (!own) return null;
  return (
    <Alert kind="info">
      {nodes('You have proposed a change of this test: {proposal}. To replace it, change it there.', {
        proposal: (
          <Link href={`/projects/${projectId}/reviews/${own.reviewId}`}>
            {t('Proposal {reviewId}', { reviewId: own.reviewId })}
          </Link>
        ),
      })}
    </Alert>
  );
}
