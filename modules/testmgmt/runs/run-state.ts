import { loadReferences } from '../cases/case-reference-store.ts';
import { and, asc, eq, gt, lte } from 'drizzle-orm';
import { countRows } from '../../../core/db/columns.ts';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { percentages, statusCounts, tally, type TestStatus } from '../rules/test-status.ts';
import type { Run } from './run-store.ts';
import { runTests, tests } from '../schema.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { idsIn } from '../cases/case-references.ts';

/** How many tests of one squad and one section have one status. */
export interface StateGroup {
  readonly squadId: number | null;
  readonly sectionId: number | null;
  readonly status: TestStatus;
  readonly count: number;
}

/** So many tests of a run are grouped by one statement: some 4 ms, where 100,000 at once took 150. */
const groupedAtOnce = 1_000;

/**
 * The groups of a run's tests, each test counted once, by its id. Part by part, with requests let in between; a result that comes
 * in meanwhile is counted or not, and the counts of the answer are the sums of these groups.
 */
export async function stateGroups(
  q: Query,
  runId: number,
  signal: AbortSignal,
): Promise<readonly StateGroup[]> {
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

/** Counts by one key of the groups. */
export function countsBy(groups: readonly StateGroup[], key: 'squadId' | 'sectionId') {
  const byId = Map.groupBy(groups, (group) => group[key]);
  return [...byId].map(([id, members]) => ({ id, counts: statusCounts(tally(members)) }));
}

/** By what people read, those without one last. */
const byText = (a: string | null, b: string | null): number => {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
};

/** How a run stands: counts, percentages, by squad and by section (docs/contract.md, Records). */
export async function runState(q: Query, run: Run, signal: AbortSignal) {
  const groups = await stateGroups(q, run.id, signal);
  const known = await loadReferences(q, run.projectId, idsIn(groups));
  const counts = statusCounts(tally(groups));
  const bySquad = countsBy(groups, 'squadId')
    .map((group) => ({
      squadId: group.id,
      squad: group.id === null ? null : (known.squads.get(group.id) ?? null),
      counts: group.counts,
    }))
    .toSorted((a, b) => byText(a.squad, b.squad));
  const sections = countsBy(groups, 'sectionId').map((group) => {
    const path = sectionPath(known.sections, group.id);
    return { id: group.id, path, counts: group.counts, key: group.id === null ? null : path.join('\u0001') };
  });
  const bySection = sections
    .toSorted((a, b) => byText(a.key, b.key))
    .map(({ id, path, counts: ofSection }) => ({ sectionId: id, sectionPath: path, counts: ofSection }));
  return {
    runId: run.id,
    projectId: run.projectId,
    runName: run.name,
    status: run.lockedAt === null ? ('active' as const) : ('locked' as const),
    counts,
    percentages: percentages(counts),
    bySquad,
    bySection,
  };
}
