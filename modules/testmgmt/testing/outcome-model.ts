import { asc } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { outcomes, results, tests } from '../base/schema.ts';

type Result = typeof results.$inferSelect;

/** The summary of a test's results, computed from the whole list instead of incrementally like the server. */
function outcomeByHand(rows: readonly Result[], changedAfter: number) {
  const last = rows.at(-1);
  const first = rows[0];
  if (!last || !first) throw new Error('no results');
  const found = rows.filter((row, at) => {
    const previous = rows.slice(0, at).findLast(({ runId }) => runId === row.runId);
    return ['passed', 'failed', 'blocked'].includes(row.status) && previous?.status !== row.status;
  });
  const marked = found.map((row, at) => {
    const sinceChange = found.slice(0, at).filter(({ id }) => id > changedAfter);
    const verdict = sinceChange.findLast(({ status }) => status !== 'blocked')?.status;
    const flip =
      row.id > changedAfter && row.status !== 'blocked' && verdict !== undefined && verdict !== row.status;
    const letter = row.status.slice(0, 1);
    return flip ? letter.toUpperCase() : letter;
  });
  const recent = marked.toReversed().slice(0, 20);
  const newest = found.at(-1);
  const other = found.findLastIndex(({ status }) => status !== newest?.status);
  const verdict = found.findLast(({ id, status }) => id > changedAfter && status !== 'blocked')?.status;
  return {
    lastStatus: last.status,
    lastAt: last.at,
    lastBy: last.by,
    lastRunId: last.runId,
    lastResultId: last.id,
    firstResultId: first.id,
    changedAfter,
    recent: recent.join(''),
    lastVerdict: verdict === undefined ? null : verdict === 'passed' ? ('p' as const) : ('f' as const),
    failed: recent.filter((letter) => letter.toLowerCase() === 'f').length,
    flips: recent.filter((letter) => letter !== letter.toLowerCase()).length,
    runs: new Set(found.map(({ runId }) => runId)).size,
    streak: found.length - 1 - other,
    failingSince: newest?.status === 'failed' ? (found[other + 1]?.at ?? null) : null,
  };
}

/** Tests whose row differs from the one computed from their history, both as JSON; must be empty after any sequence of calls. */
export async function wrongOutcomes(q: Query): Promise<string[]> {
  const projectOf = new Map(
    (await q.select({ id: tests.id, projectId: tests.projectId }).from(tests)).map((row) => [
      row.id,
      row.projectId,
    ]),
  );
  const stored = new Map((await q.select().from(outcomes)).map((row) => [row.testId, row]));
  const byTest = Map.groupBy(await q.select().from(results).orderBy(asc(results.id)), ({ testId }) => testId);
  const wrong = [...stored.keys()].filter((id) => !byTest.has(id)).map((id) => `test ${id} has no results`);
  for (const [testId, rows] of byTest) {
    const row = stored.get(testId);
    const expected = {
      testId,
      projectId: projectOf.get(testId),
      ...outcomeByHand(rows, row?.changedAfter ?? 0),
    };
    if (!Bun.deepEquals(row, expected)) wrong.push(`${JSON.stringify(row)} is ${JSON.stringify(expected)}`);
  }
  return wrong;
}
