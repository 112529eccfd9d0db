import { leastConversions, leastUsers } from '../../../../cta/experiments/results.ts';
import type { Output } from '../../api/calls.ts';
import { numberText } from '../../design/amount.ts';
import { intervalText, progressText, pText, quoted, rateText } from './experiment-words.ts';

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
      text: 'Do not trust these figures: the arms are not as large as planned.',
    };
  if (baseline && sampleSize === null && enough)
    return {
      kind: 'wait',
      text: `Choose a smaller improvement: ${quoted(baseline.key)} converts ${rateText(baseline.rate)} already.`,
    };
  const missing = missingOf(results);
  if (missing !== null || baseline === undefined)
    return { kind: 'wait', text: `${isOver ? 'It ended too early' : 'Not enough yet'}: ${missing ?? ''}.` };
  const others = arms.filter((arm) => arm !== baseline);
  // Of four comparisons at 5 % each, one in five experiments would find a difference by chance.
  const found = others.filter(({ p }) => p !== null && p < significance / others.length);
  const best = highest(found.filter(({ difference }) => (difference ?? 0) > 0));
  if (best)
    return {
      kind: 'better',
      text: `${quoted(best.key)} converts better than ${sides(best, baseline)}`,
      best: best.key,
    };
  const worse = highest(found);
  if (worse)
    return { kind: 'worse', text: `${quoted(worse.key)} converts worse than ${sides(worse, baseline)}` };
  return { kind: 'no difference', text: noDifference(others, baseline) };
}

/** What is missing until the planned end; null: nothing. */
function missingOf({ arms, enough, sampleSize }: Results): string | null {
  const least = Math.min(...arms.map(({ users }) => users));
  if (arms.every(({ users }) => users === 0)) return 'no user of the experiment has seen the CTA';
  const needed = Math.max(leastUsers, sampleSize ?? 0);
  if (least < needed) return progressText(least, needed);
  if (enough) return null;
  const fewest = arms.reduce((one, other) => (other.conversions < one.conversions ? other : one));
  return `${quoted(fewest.key)} has ${numberText(fewest.conversions)} of at least ${leastConversions} conversions`;
}

const highest = (arms: readonly Arm[]): Arm | undefined => arms.toSorted((a, b) => b.rate - a.rate)[0];

const sides = (arm: Arm, baseline: Arm): string =>
  `${quoted(baseline.key)}: ${rateText(arm.rate)} instead of ${rateText(baseline.rate)} (${figures(arm)}).`;

const figures = ({ interval, p }: Arm): string =>
  [interval && `difference ${intervalText(interval)}`, p !== null && pText(p)].filter(Boolean).join(', ');

function noDifference(others: readonly Arm[], baseline: Arm): string {
  const [only] = others;
  return others.length === 1 && only
    ? `No difference was found: ${quoted(only.key)} converts ${rateText(only.rate)}, ${quoted(baseline.key)} ${rateText(baseline.rate)} (${figures(only)}).`
    : `No difference was found: the variants convert ${others.map(({ rate }) => rateText(rate)).join(', ')}, ${quoted(baseline.key)} ${rateText(baseline.rate)}.`;
}
