import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { reviewStates, verdicts } from '../rules/review-mode.ts';
import { fieldDifference, stepDifference } from '../cases/case-steps.ts';
import type { GivenVerdict, Review } from '../proposals/review-store.ts';

const id = Type.Integer();

const verdictRecord = closedObject({
  userId: id,
  verdict: words(verdicts, { description: 'The last one of each person about the present hash counts.' }),
  comment: Type.String(),
  hash: Type.String(),
  isAboutPresent: Type.Boolean({ description: 'False: the proposal changed since.' }),
  at: Type.String(),
});

export const reviewRecord = closedObject({
  reviewId: id,
  projectId: id,
  testId: nullable(Type.Integer({ description: 'Null: a new test that is not merged yet.' })),
  testName: Type.String(),
  state: words(reviewStates, { description: 'open: nobody has decided yet.' }),
  fields: Type.Array(Type.String(), { description: 'Those that it sets; deleted: it deletes the test.' }),
  hash: Type.String({ description: 'Of what is proposed: seenHash of review-test-change.' }),
  baseVersion: Type.Integer({ description: 'The version that it started from; 0: a new test.' }),
  presentVersion: nullable(Type.Integer()),
  changedSince: Type.Boolean({ description: 'The test changed after baseVersion.' }),
  authorId: id,
  surface: Type.String({ description: 'Where it came from; mcp and stdio: an agent.' }),
  client: nullable(Type.String({ description: 'The program of the agent, by its own word.' })),
  reviewers: Type.Array(id),
  comment: Type.String(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  closedBy: nullable(id),
  closedAt: nullable(Type.String()),
});

/** A proposal with what it would change. */
export const reviewDetails = closedObject({
  ...reviewRecord.properties,
  verdicts: Type.Array(verdictRecord, { description: 'Oldest first.' }),
  changes: Type.Array(fieldDifference, { description: 'Against baseVersion; steps are in steps, too.' }),
  steps: Type.Array(stepDifference),
  conflicts: Type.Array(Type.String(), {
    description: 'Fields that were changed differently since: merge-test-change refuses.',
  }),
});

const newName = ({ set }: Review): string => (typeof set['testName'] === 'string' ? set['testName'] : '');

/** @param test the test of the proposal as it is now. */
export const reviewRecordOf = (
  review: Review,
  test: { readonly name: string; readonly version: number } | undefined,
) => ({
  reviewId: review.id,
  projectId: review.projectId,
  testId: review.testId,
  testName: test?.name ?? newName(review),
  state: review.state,
  fields: review.deletes ? ['deleted'] : Object.keys(review.set),
  hash: review.hash,
  baseVersion: review.baseVersion,
  presentVersion: test?.version ?? null,
  changedSince: review.state !== 'merged' && test !== undefined && test.version !== review.baseVersion,
  authorId: review.authorId,
  surface: review.surface,
  client: review.client,
  reviewers: [...review.reviewers],
  comment: review.comment,
  createdAt: isoTime(review.createdAt),
  updatedAt: isoTime(review.updatedAt),
  closedBy: review.closedBy,
  closedAt: review.closedAt === null ? null : isoTime(review.closedAt),
});

export const verdictRecordOf = ({ userId, verdict, comment, hash, at }: GivenVerdict, present: string) => ({
  userId,
  verdict,
  comment,
  hash,
  isAboutPresent: hash === present,
  at: isoTime(at),
});
