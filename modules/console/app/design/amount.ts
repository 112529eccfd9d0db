import { locale, pluralText } from '../texts/text.ts';

const number = new Intl.NumberFormat(locale());

/** e.g. "50,000". The one form of a number that a person reads. */
export const numberText = (count: number): string => number.format(count);

/** e.g. "1 test", "50,000 tests". @param several unless it is `one` with an s. */
export const countText = (count: number, one: string, several = `${one}s`): string =>
  pluralText(count, one)?.replace('#', numberText(count)) ??
  `${numberText(count)} ${count === 1 ? one : several}`;

/** e.g. "1 test was imported", "2 tests were imported". */
export const doneText = (count: number, one: string, done: string): string =>
  pluralText(count, `${one} was ${done}`)?.replace('#', numberText(count)) ??
  `${countText(count, one)} ${count === 1 ? 'was' : 'were'} ${done}`;

/** A share of 0 to 100 in whole percent, e.g. "42 %". "0 %" and "100 %" mean none and all: 99.6 is "99 %". */
export function percentText(share: number): string {
  const whole = Math.round(share);
  return `${share < 100 && whole === 100 ? 99 : share > 0 && whole === 0 ? 1 : whole} %`;
}

/** e.g. "42 %" for 5 of 12. */
export const shareText = (part: number, whole: number): string =>
  percentText(whole === 0 ? 0 : (part / whole) * 100);
