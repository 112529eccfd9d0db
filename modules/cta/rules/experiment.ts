import type { Action } from './rule-parts.ts';

/** One arm of an experiment. */
export interface Variant {
  readonly key: string;
  /** The share of the users in the experiment, 0 to 1. */
  readonly weight: number;
  /** Shows nothing. */
  readonly control?: boolean;
  /** Replaces the actions of the rule; absent: they stay. */
  readonly actions?: readonly Action[];
}

/** An experiment of a CTA. Its state machine is one, so that limits and states of the arms compare; variants change actions alone. */
export interface Experiment {
  readonly key: string;
  readonly seed: string;
  /** The share of all users that takes part, 0 to 1. */
  readonly coverage: number;
  /** A holdout whose users do not get the CTA. */
  readonly holdout?: string;
  readonly variants: readonly Variant[];
}

/** The times of the experiment of a CTA, epoch milliseconds. */
interface RunTimes {
  readonly experimentStartedAt: number | null;
  readonly experimentStoppedAt: number | null;
}

export const isRunning = ({ experimentStartedAt, experimentStoppedAt }: RunTimes): boolean =>
  experimentStartedAt !== null && experimentStoppedAt === null;

/** `tenant`: every CTA of the tenant; `named`: those whose running experiment names the holdout. */
export const holdoutScopes = ['tenant', 'named'] as const;
export type HoldoutScope = (typeof holdoutScopes)[number];

/** Users who do not get CTAs, so that what CTAs achieve as a whole can be seen. */
export interface Holdout {
  readonly name: string;
  /** The first buckets of the seed: 0 to 2,000. */
  readonly share: number;
  readonly seed: string;
  readonly scope: HoldoutScope;
}
