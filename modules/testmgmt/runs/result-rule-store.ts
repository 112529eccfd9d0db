import { sql, type SQL } from 'drizzle-orm';
import { runTests } from '../base/schema.ts';

/*
 * The effect of a result on a test of a run, for single results (single-result-store.ts) and for several (result-store.ts). A comment is
 * null where none was given: then the last comment stays (docs/contract.md, Tests and runs).
 */

interface GivenResult {
  readonly status: SQL;
  readonly comment: SQL;
}

/** A result with the failure group of its comment. */
interface GroupedResult extends GivenResult {
  readonly group: SQL;
}

const commentAfter = (comment: SQL) => sql<string | null>`coalesce(${comment}, ${runTests.comment})`;

/**
 * Whether a result changes anything for the test in the run. A repeated call must change nothing: pipelines and agents retry a
 * call that got no response.
 */
export const isNews = ({ status, comment }: GivenResult): SQL =>
  sql`(${runTests.status} <> ${status} or ${runTests.comment} is distinct from ${commentAfter(comment)})`;

/** Whether the test's result is the one that the caller saw, if the caller gives it. No stored time is -1, as in seen-time.ts. */
export const isSeen = (seen: SQL): SQL =>
  sql`coalesce(${runTests.updatedAt}, -1) = coalesce(${seen}, ${runTests.updatedAt}, -1)`;

/** The test of a run after a result. */
export const afterResult = ({ status, comment, group }: GroupedResult, by: SQL, at: SQL<number>) => ({
  status: sql`${status}`,
  comment: commentAfter(comment),
  // It is of the comment, so it stays with it.
  commentGroup: sql<string | null>`coalesce(${group}, ${runTests.commentGroup})`,
  updatedBy: sql`${by}`,
  updatedAt: at,
});
