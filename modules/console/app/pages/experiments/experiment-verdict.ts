import { leastConversions, leastUsers } from '../../../../cta/experiments/results.ts';
import type { Output } from '../../api/calls.ts';
import { numberText } from '../../design/amount.ts';
import { intervalText, progressText, pText, quoted, rateText } from './experiment-words.ts';
import { t } from '../../texts/text.ts';

export type Results = Output<'get-experiment-results'>;
export type Arm = Results['arms'][number];

/** The tests of an experiment are wrong in at most one of twenty cases, all its comparisons together. */
const significance = 0.05;

interface Verdict {
  readonly kind: 'distrust' | 'wait' | 'better' | 'worse' | 'no difference';
  readonly text: string;
  /** The variant that converts best, if one is better. */
  readonly best?: string;
}

/** The arm that the others are compared with. */
export const baselineOf = (arms: readonly Arm[]): Arm | undefined =>
  arms.find(({ difference }) => difference === null);

/** What the results of an experiment say, in one sentence. @param isOver no more users will come. */
export function experimentVerdict(results: Results, isOver = false): Verdict {
  const { arms, srm, enough, sampleSize } = results;
  const baseline = baselineOf(arms);
  if (srm.warning)
    return {
      kind: 'distrust',
      text: t('Do not trust these figures: the arms are not as large as planned.'),
    };
  if (baseline && sampleSize === null && enough)
    return {
      kind: 'wait',
      text: t('Choose a smaller improvement: {key} converts {rate} already.', {
        key: quoted(baseline.key),
        rate: rateText(baseline.rate),
      }),
    };
  const missing = missingOf(results);
  if (missing !== null || baseline === undefined)
    return {
      kind: 'wait',
      text: `${isOver ? t('It ended too early') : t('Not enough yet')}: ${missing ?? ''}.`,
    };
  const others = arms.filter((arm) => arm !== baseline);
  // Of four comparisons at 5 % each, one in five experiments would find a difference by chance.
  const found = others.filter(({ p }) => p !== null && p < significance / others.length);
  const best = highest(found.filter(({ difference }) => (difference ?? 0) > 0));
  if (best)
    return {
      kind: 'better',
      text: t('{key} converts better than {best}', { key: quoted(best.key), best: sides(best, baseline) }),
      best: best.key,
    };
  const worse = highest(found);
  if (worse)
    return {
      kind: 'worse',
      text: t('{key} converts worse than {worse}', { key: quoted(worse.key), worse: sides(worse, baseline) }),
    };
  return { kind: 'no difference', text: noDifference(others, baseline) };
}

/** What is missing until the planned end; null: nothing. */
function missingOf({ arms, enough, sampleSize }: Results): string | null {
  const least = Math.min(...arms.map(({ users }) => users));
  if (arms.every(({ users }) => users === 0)) return t('no user of the experiment has seen the CTA');
  const needed = Math.max(leastUsers, sampleSize ?? 0);
  if (least < needed) return progressText(least, needed);
  if (enough) return null;
  const fewest = arms.reduce((one, other) => (other.conversions < one.conversions ? other : one));
  return t('{key} has {conversions} of at least {leastConversions} conversions', {
    key: quoted(fewest.key),
    conversions: numberText(fewest.conversions),
    leastConversions,
  });
}

const highest = (arms: readonly Arm[]): Arm | undefined => arms.toSorted((a, b) => b.rate - a.rate)[0];

const sides = (arm: Arm, baseline: Arm): string =>
  t('{baseline}: {rate} instead of {baselineRate} ({figures}).', {
    baseline: quoted(baseline.key),
    rate: rateText(arm.rate),
    baselineRate: rateText(baseline.rate),
    figures: figures(arm),
  });

const figures = ({ interval, p }: Arm): string =>
  [interval && t('difference {interval}', { interval: intervalText(interval) }), p !== null && pText(p)]
    .filter(Boolean)
    .join(', ');

function noDifference(others: readonly Arm[], baseline: Arm): string {
  const [only] = others;
  return others.length === 1 && only
    ? t('No difference was found: {variant} converts {variantRate}, {baseline} {baselineRate} ({figures}).', {
        variant: quoted(only.key),
        variantRate: rateText(only.rate),
        baseline: quoted(baseline.key),
        baselineRate: rateText(baseline.rate),
        figures: figures(only),
      })
    : t('No difference was found: the variants convert {others}, {key} {rate}.', {
        others: others.map(({ rate }) => rateText(rate)).join(', '),
        key: quoted(baseline.key),
        rate: rateText(baseline.rate),
      });
}
