import { and, desc, eq, inArray, lt } from 'drizzle-orm';
import { isoTime } from '../../../core/base/clock.ts';
import type { Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { namesOfUsers } from '../../auth/index.ts';
import { results, runs } from '../base/schema.ts';
import { versionsOfResults } from '../versions/result-version-store.ts';
import { evidenceOf } from '../evidence/result-evidence-store.ts';

/** Ids of results that one statement reads: about 3 ms. */
const idsPerStep = 2_000;

/**
 * One page of the status history of a test, newest first: in one run, or in all runs that are not deleted. The whole history is read in
 * chunks to count it, because a pipeline test may have 100,000 results.
 */
export async function pageOfHistory(
  q: Query,
  of: { readonly testId: number; readonly runId?: number },
  { limit, offset, signal }: Page & { readonly signal: AbortSignal },
) {
  const wanted: number[] = [];
  let total = 0;
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const part = await q
      .select({ id: results.id, deletedAt: runs.deletedAt })
      .from(results)
      .innerJoin(runs, eq(runs.id, results.runId))
      .where(
        and(
          eq(results.testId, of.testId),
          of.runId === undefined ? undefined : eq(results.runId, of.runId),
          lt(results.id, before),
        ),
      )
      .orderBy(desc(results.id))
      .limit(idsPerStep);
    for (const { id, deletedAt } of part) {
      if (deletedAt !== null) continue;
      if (total >= offset && wanted.length < limit) wanted.push(id);
      total++;
    }
    const last = part.at(-1);
    if (!last || part.length < idsPerStep) break;
    before = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
  if (wanted.length === 0) return { total, history: [] };
  const rows = await q
    .select({
      resultId: results.id,
      runId: results.runId,
      runName: runs.name,
      status: results.status,
      comment: results.comment,
      by: results.by,
      at: results.at,
    })
    .from(results)
    .innerJoin(runs, eq(runs.id, results.runId))
    .where(inArray(results.id, wanted))
    .orderBy(desc(results.id));
  const names = await namesOfUsers(
    q,
    rows.map(({ by }) => by),
  );
  const evidence = await evidenceOf(q, wanted);
  const versions = await versionsOfResults(
    q,
    rows.map(({ at }) => ({ testId: of.testId, at })),
  );
  const history = rows.map((row, index) => ({
    ...row,
    testVersion: versions[index]?.testVersion ?? null,
    at: isoTime(row.at),
    byName: names.get(row.by) ?? null,
    ...evidence.get(row.resultId),
  }));
  return { total, history };
}
