import { countText, numberText } from '../../design/amount.ts';
import { locale, t } from '../../texts/text.ts';

const oneDigit = new Intl.NumberFormat(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const threeDigits = new Intl.NumberFormat(locale(), { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const upToTwoDigits = new Intl.NumberFormat(locale(), { maximumFractionDigits: 2 });

/** A hyphen before a number reads as a dash between two. */
const withMinus = (text: string): string => text.replace('-', '−');

/** A share of 0 to 1 as it was measured, e.g. "12.1 %". */
export const rateText = (rate: number): string => `${oneDigit.format(rate * 100)} %`;

/** A share of 0 to 1 as it was planned, e.g. "50 %", "33.33 %". */
export const plannedText = (share: number): string => `${upToTwoDigits.format(share * 100)} %`;

/** A difference of two shares in points, e.g. "2.1", "−0.4". */
export function pointsText(difference: number): string {
  const text = oneDigit.format(difference * 100);
  return withMinus(text === '-0.0' ? '0.0' : text);
}

/** e.g. "0.9 to 3.3 points". */
export const intervalText = ([low, high]: readonly number[]): string =>
  t('{low} to {high} points', { low: pointsText(low ?? 0), high: pointsText(high ?? 0) });

/** e.g. "p 0.031"; a smaller one says no more: "p below 0.001". */
export const pText = (p: number): string => (p < 0.001 ? t('p below 0.001') : `p ${threeDigits.format(p)}`);

/** A variant or an experiment by its key. */
export const quoted = (key: string): string => t('“{key}”', { key });

/** e.g. "312 of 1,840 users an arm". */
export const progressText = (users: number, of: number): string =>
  t('{users} of {planned} an arm', { users: numberText(users), planned: countText(of, 'user') });

/** Improvements that may be worth finding, relative to the baseline. */
export const lifts = [5, 10, 20, 30, 50].map((percent) => ({ id: String(percent), name: `${percent} %` }));
/** A tenth needs more users than most CTAs have in a month. */
export const usualLift = '20';
