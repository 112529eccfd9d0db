import { and, asc, eq, gt, lte, type SQL } from 'drizzle-orm';
import { countRows, inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { loadReferences } from '../cases/case-reference-store.ts';
import { idsIn } from '../cases/case-references.ts';
import { runTests, tests } from '../base/schema.ts';
import { namesOfUsers } from '../../auth/index.ts';
import { unmatchedOf } from './run-record.ts';
import { unmatchedCounts } from './unmatched-result-store.ts';
import { runStateRecordOf, testersOf, type StateGroup } from './run-state.ts';
import type { Run } from './run-row.ts';

/** Tests of a run that one statement groups: about 4 ms; 100,000 at once took 150. */
const groupedAtOnce = 1_000;

/**
 * The groups of a run's tests. Each test is counted once, in id order, in chunks. Yields to other requests between chunks, so a result
 * stored meanwhile may or may not be counted. The counts in the record are the sums of these groups.
 */
async function stateGroups(
  q: Query,
  runId: number,
  signal: AbortSignal,
  testIds: readonly number[] | undefined,
): Promise<readonly StateGroup[]> {
  const groups = new Map<string, StateGroup>();
  const add = (part: readonly StateGroup[]) => {
    for (const group of part) {
      const key = `${group.squadId} ${group.sectionId} ${group.status} ${group.by}`;
      const known = groups.get(key);
      groups.set(key, known ? { ...known, count: known.count + group.count } : group);
    }
  };
  if (testIds !== undefined) {
    for await (const ids of partsInTurns(testIds, groupedAtOnce, signal))
      add(await groupsWhere(q, and(eq(runTests.runId, runId), inValues(runTests.testId, ids))));
    return [...groups.values()];
  }
  for (let after = 0; ;) {
    const inRun = and(eq(runTests.runId, runId), gt(runTests.testId, after));
    const [end] = await q
      .select({ testId: runTests.testId })
      .from(runTests)
      .where(inRun)
      .orderBy(asc(runTests.testId))
      .limit(1)
      .offset(groupedAtOnce - 1);
    add(await groupsWhere(q, end ? and(inRun, lte(runTests.testId, end.testId)) : inRun));
    if (!end) return [...groups.values()];
    after = end.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}

const groupsWhere = (q: Query, where: SQL | undefined): PromiseLike<readonly StateGroup[]> =>
  q
    .select({
      squadId: tests.squadId,
      sectionId: tests.sectionId,
      status: runTests.status,
      by: runTests.updatedBy,
      count: countRows(),
    })
    .from(runTests)
    .innerJoin(tests, eq(tests.id, runTests.testId))
    .where(where)
    .groupBy(tests.squadId, tests.sectionId, runTests.status, runTests.updatedBy);

/** The state of a run, computed from its tests, and how many tests each person decided. @param testIds restricts both to these tests. */
export async function loadStateAndTesters(
  q: Query,
  run: Run,
  signal: AbortSignal,
  testIds?: readonly number[],
) {
  const groups = await stateGroups(q, run.id, signal, testIds);
  const state = runStateRecordOf(run, groups, await loadReferences(q, run.projectId, idsIn(groups)));
  const unmatched = testIds === undefined ? await unmatchedCounts(q, [run.id]) : undefined;
  return { state: { ...state, ...unmatchedOf(unmatched?.get(run.id)) }, testers: testersOf(groups) };
}

/** Most people that the state of a run, or its report, names. */
const shownTesters = 100;

/** Who decided most tests, by name, also after leaving the organization. Null: erased, or without a name. */
export async function namedTesters(q: Query, deciders: ReturnType<typeof testersOf>) {
  const shown = deciders.slice(0, shownTesters);
  const names = await namesOfUsers(
    q,
    shown.map(({ userId }) => userId),
  );
  return shown.map((one) => ({ ...one, name: names.get(one.userId) ?? null }));
}
