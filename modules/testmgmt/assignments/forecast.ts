/** What a forecast is made of, best first. `none`: nothing is known. */
const forecastBases = ['durations', 'estimate', 'project', 'none'] as const;
export type ForecastBasis = (typeof forecastBases)[number];

export interface Forecast {
  readonly seconds: number;
  readonly basis: ForecastBasis;
}

/** What is known of a test: its last durations, newest first, and its estimate. */
interface KnownEffort {
  readonly durationsUs: readonly number[];
  readonly estimateSeconds: number | null;
}

/** The durations that count: with five, one run on a busy machine does not move the median. */
export const countedDurations = 5;

/** The middle of some numbers, or between the two in the middle; null without any. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** How long a test probably takes. @param projectSeconds the median of its project. */
export function forecastOf(
  { durationsUs, estimateSeconds }: KnownEffort,
  projectSeconds: number | null,
): Forecast {
  const median = medianOf(durationsUs.slice(0, countedDurations));
  if (median !== null) return { seconds: median / 1_000_000, basis: 'durations' };
  if (estimateSeconds !== null) return { seconds: estimateSeconds, basis: 'estimate' };
  return projectSeconds === null
    ? { seconds: 0, basis: 'none' }
    : { seconds: projectSeconds, basis: 'project' };
}
