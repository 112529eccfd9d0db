import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import type { WriteSubject } from '../../../core/base/write-entry.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Context } from '../../../core/host/host.ts';
import { requireDirectWrite, type Project } from '../projects/project-store.ts';
import { isAgent, needsReview } from '../rules/review-mode.ts';
import { proposalHash, type Proposal } from './review-rule.ts';
import { insertReview, liveReviewOf, requireReviewRoom, type Review } from './review-store.ts';

/** Tests that one call of an agent may change before it has to propose them one by one: a person reads each. */
const mostProposed = 50;

/** The answer of a write that became proposals. */
const proposedRecord = closedObject({
  written: Type.Literal(false),
  reviews: Type.Array(closedObject({ reviewId: Type.Integer(), testId: nullable(Type.Integer()) })),
  message: Type.String(),
});

/**
 * The result of a write that may have become proposals: never the record alone, because nothing was written.
 * @example output: orProposed(testRecord)
 */
export const orProposed = <S extends TSchema>(record: S) =>
  Type.Union([record, proposedRecord], { type: 'object' });

/**
 * Whether a write of some tests becomes proposals: the small writes of an agent in a project whose changes need a review.
 * @throws Fault REVIEW_REQUIRED for what has to be proposed by its author: large writes, and those of people.
 */
export function becomesProposals(project: Project, surface: Context['surface'], count: number): boolean {
  if (!needsReview(project.review, surface)) return false;
  if (isAgent(surface) && count <= mostProposed) return true;
  requireDirectWrite(project, surface, isAgent(surface) ? mostProposed : undefined);
  return false;
}

type Author = Pick<Context, 'actor' | 'surface' | 'client'> & { readonly now: number };

/**
 * Stores a proposal for each, in a transaction that has locked the project. Who repeats a call gets the proposals of the first one.
 * @throws Fault TOO_MANY_REVIEWS.
 */
export async function proposeInstead(
  q: Query,
  projectId: number,
  proposals: readonly Proposal[],
  { actor, surface, client, now }: Author,
): Promise<{ readonly answer: Static<typeof proposedRecord>; readonly subject: WriteSubject }> {
  const reviews: Review[] = [];
  let added = 0;
  for (const proposal of proposals) {
    const hash = proposalHash(proposal);
    const known = await liveReviewOf(q, { projectId, authorId: actor.userId, hash });
    if (known) {
      reviews.push(known);
      continue;
    }
    const { testId, baseVersion, set, deletes = false } = proposal;
    await requireReviewRoom(q, projectId);
    const made = await insertReview(q, {
      projectId,
      testId,
      baseVersion,
      set,
      deletes,
      hash,
      state: 'open',
      comment: '',
      reviewers: [],
      authorId: actor.userId,
      surface,
      client,
      createdAt: now,
      updatedAt: now,
    });
    reviews.push(made);
    added++;
  }
  const ids = reviews.map(({ id }) => id);
  return {
    answer: {
      written: false as const,
      reviews: reviews.map(({ id, testId }) => ({ reviewId: id, testId })),
      message: `Proposed, not written: ${ids.length === 1 ? 'review' : 'reviews'} ${ids.join(', ')}. A person approves in the console, page Reviews; merge-test-change then writes it.`,
    },
    subject: {
      operation: 'propose-test-change',
      projectId,
      records: { kind: 'review', ids },
      changes: { count: added, fields: [], ...(added === 0 ? { unchanged: true as const } : {}) },
    },
  };
}
