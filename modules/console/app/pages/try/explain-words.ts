import type { Output } from '../../api/calls.ts';
import { timeText } from '../../design/time.tsx';
import { gateNames } from './simulation-words.ts';
import { t } from '../../texts/text.ts';

type Explained = Output<'explain-cta'>['ctas'][number];

/** Where the answer names a tool or a parameter, a person reads which page shows it. */
const ofPeople: Partial<Readonly<Record<NonNullable<Explained['gate']>, string>>> = {
  kill_switch: t('The kill switch of its tenant or its behaviour tag hides it.'),
  holdout: t(
    'The user is in a holdout, whose users do not get it. The page CTAs lists holdouts under Delivery.',
  ),
  'delivery.quiet_hours': t('These are quiet hours in the time zone of the user.'),
  'delivery.min_gap': t(
    'The last CTA of the user was too short a time ago. The page CTAs shows the gap under Delivery.',
  ),
  'delivery.per_day': t(
    'The user had as many CTAs in 24 hours as may be. The page CTAs shows the limit under Delivery.',
  ),
};

/** Whether a user gets a CTA, and what keeps it away. */
export function explanationText({
  gate,
  answered,
  why,
  variant,
}: Pick<Explained, 'gate' | 'answered' | 'why' | 'variant'>): {
  readonly word: string;
  readonly why: string;
} {
  if (gate === null)
    return {
      word: variant === null ? t('Shown.') : t('Sent in the variant {variant}.', { variant }),
      why: sentenceOf(why),
    };
  const outcome = answered ? t('sent to the app, which does not show it.') : t('not sent.');
  return { word: `${gateNames[gate]}: ${outcome}`, why: ofPeople[gate] ?? sentenceOf(why) };
}

const timeOf = (milliseconds: string): string => timeText(Number(milliseconds));

/** The sentences of `explain-cta`, with the times and numbers that they name. Epoch milliseconds mean nothing to a person. */
const sentences: ReadonlyArray<readonly [RegExp, (first: string, second: string) => string]> = [
  [/^Nothing keeps it from the user\.$/, () => t('Nothing keeps it from the user.')],
  [/^It is (\w+); apps get LIVE ones\.$/, (status) => t('It is {status}; apps get LIVE ones.', { status })],
  [/^It starts at (\d{13})\.$/, (at) => t('It starts at {time}.', { time: timeOf(at) })],
  [/^It ended at (\d{13})\.$/, (at) => t('It ended at {time}.', { time: timeOf(at) })],
  [
    /^Its ctaValidTill, or endTime, (\d{13}) has passed\.$/,
    (at) => t('It was valid until {time}.', { time: timeOf(at) }),
  ],
  [
    /^The user is in none of the cohorts it includes \((.*)\), or in one that it excludes \((.*)\)\.$/,
    (includes, excludes) =>
      t(
        'The user is in none of the cohorts it includes ({includes}), or in one that it excludes ({excludes}).',
        {
          includes,
          excludes,
        },
      ),
  ],
  [
    /^It was reset (\d+) times within the window/,
    (count) =>
      t('It was reset {count} times within the window of its frequency, which is the limit.', { count }),
  ],
  [
    /^It was reset (\d+) times in all/,
    (count) => t('It was reset {count} times in all, which is the limit of its frequency.', { count }),
  ],
  [
    /^It was reset as often as its frequency allows/,
    () => t('It was reset as often as its frequency allows in one session.'),
  ],
  [
    /^Other CTAs of the behaviour tag "(.*)" hold the places/,
    (tag) => t('Other CTAs of the behaviour tag "{tag}" hold the places that its relations give.', { tag }),
  ],
  [
    /^The CTAs of the behaviour tag "(.*)" were reset as often/,
    (tag) =>
      t('The CTAs of the behaviour tag "{tag}" were reset as often as its exposureRule allows.', { tag }),
  ],
];

/** In the language of the console; a sentence of a newer server stays as it is, with its times in words. */
function sentenceOf(text: string): string {
  for (const [pattern, say] of sentences) {
    const found = pattern.exec(text);
    if (found) return say(found[1] ?? '', found[2] ?? '');
  }
  return text.replaceAll(/\b\d{13}\b/g, timeOf);
}
