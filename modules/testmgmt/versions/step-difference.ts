import type { Step } from '../base/schema.ts';

/** A step that one of two lists has and the other does not, or has in other words. Positions count from 1. */
interface StepDifference {
  readonly change: 'added' | 'removed' | 'changed';
  /** Its position in the older list; null for an added step. */
  readonly from: number | null;
  /** Its position in the newer list; null for a removed step. */
  readonly to: number | null;
  readonly before?: Step;
  readonly after?: Step;
}

/** The most comparisons of two lists: 500 steps with 500 steps. Beyond that, what both begin and end with is all that is taken as equal. */
const mostCompared = 250_000;

const textOf = ({ action, data, expected }: Step): string =>
  JSON.stringify([action, data ?? '', expected ?? '']);

/**
 * The difference of two lists of steps by their longest common subsequence. Between two common steps the n-th removed and the n-th added
 * step are one changed step.
 */
export function differenceOfSteps(older: readonly Step[], newer: readonly Step[]): readonly StepDifference[] {
  const [a, b] = [older.map(textOf), newer.map(textOf)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endOfA, endOfB] = [a.length, b.length];
  while (endOfA > start && endOfB > start && a[endOfA - 1] === b[endOfB - 1]) {
    endOfA--;
    endOfB--;
  }
  const common = commonSteps(a.slice(start, endOfA), b.slice(start, endOfB));
  const found: StepDifference[] = [];
  let [i, j] = [start, start];
  for (const [atA, atB] of [
    ...common.map(([x, y]) => [x + start, y + start] as const),
    [endOfA, endOfB] as const,
  ]) {
    for (; i < atA || j < atB; i++, j++)
      found.push(differenceAt(older, newer, i < atA ? i : null, j < atB ? j : null));
    [i, j] = [atA + 1, atB + 1];
  }
  return found;
}

function differenceAt(
  older: readonly Step[],
  newer: readonly Step[],
  i: number | null,
  j: number | null,
): StepDifference {
  const [before, after] = [i === null ? undefined : older[i], j === null ? undefined : newer[j]];
  return {
    change: before ? (after ? 'changed' : 'removed') : 'added',
    from: i === null ? null : i + 1,
    to: j === null ? null : j + 1,
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
  };
}

/** The positions of a longest common subsequence, in ascending order. */
function commonSteps(a: readonly string[], b: readonly string[]): ReadonlyArray<readonly [number, number]> {
  if (a.length * b.length > mostCompared) return [];
  const width = b.length + 1;
  /** The length of the longest common subsequence of what follows both positions. */
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const common: Array<readonly [number, number]> = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) common.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return common;
}
