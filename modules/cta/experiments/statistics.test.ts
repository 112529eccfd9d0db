import { expect, test } from 'bun:test';
import cases from './statistics-cases.json';
import { differenceInterval, plannedSampleSize, pooledP, sampleRatioP } from './statistics.ts';

/*
 * Against 1,000 tables that SciPy 1.17 and mpmath computed (40 digits; the p of the first 200 was also compared with
 * chi2_contingency, and that of the sample ratio with chisquare).
 */
type Row = [
  conversions1: number,
  users1: number,
  conversions2: number,
  users2: number,
  low: number,
  high: number,
  p: number,
  users: number[],
  weights: number[],
  ratioP: number,
  rate: number,
  effect: number,
  size: number,
];
const rows = cases as unknown as Row[];

test('1,000 tables agree to 1e-9', () => {
  expect(rows).toHaveLength(1_000);
  let widest = 0;
  for (const [c1, n1, c2, n2, low, high, p, users, weights, ratioP, rate, effect, size] of rows) {
    const [arm, baseline] = [
      { users: n1, conversions: c1 },
      { users: n2, conversions: c2 },
    ];
    const [ownLow, ownHigh] = differenceInterval(arm, baseline);
    const differences = [
      ownLow - low,
      ownHigh - high,
      pooledP(arm, baseline) - p,
      sampleRatioP(users, weights) - ratioP,
      (plannedSampleSize(rate, effect) ?? 0) - size,
    ];
    widest = Math.max(widest, ...differences.map(Math.abs));
  }
  expect(widest).toBeLessThan(1e-9);
});

test('small p keep their digits: they are compared by ratio, too', () => {
  const small = rows.filter(([, , , , , , p]) => p > 0 && p < 1e-6);
  expect(small.length).toBeGreaterThan(10);
  for (const [c1, n1, c2, n2, , , p] of small) {
    const own = pooledP({ users: n1, conversions: c1 }, { users: n2, conversions: c2 });
    expect(Math.abs(own / p - 1)).toBeLessThan(1e-9);
  }
});

test.each([
  [{ users: 0, conversions: 0 }, { users: 0, conversions: 0 }, 1],
  [{ users: 10, conversions: 0 }, { users: 20, conversions: 0 }, 1],
  [{ users: 10, conversions: 10 }, { users: 20, conversions: 20 }, 1],
  [{ users: 10, conversions: 3 }, { users: 0, conversions: 0 }, 1],
])('%p against %p: nothing to compare', (arm, baseline, p) => {
  expect(pooledP(arm, baseline)).toBe(p);
  expect(differenceInterval(arm, baseline).every(Number.isFinite)).toBe(true);
});

test.each([
  [[], [], 1],
  [[100], [1], 1],
  [[0, 0], [0.5, 0.5], 1],
  [[5, 0], [0, 1], 0],
])('the sample ratio of %p with weights %p', (users, weights, p) => {
  expect(sampleRatioP(users, weights)).toBe(p);
});

test.each([
  [0.1, 0],
  [0.1, 0.95],
  [0.1, -0.2],
  [Number.NaN, 0.1],
])('a plan for a rate of %d and an effect of %d is refused', (rate, effect) => {
  expect(plannedSampleSize(rate, effect)).toBeNull();
});
