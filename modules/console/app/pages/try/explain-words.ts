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
    return { word: variant === null ? t('Shown.') : t('Sent in the variant {variant}.', { variant }), why };
  const outcome = answered ? t('sent to the app, which does not show it.') : t('not sent.');
  return { word: `${gateNames[gate]}: ${outcome}`, why: ofPeople[gate] ?? withTimes(why) };
}

/** Epoch milliseconds mean nothing to a person. */
const withTimes = (text: string): string =>
  text.replaceAll(/\b\d{13}\b/g, (milliseconds) => timeText(Number(milliseconds)));
