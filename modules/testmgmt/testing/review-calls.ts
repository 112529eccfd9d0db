import type { TestmgmtKernel } from './testmgmt-kernel.ts';
import type { World } from './valid-calls.ts';

/** A proposal, and the hash of what it proposes. */
interface Proposed {
  readonly reviewId: number;
  readonly hash: string;
}

/** Proposals in the first project of a {@link World}. */
export interface Reviewed {
  /** Of the owner. */
  readonly own: Proposed;
  /** Of somebody else, undecided. */
  readonly open: Proposed;
  /** Of somebody else, approved. */
  readonly approved: Proposed;
}

export async function makeReviewed(
  { call, owner }: TestmgmtKernel,
  projectId: number,
  testId: number,
): Promise<Reviewed> {
  const somebody = { ...owner, userId: owner.userId + 1_000 };
  const proposed = async (actor = somebody): Promise<Proposed> => {
    const set = { testDescription: 'Proposed' };
    const made = await call('propose-test-change', { projectId, testId, set }, actor);
    return { reviewId: Number(made['reviewId']), hash: String(made['hash']) };
  };
  const [own, open, approved] = [await proposed(owner), await proposed(), await proposed()];
  const { reviewId, hash: seenHash } = approved;
  await call('review-test-change', { reviewId, verdict: 'approve', seenHash });
  return { own, open, approved };
}

/** The calls of the tools of reviews. */
export const reviewCalls = {
  'propose-test-change': ({ projectId, testId, userId, reviewed }: World) => ({
    projectId,
    testId,
    set: { testName: 'Proposed name' },
    reviewers: [userId],
    comment: 'Clearer',
    reviewId: reviewed.own.reviewId,
  }),
  'review-test-change': ({ reviewed: { open } }: World) => ({
    reviewId: open.reviewId,
    verdict: 'approve',
    comment: 'Good',
    seenHash: open.hash,
  }),
  'merge-test-change': ({ reviewed }: World) => ({ reviewId: reviewed.approved.reviewId }),
  'list-reviews': ({ projectId, testId }: World) => ({
    projectId,
    state: 'open',
    testId,
    limit: 10,
    offset: 0,
  }),
  'get-review': ({ reviewed }: World) => ({ reviewId: reviewed.open.reviewId }),
};
