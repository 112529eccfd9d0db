import type { TestStatus } from '../rules/test-status.ts';

/** How long a test failed before it passed again. */
export interface FixTimes {
  readonly fixes: number;
  readonly longestMs: number;
  readonly totalMs: number;
  /** When the test passed after the last of these failures. */
  readonly lastFixedAt: number;
}

/**
 * The times from the first of consecutive failures to the next pass, for results in id order. Blocked, retest and untested neither begin
 * nor end such a period. A failure that is not fixed yet does not count.
 */
export function fixTimesOf(
  results: Iterable<{ readonly status: TestStatus; readonly at: number }>,
): FixTimes | null {
  let failingSince: number | null = null;
  const times = { fixes: 0, longestMs: 0, totalMs: 0, lastFixedAt: 0 };
  for (const { status, at } of results) {
    if (status === 'failed') failingSince ??= at;
    if (status !== 'passed' || failingSince === null) continue;
    // The clock of a server may have been set back.
    const took = Math.max(0, at - failingSince);
    failingSince = null;
    times.fixes++;
    times.longestMs = Math.max(times.longestMs, took);
    times.totalMs += took;
    times.lastFixedAt = at;
  }
  return times.fixes === 0 ? null : times;
}
