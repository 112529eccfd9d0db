import { eq } from 'drizzle-orm';
import { countRows } from '../../core/db/columns.ts';
import type { Query } from '../../core/db/db.ts';
import { percentages, statusCounts, tally, type TestStatus } from './run-status.ts';
import type { Run } from './runs.ts';
import { runTests, tests } from './schema.ts';
import { sectionPath } from './section-tree.ts';
import { idsIn, loadReferences } from './test-references.ts';

/** How many tests of one squad and one section have one status. */
export interface StateGroup {
  readonly squadId: number | null;
  readonly sectionId: number | null;
  readonly status: TestStatus;
  readonly count: number;
}

/** The groups of a run's tests: one scan of the run. */
export async function stateGroups(q: Query, runId: number): Promise<readonly StateGroup[]> {
  return q
    .select({
      squadId: tests.squadId,
      sectionId: tests.sectionId,
      status: runTests.status,
      count: countRows(),
    })
    .from(runTests)
    .innerJoin(tests, eq(tests.id, runTests.testId))
    .where(eq(runTests.runId, runId))
    .groupBy(tests.squadId, tests.sectionId, runTests.status);
}

/** Counts by one key of the groups. Pure. */
export function countsBy(groups: readonly StateGroup[], key: 'squadId' | 'sectionId') {
  const byId = Map.groupBy(groups, (group) => group[key]);
  return [...byId].map(([id, members]) => ({ id, counts: statusCounts(tally(members)) }));
}

/** By what people read, those without one last. Pure. */
const byText = (a: string | null, b: string | null): number => {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
};

/** How a run stands: counts, percentages, by squad and by section (CONTRACT §3). */
export async function runState(q: Query, run: Run) {
  const groups = await stateGroups(q, run.id);
  const known = await loadReferences(q, run.projectId, idsIn(groups));
  const counts = statusCounts(run);
  const bySquad = countsBy(groups, 'squadId')
    .map((group) => ({
      squadId: group.id,
      squad: group.id === null ? null : (known.squads.get(group.id) ?? null),
      counts: group.counts,
    }))
    .toSorted((a, b) => byText(a.squad, b.squad));
  const bySection = countsBy(groups, 'sectionId')
    .map((group) => ({
      sectionId: group.id,
      sectionPath: sectionPath(known.sections, group.id),
      counts: group.counts,
    }))
    .toSorted((a, b) =>
      byText(
        a.sectionId === null ? null : a.sectionPath.join('\u0001'),
        b.sectionId === null ? null : b.sectionPath.join('\u0001'),
      ),
    );
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
