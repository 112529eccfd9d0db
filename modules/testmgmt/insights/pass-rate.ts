import { percentOf } from '../rules/percent.ts';

export const dayMs = 86_400_000;
/** Day 0 of the epoch was a Thursday; weeks begin on Monday (ISO 8601). */
const mondayOffset = 3;

export const periods = ['day', 'week'] as const;
export type Period = (typeof periods)[number];

/** The counts of a run at the time of the request. */
interface CountedRun {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly passed: number;
  readonly failed: number;
  readonly blocked: number;
}

/** The beginning of the day (UTC) or of the week (Monday, UTC) of a time. */
export function beginningOf(period: Period, time: number): number {
  const day = Math.floor(time / dayMs);
  return (period === 'day' ? day : day - ((day + mondayOffset) % 7)) * dayMs;
}

/** The results of runs by the period in which each was created, oldest first. Periods without a run are included. */
export function passRates(
  runs: Iterable<CountedRun>,
  period: Period,
  { from, to }: { from: number; to: number },
) {
  const step = period === 'day' ? dayMs : 7 * dayMs;
  const found = new Map<number, { runs: number; passed: number; failed: number; blocked: number }>();
  for (let at = beginningOf(period, from); at <= to; at += step)
    found.set(at, { runs: 0, passed: 0, failed: 0, blocked: 0 });
  for (const { createdAt, passed, failed, blocked } of runs) {
    const sum = found.get(beginningOf(period, createdAt));
    if (!sum) continue;
    sum.runs++;
    sum.passed += passed;
    sum.failed += failed;
    sum.blocked += blocked;
  }
  return [...found].map(([at, sum]) => ({
    at,
    ...sum,
    passRate: percentOf(sum.passed, sum.passed + sum.failed + sum.blocked),
  }));
}
