import { and, asc, desc, eq, gt, inArray, type SQL } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import type { MergedUsers } from '../../../core/base/write-entry.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import { countedPage, countOf, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { reviews, reviewVerdicts } from '../base/review-schema.ts';
import { tests } from '../base/schema.ts';
import { everyRow, rowsPerRead } from '../base/statement-sizes.ts';
import { projectToChange, visibleProject } from '../projects/project-store.ts';
import { liveStates, type ReviewState } from '../rules/review-mode.ts';

export type Review = typeof reviews.$inferSelect;
export type GivenVerdict = typeof reviewVerdicts.$inferSelect;

/** Proposals of a project that are neither merged nor declined. */
const maxLiveReviews = 1_000;
/** Verdicts about a proposal, over all its changes. */
const maxVerdicts = 200;

const reviewNotFound = (reviewId: number) => fail.REVIEW_NOT_FOUND(`There is no proposal ${reviewId}.`);

async function reviewById(q: Query, reviewId: number): Promise<Review | undefined> {
  const [found] = await q.select().from(reviews).where(eq(reviews.id, reviewId));
  return found;
}

/** @throws Fault REVIEW_NOT_FOUND, also if the caller may not see it. */
export async function visibleReview(q: Query, actor: Actor, reviewId: number): Promise<Review> {
  const found = await reviewById(q, reviewId);
  if (!found || !(await visibleProject(q, actor, found.projectId, 'read'))) throw reviewNotFound(reviewId);
  return found;
}

/**
 * The proposal, with its project locked for a change.
 * @throws Fault REVIEW_NOT_FOUND, FORBIDDEN, PROJECT_INACTIVE.
 */
export async function reviewToChange(q: Query, actor: Actor, reviewId: number): Promise<Review> {
  const { projectId } = await visibleReview(q, actor, reviewId);
  await projectToChange(q, actor, projectId);
  // Read again: another call may have had the lock.
  const found = await reviewById(q, reviewId);
  if (!found) throw reviewNotFound(reviewId);
  return found;
}

/** @throws Fault TOO_MANY_REVIEWS. */
export async function requireReviewRoom(q: Query, projectId: number): Promise<void> {
  const where = and(eq(reviews.projectId, projectId), inArray(reviews.state, [...liveStates]));
  if ((await countOf(q, reviews, where)) >= maxLiveReviews)
    throw fail.TOO_MANY_REVIEWS(`Project ${projectId} has ${maxLiveReviews} open proposals.`);
}

/** An open proposal of a person that is exactly this one; undefined: there is none. */
export async function liveReviewOf(
  q: Query,
  {
    projectId,
    authorId,
    hash,
  }: { readonly projectId: number; readonly authorId: number; readonly hash: string },
): Promise<Review | undefined> {
  const [found] = await q
    .select()
    .from(reviews)
    .where(
      and(
        eq(reviews.projectId, projectId),
        inArray(reviews.state, [...liveStates]),
        eq(reviews.hash, hash),
        eq(reviews.authorId, authorId),
      ),
    )
    .orderBy(asc(reviews.id))
    .limit(1);
  return found;
}

/** Who proposed what was merged: the author of each proposal, and the agent's program. */
export async function authorsOfReviews(q: Query, reviewIds: readonly number[]) {
  if (reviewIds.length === 0) return new Map<number, Pick<Review, 'id' | 'authorId' | 'client'>>();
  const rows = await q
    .select({ id: reviews.id, authorId: reviews.authorId, client: reviews.client })
    .from(reviews)
    .where(inValues(reviews.id, reviewIds));
  return new Map(rows.map((row) => [row.id, row]));
}

export async function insertReview(q: Query, row: Omit<typeof reviews.$inferInsert, 'id'>): Promise<Review> {
  const [review] = await q.insert(reviews).values(row).returning();
  if (!review) throw new Error('the proposal was not stored');
  return review;
}

export async function changeReview(
  q: Query,
  id: number,
  changes: Partial<Omit<Review, 'id'>>,
): Promise<Review> {
  const [review] = await q.update(reviews).set(changes).where(eq(reviews.id, id)).returning();
  if (!review) throw new Error('the proposal is gone');
  return review;
}

/** What one account was asked to decide, the account that it became part of is asked: without reviewers, anybody may decide. */
export async function moveReviewers(q: Query, { fromUserId, intoUserId }: MergedUsers): Promise<void> {
  const rows = await everyRow((after) =>
    q
      .select({ id: reviews.id, reviewers: reviews.reviewers })
      .from(reviews)
      .where(and(inArray(reviews.state, [...liveStates]), gt(reviews.id, after)))
      .orderBy(asc(reviews.id))
      .limit(rowsPerRead),
  );
  for (const { id, reviewers } of rows.filter((row) => row.reviewers.includes(fromUserId)))
    await changeReview(q, id, {
      reviewers: [...new Set(reviewers.map((userId) => (userId === fromUserId ? intoUserId : userId)))],
    });
}

/** @throws Fault TOO_MANY_REVIEWS beyond the limit of verdicts. */
export async function insertVerdict(
  q: Query,
  row: Omit<typeof reviewVerdicts.$inferInsert, 'id'>,
): Promise<void> {
  if ((await countOf(q, reviewVerdicts, eq(reviewVerdicts.reviewId, row.reviewId))) >= maxVerdicts)
    throw fail.TOO_MANY_REVIEWS(`Proposal ${row.reviewId} has ${maxVerdicts} verdicts.`, {
      cause: 'verdict',
      tip: 'Use propose-test-change without reviewId for a new proposal.',
    });
  await q.insert(reviewVerdicts).values(row);
}

/** The verdicts about some proposals, oldest first. */
export async function verdictsOf(
  q: Query,
  reviewIds: readonly number[],
): Promise<ReadonlyMap<number, readonly GivenVerdict[]>> {
  const rows = await q
    .select()
    .from(reviewVerdicts)
    .where(inValues(reviewVerdicts.reviewId, reviewIds))
    .orderBy(asc(reviewVerdicts.id));
  return Map.groupBy(rows, ({ reviewId }) => reviewId);
}

/** The present name and version of the tests of proposals. */
export async function testsOfReviews(q: Query, found: readonly Review[]) {
  const ids = found.flatMap(({ testId }) => testId ?? []);
  const rows = await q
    .select({ id: tests.id, name: tests.name, version: tests.version })
    .from(tests)
    .where(inValues(tests.id, ids));
  return new Map(rows.map((row) => [row.id, row]));
}

/** One page of the proposals of a project, newest first. */
export function pageOfReviews(
  q: Query,
  {
    projectId,
    state,
    testId,
  }: {
    readonly projectId: number;
    readonly state: ReviewState | undefined;
    readonly testId: number | undefined;
  },
  page: Page,
): Promise<CountedPage<Review>> {
  const conditions: Array<SQL | undefined> = [
    eq(reviews.projectId, projectId),
    state === undefined ? undefined : eq(reviews.state, state),
    testId === undefined ? undefined : eq(reviews.testId, testId),
  ];
  return countedPage(q, reviews, { where: and(...conditions), orderBy: [desc(reviews.id)] }, page);
}
