import type { Experiment } from '../rules/experiment.ts';
import { armOf } from './assignment.ts';
import {
  differenceInterval,
  plannedSampleSize,
  pooledP,
  sampleRatioP,
  type ArmCounts,
} from './statistics.ts';

/** What a user did with a CTA. Times are epoch milliseconds. */
export interface ExposedUser {
  readonly userId: string;
  /** The variants that the app named. */
  readonly variants: readonly string[];
  /** The ids under which a user who was two saw the CTA (exposure.ts); null: `userId` alone. */
  readonly exposedAs: readonly string[] | null;
  /** The first exposure since the start. */
  readonly exposedAt: number;
  readonly convertedAt: number | null;
}

/** The coverage from a time on, the earliest first. */
export interface CoverageStep {
  readonly at: number;
  readonly coverage: number;
}

interface ArmResult extends ArmCounts {
  readonly key: string;
  readonly rate: number;
  /** From the baseline; null: it is the baseline. */
  readonly difference: number | null;
  /** The difference as a share of the rate of the baseline; null also if that is 0. */
  readonly lift: number | null;
  /** 95 %. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly p: number | null;
}

interface ExperimentResults {
  readonly arms: readonly ArmResult[];
  readonly srm: { readonly p: number; readonly warning: boolean };
  readonly enough: boolean;
  readonly multipleExposures: number;
  readonly sampleSize: number | null;
}

/** Below these, figures of an arm say nothing. */
export const leastUsers = 100;
export const leastConversions = 10;

/** Counts users by arm, by their first exposure alone: the close of a control never comes, so later figures do not compare. */
export function countArms(experiment: Experiment, steps: readonly CoverageStep[]) {
  const counts = new Map(experiment.variants.map(({ key }) => [key, { users: 0, conversions: 0 }]));
  let multipleExposures = 0;
  return {
    add: (user: ExposedUser, windowMs: number): void => {
      const { exposedAt, convertedAt } = user;
      const coverage = steps.findLast(({ at }) => at <= exposedAt)?.coverage ?? 0;
      const then = { ...experiment, coverage };
      // Who came in later saw the CTA as it is first.
      const ofIds = (user.exposedAs ?? [user.userId]).map((id) => armOf(then, id)?.key);
      const [key] = ofIds;
      const seen = new Set([...ofIds, ...user.variants].filter((one) => counts.has(one ?? '')));
      if (seen.size > 1) multipleExposures++;
      const arm = key === undefined ? undefined : counts.get(key);
      if (!arm || seen.size > 1) return;
      arm.users++;
      const isInTime =
        convertedAt !== null && convertedAt >= exposedAt && convertedAt <= exposedAt + windowMs;
      if (isInTime) arm.conversions++;
    },
    results: (minimumLift: number): ExperimentResults => ({
      ...resultsOf(experiment, counts, minimumLift),
      multipleExposures,
    }),
  };
}

function resultsOf(
  { variants }: Experiment,
  counts: ReadonlyMap<string, ArmCounts>,
  minimumLift: number,
): Omit<ExperimentResults, 'multipleExposures'> {
  const countsOf = (key: string): ArmCounts => counts.get(key) ?? { users: 0, conversions: 0 };
  const baseline = variants.find(({ control }) => control === true) ?? variants[0];
  const base = countsOf(baseline?.key ?? '');
  const users = variants.map(({ key }) => countsOf(key).users);
  const p = sampleRatioP(
    users,
    variants.map(({ weight }) => weight),
  );
  const exposures = users.reduce((sum, count) => sum + count, 0);
  const baseRate = rateOf(base);
  return {
    arms: variants.map(({ key }) => armResult(key, countsOf(key), key === baseline?.key ? null : base)),
    srm: { p, warning: p < 0.001 && exposures >= 100 },
    enough: variants.every(({ key }) => {
      const arm = countsOf(key);
      return arm.users >= leastUsers && arm.conversions >= leastConversions;
    }),
    sampleSize: baseRate > 0 ? plannedSampleSize(baseRate, baseRate * minimumLift) : null,
  };
}

const rateOf = ({ users, conversions }: ArmCounts): number => (users === 0 ? 0 : conversions / users);

function armResult(key: string, counts: ArmCounts, baseline: ArmCounts | null): ArmResult {
  const rate = rateOf(counts);
  const own = { key, users: counts.users, conversions: counts.conversions, rate };
  if (baseline === null) return { ...own, difference: null, lift: null, interval: null, p: null };
  const difference = rate - rateOf(baseline);
  return {
    ...own,
    difference,
    lift: rateOf(baseline) === 0 ? null : difference / rateOf(baseline),
    interval: differenceInterval(counts, baseline),
    p: pooledP(counts, baseline),
  };
}
