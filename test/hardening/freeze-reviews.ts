import type { Served } from '../served.ts';
import { long, range, type World, type Worst } from './freeze-world.ts';

let reviewId = 0;
const steps = range(500, (n) => ({ action: `${(n * 7) % 11} ${'x'.repeat(200)}` }));
const wanted = { testDescription: long, preconditions: long, steps };

/** A proposal for a test of which everything changed since. Its author cannot approve it. */
const spareReview = async (served: Served, { projectId }: World, n: number) => {
  const { testId } = await served.must('create-test', { projectId, testName: `reviewed ${n}` });
  const made = await served.must('propose-test-change', { projectId, testId, set: wanted });
  await served.must('update-test', { testId, testDescription: 'later', steps: steps.toReversed() });
  reviewId = Number(made['reviewId']);
};

export const worstReviews = {
  'propose-test-change': {
    args: ({ projectId, testIds }) => ({ projectId, testId: testIds[0], set: wanted }),
  },
  'review-test-change': {
    args: () => ({ reviewId, verdict: 'approve', seenHash: '0'.repeat(64) }),
    before: spareReview,
    refused: true,
  },
  'merge-test-change': { args: () => ({ reviewId }), before: spareReview, refused: true },
  'get-review': { args: () => ({ reviewId }), before: spareReview },
  'list-reviews': { args: ({ projectId }) => ({ projectId, limit: 500 }), before: spareReview },
} as const satisfies Readonly<Record<string, Worst>>;
