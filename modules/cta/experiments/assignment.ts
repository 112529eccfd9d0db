import { bucketOf, buckets } from '../rules/cohort.ts';
import type { Experiment, Holdout, Variant } from '../rules/experiment.ts';
import type { Action } from '../rules/rule-parts.ts';

/**
 * The arm of a user; null: outside of the coverage, so the user gets the CTA as it is and is not counted.
 *
 * Arm i has the buckets from 10,000 × (the weights before it) on, 10,000 × weight × coverage of them. So a coverage that grows adds users
 * at the end of each arm, and nobody ever moves from one arm to another. Anybody can check it: `printf 'seed:42' | sha256sum`, the first
 * 8 digits as a number, modulo 10,000.
 */
export function armOf({ seed, coverage, variants }: Experiment, userId: string): Variant | null {
  return armAt(variants, coverage, bucketOf(seed, userId));
}

/** A CTA as far as its experiment decides what a user gets. */
interface Tried {
  readonly trial: { readonly experiment: Experiment } | undefined;
  /** Whether the experiment runs, and since when. */
  readonly isTried: boolean;
  readonly startedAt: number | null;
}

/**
 * The key of an arm in the running experiment of a CTA; null: none, or outside of the coverage.
 * @param decides the user; or the guest as whom the user saw the CTA first. @param at when: before the start nobody was in an arm.
 */
export const armKeyOf = (
  { trial, isTried, startedAt }: Tried,
  decides: string,
  at = Infinity,
): string | null =>
  trial && isTried && at >= (startedAt ?? Infinity) ? (armOf(trial.experiment, decides)?.key ?? null) : null;

/** @param bucket 0 to 9,999. */
export function armAt(variants: readonly Variant[], coverage: number, bucket: number): Variant | null {
  let before = 0;
  for (const variant of variants) {
    const from = Math.round(buckets * before);
    const length = buckets * variant.weight * coverage;
    // Sums of decimals such as 0.1 + 0.2 are a little off: whole buckets are what was meant.
    if (bucket >= from && bucket < Math.round(buckets * before + length)) return variant;
    before += variant.weight;
  }
  return null;
}

/**
 * The control arm for apps that are installed: the deployed SDK stamps this action and lets it block others, as it does with a POPUP, and
 * shows nothing, because no app listens to this event.
 */
export const controlAction = (actionId: string): Action => ({
  actionId,
  type: 'NUDGE_ACTION',
  template: { eventName: 'trivet_control', eventParams: [] },
});

/** The actions of an arm: each one of the rule, as the variant replaces it. */
export const actionsOf = ({ control, actions }: Variant, ofRule: readonly Action[]): readonly Action[] =>
  control === true ? ofRule.map(({ actionId }) => controlAction(actionId)) : (actions ?? ofRule);

/** Whether a user is in a holdout: always the same ones, whichever CTA asks. */
export const isHeldOut = ({ seed, share }: Holdout, userId: string): boolean =>
  bucketOf(seed, userId) < share;
