import type { Input } from '../../api/calls.ts';
import { numberText } from '../../design/amount.ts';
import { locale, t } from '../../texts/text.ts';

type Period = NonNullable<Input<'get-pass-rate'>['by']>;

/** How far back, and by what: as it stands in the address. */
interface InsightRange {
  readonly days: number;
  readonly by: Period;
}

const usualDays = 90;
const mostDays = 400;

/** The range in an address; the default if it is invalid. */
export function insightRange(address: URLSearchParams): InsightRange {
  const text = address.get('days') ?? '';
  const days = /^\d{1,3}$/.test(text) ? Number(text) : usualDays;
  return {
    days: Math.min(mostDays, Math.max(1, days)),
    by: address.get('by') === 'week' ? 'week' : 'day',
  };
}

export const ranges = [7, 30, 90, 180, mostDays].map((days) => ({
  id: String(days),
  name: t('Last {days} days', { days }),
}));

export const periods: ReadonlyArray<{ readonly id: Period; readonly name: string }> = [
  { id: 'day', name: t('By day') },
  { id: 'week', name: t('By week') },
];

const shortForm = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The day (UTC) of a time without its year, e.g. "23 Nov". @param at epoch ms. */
export const shortDayText = (at: number): string => shortForm.format(new Date(at));

/** Hours as text, e.g. "2.5 days", "5 min". */
export function hoursText(hours: number): string {
  if (hours >= 48) return t('{hours} days', { hours: numberText(Math.round(hours / 2.4) / 10) });
  const minutes = Math.round(hours * 60);
  if (minutes < 1) return '< 1 min';
  return minutes < 60 ? `${minutes} min` : `${numberText(Math.round(hours * 10) / 10)} h`;
}
