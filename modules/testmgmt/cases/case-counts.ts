import type { Classification } from '../rules/classification.ts';

/** The number of tests with one priority and one automation status. */
interface CountGroup {
  readonly priorityId: number | null;
  readonly automationStatusId: number | null;
  readonly count: number;
}

interface Value {
  readonly id: number;
  readonly kind: Classification;
  readonly name: string;
}

/** The counts of the groups, summed by one of their keys. */
function sums(groups: readonly CountGroup[], key: 'priorityId' | 'automationStatusId') {
  const counts = new Map<number | null, number>();
  for (const group of groups) counts.set(group[key], (counts.get(group[key]) ?? 0) + group.count);
  return counts;
}

/** Every value in its order with its count, then the count of tests without a value, unless it is 0. */
function counted(values: readonly Value[], kind: Classification, counts: ReadonlyMap<number | null, number>) {
  const rows: Array<{ id: number | null; name: string | null; count: number }> = values
    .filter((value) => value.kind === kind)
    .map(({ id, name }) => ({ id, name, count: counts.get(id) ?? 0 }));
  const without = counts.get(null) ?? 0;
  return without > 0 ? [...rows, { id: null, name: null, count: without }] : rows;
}

/** The result of get-tests-count, from grouped rows and all values of the project's classifications. */
export function breakdown(groups: readonly CountGroup[], values: readonly Value[]) {
  return {
    total: groups.reduce((total, { count }) => total + count, 0),
    byPriority: counted(values, 'priority', sums(groups, 'priorityId')).map(({ id, name, count }) => ({
      priorityId: id,
      priority: name,
      count,
    })),
    byAutomationStatus: counted(values, 'automationStatus', sums(groups, 'automationStatusId')).map(
      ({ id, name, count }) => ({ automationStatusId: id, automationStatus: name, count }),
    ),
  };
}
