import { and, asc, eq, gt, lte } from 'drizzle-orm';
import { countRows } from '../../../core/db/columns.ts';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { loadReferences } from '../cases/case-reference-store.ts';
import { idsIn } from '../cases/case-references.ts';
import { runTests, tests } from '../schema.ts';
import { runStateRecordOf, type StateGroup } from './run-state.ts';
import type { Run } from './run-store.ts';

/** Tests of a run that one statement groups: about 4 ms; 100,000 at once took 150. */
const groupedAtOnce = 1_000;

/**
 * The groups of a run's tests. Each test is counted once, in the order of ids, in chunks. Yields to other requests between them: a
 * result that is stored meanwhile is counted or not. The counts in the result are the sums of these groups.
 */
async function stateGroups(q: Query, runId: number, signal: AbortSignal): Promise<readonly StateGroup[]> {
  const groups = new Map<string, StateGroup>();
  for (let after = 0; ;) {
    const inRun = and(eq(runTests.runId, runId), gt(runTests.testId, after));
    const [end] = await q
      .select({ testId: runTests.testId })
      .from(runTests)
      .where(inRun)
      .orderBy(asc(runTests.testId))
      .limit(1)
      .offset(groupedAtOnce - 1);
    const part = await q
      .select({
        squadId: tests.squadId,
        sectionId: tests.sectionId,
        status: runTests.status,
        count: countRows(),
      })
      .from(runTests)
      .innerJoin(tests, eq(tests.id, runTests.testId))
      .where(end ? and(inRun, lte(runTests.testId, end.testId)) : inRun)
      .groupBy(tests.squadId, tests.sectionId, runTests.status);
    for (const group of part) {
      const key = `${group.squadId} ${group.sectionId} ${group.status}`;
      const known = groups.get(key);
      groups.set(key, known ? { ...known, count: known.count + group.count } : group);
    }
    if (!end) return [...groups.values()];
    after = end.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** The state of a run, from its tests. */
export async function loadRunState(q: Query, run: Run, signal: AbortSignal) {
  const groups = await stateGroups(q, run.id, signal);
  return runStateRecordOf(run, groups, await loadReferences(q, run.projectId, idsIn(groups)));
}
