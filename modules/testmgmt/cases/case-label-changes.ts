import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import type { ChangedFields } from './case-store.ts';

/** The most labels of one test. A page of 500 tests contains all of them. */
export const maxLabels = 100;

/**
 * Checks that each change describes its labels in only one way.
 * @param pathOf the path of a change in the call, e.g. `tests[3].`; empty for a single change.
 * @throws Fault INVALID_REQUEST that names the changes.
 */
export function requireOneWay(
  items: readonly ChangedFields[],
  pathOf: (index: number) => string = () => '',
): void {
  const problems = items.flatMap(({ labels, addLabels, removeLabels }, index) => {
    if (labels && (addLabels ?? removeLabels)) return [`${pathOf(index)}labels replaces all labels`];
    const removed = new Set(removeLabels);
    const both = addLabels?.find((id) => removed.has(id));
    return both === undefined ? [] : [`${pathOf(index)}addLabels and removeLabels both have ${both}`];
  });
  if (problems.length === 0) return;
  throw fail.INVALID_REQUEST(`${firstProblems(problems)}. Nothing was written.`, {
    cause: /^[^.[ ]+/.exec(problems[0] ?? '')?.[0] ?? 'labels',
    tip: 'Give either labels (all that a test is to have), or addLabels and removeLabels with different labels.',
  });
}

/** @throws Fault TOO_MANY_LABELS. */
export function requireFewLabels(testIds: readonly number[]): void {
  if (testIds.length === 0) return;
  throw fail.TOO_MANY_LABELS(
    `More than ${maxLabels} labels: ${firstProblems(testIds.map((id) => `test ${id}`))}. Nothing was written.`,
    { cause: 'addLabels' },
  );
}
