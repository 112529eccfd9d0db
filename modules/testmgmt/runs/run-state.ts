import type { References } from '../cases/case-references.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { percentages, statusCounts, tally, type TestStatus } from '../rules/test-status.ts';
import type { Run } from './run-row.ts';

/** The number of tests of one squad and one section with one status. */
export interface StateGroup {
  readonly squadId: number | null;
  readonly sectionId: number | null;
  readonly status: TestStatus;
  /** Who gave the last result; null: nobody. */
  readonly by: number | null;
  readonly count: number;
}

/** Counts by one key of the groups. */
export function countsBy(groups: readonly StateGroup[], key: 'squadId' | 'sectionId') {
  const byId = Map.groupBy(groups, (group) => group[key]);
  return [...byId].map(([id, members]) => ({ id, counts: statusCounts(tally(members)) }));
}

/** How many tests of a run each person decided, most first. Tests that are to be run, or to be run again, have nobody. */
export function testersOf(
  groups: readonly StateGroup[],
): ReadonlyArray<{ readonly userId: number; readonly tests: number }> {
  const tests = new Map<number, number>();
  for (const { by, status, count } of groups)
    if (by !== null && status !== 'untested' && status !== 'retest')
      tests.set(by, (tests.get(by) ?? 0) + count);
  return [...tests]
    .map(([userId, decided]) => ({ userId, tests: decided }))
    .toSorted((one, other) => other.tests - one.tests || one.userId - other.userId);
}

/** Sorts by text; null comes last. */
const byText = (a: string | null, b: string | null): number => {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
};

/** The state of a run: counts, percentages, counts by squad and by section (docs/contract.md, Records). */
export function runStateRecordOf(run: Run, groups: readonly StateGroup[], known: References) {
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
