import { describe, expect, test } from 'bun:test';
import { inTurns } from '../../../core/base/turns.ts';
import { everyCombination, pairwise } from './pairwise.ts';

/** The pairs of values of two groups that no row contains. */
function missing(sizes: readonly number[], rows: readonly (readonly number[])[]): number {
  const found = new Set(
    rows.flatMap((row) =>
      row.flatMap((a, i) => row.slice(i + 1).map((b, j) => `${i}.${a} ${i + 1 + j}.${b}`)),
    ),
  );
  let all = 0;
  for (const [i, a] of sizes.entries()) for (const b of sizes.slice(i + 1)) all += a * b;
  return all - found.size;
}

const times = (count: number, size: number) => Array.from({ length: count }, () => size);

/** No fewer than the least possible, and no more than a good generator needs: 3 groups of 3 give 9 or 10. */
describe.each([
  ['none', [], 0, 0],
  ['one group', [4], 4, 4],
  ['two groups', [3, 5], 15, 15],
  ['3 groups of 3', [3, 3, 3], 9, 10],
  ['4 groups of 3', times(4, 3), 9, 11],
  ['13 groups of 3', times(13, 3), 15, 22],
  ['10 groups of 2', times(10, 2), 6, 10],
  ['3 × 4 × 2 × 5', [3, 4, 2, 5], 20, 22],
  ['groups of one value', [1, 3, 1, 2], 6, 6],
  ['20 groups of 5', times(20, 5), 25, 60],
])('%s', (_name, sizes, least, most) => {
  test(`covers every pair with ${least} to ${most} rows, the same each time`, async () => {
    const rows = await inTurns(pairwise(sizes));
    expect(missing(sizes, rows)).toBe(0);
    expect(rows.length).toBeGreaterThanOrEqual(least);
    expect(rows.length).toBeLessThanOrEqual(most);
    for (const row of rows) {
      expect(row.length).toBe(sizes.length);
      for (const [at, value] of row.entries()) expect(value >= 0 && value < (sizes[at] ?? 0)).toBe(true);
    }
    expect(await inTurns(pairwise(sizes))).toEqual(rows);
  });
});

/**
 * The counts that PICT publishes for the usual benchmarks (the table "efficiency" of pairwise.org, by J. Czerwonka; other generators of that
 * table differ by as much from each other). A plan has fewer groups, but a rule that is poor there is poor.
 */
const publishedByPict: ReadonlyArray<
  readonly [name: string, sizes: readonly number[], pict: number, ours: number]
> = [
  ['3^4', times(4, 3), 9, 9],
  ['3^13', times(13, 3), 18, 19],
  ['4^15 3^17 2^29', [...times(15, 4), ...times(17, 3), ...times(29, 2)], 37, 35],
  ['4^1 3^39 2^35', [4, ...times(39, 3), ...times(35, 2)], 27, 27],
  ['2^100', times(100, 2), 15, 16],
  ['10^20', times(20, 10), 210, 214],
];

test.each(publishedByPict)('%s: at most a tenth more rows than PICT', async (_name, sizes, pict, ours) => {
  const rows = await inTurns(pairwise(sizes));
  expect(missing(sizes, rows)).toBe(0);
  expect(rows.length).toBe(ours);
  expect(ours).toBeLessThanOrEqual(pict * 1.1);
});

test('random groups are covered, too', async () => {
  for (let seed = 1; seed < 60; seed++) {
    const sizes = Array.from({ length: 2 + (seed % 6) }, (_, at) => 1 + ((seed * 7 + at * 5) % 6));
    expect(missing(sizes, await inTurns(pairwise(sizes)))).toBe(0);
  }
});

test('every combination', () => {
  expect(everyCombination([2, 2])).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  expect(everyCombination([3, 3]).length).toBe(9);
  expect(everyCombination([])).toEqual([[]]);
});
