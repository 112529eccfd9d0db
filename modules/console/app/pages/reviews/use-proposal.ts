import { useLocation } from 'wouter';
import { useChange, useTool } from '../../api/queries.ts';
import { say } from '../../design/toast.tsx';
import type { ProposedSet } from './test-proposal.ts';
import { t } from '../../texts/text.ts';

type Wish =
  | { readonly testId: number; readonly set: ProposedSet }
  | { readonly testId: number; readonly delete: true }
  | { readonly set: ProposedSet };

interface Circumstances {
  /** Why it is proposed; empty: not said. */
  readonly comment?: string;
  /** The only ones who may decide; empty: every member. Left out, those of the proposal whose place it takes. */
  readonly reviewers?: readonly number[] | undefined;
  /** The proposal of this person whose place it takes. */
  readonly instead?: number | undefined;
}

/** Proposes a change of a test, a new one or a deletion, and says where it is. */
export function useProposal(projectId: number) {
  const propose = useChange('propose-test-change');
  const project = useTool('get-project-detail', { projectId });
  const [, navigate] = useLocation();
  return {
    /** Members of this project do not change tests at once. */
    isNeeded: project.data?.review === 'all',
    isPending: propose.isPending,
    /** @throws Refusal. */
    propose: async (wish: Wish, { comment = '', reviewers, instead }: Circumstances = {}): Promise<void> => {
      if ('set' in wish && Object.keys(wish.set).length === 0)
        throw new Error(t('Change something first: a proposal has at least one field.'));
      const { reviewId } = await propose.mutateAsync({
        projectId,
        ...wish,
        ...(comment !== '' && { comment }),
        ...(reviewers && { reviewers: [...reviewers] }),
        ...(instead !== undefined && { reviewId: instead }),
      });
      say(t('Proposed. Somebody else approves it before it is written.'), {
        name: t('Show proposal'),
        run: () => navigate(`/projects/${projectId}/reviews/${reviewId}`),
      });
    },
  };
}
