import { isCalendarDay } from '../../../../core/base/calendar-day.ts';

/** A moment or a span of time named in a query: epoch milliseconds, `until` excluded. */
interface TimeSpan {
  readonly from: number;
  /** Equal to `from` for a moment. */
  readonly until: number;
}

const day = 86_400_000;
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: day, w: 7 * day };

const relative = /^(\d{1,5})([mhdw])$/;
const date = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The possible forms of a time, for error messages. */
export const timeForms =
  'a date as 2026-11-01, a time as 2026-11-01T09:00Z, or how long ago as 7d, 24h or 2w';

/**
 * `2026-11-01` is that day in UTC, `2026-11-01T09:00Z` a moment, and `7d` the moment seven days ago.
 * @returns null for any other text.
 */
export function timeSpan(text: string, now: number): TimeSpan | null {
  const ago = relative.exec(text);
  if (!ago) return calendarSpan(text);
  const at = now - Number(ago[1]) * (units[ago[2] ?? ''] ?? 0);
  return { from: at, until: at };
}

/** Like {@link timeSpan}, for what is not relative to now. */
export function calendarSpan(text: string): TimeSpan | null {
  const isDay = date.test(text);
  const isTime = (isDay || instant.test(text)) && isCalendarDay(text.slice(0, 10));
  const from = isTime ? Date.parse(text) : Number.NaN;
  return Number.isNaN(from) ? null : { from, until: isDay ? from + day : from };
}

/** The possible forms of a time as of which something is asked. */
export const asOfForms = 'a date as 2026-11-01 (its end), a time as 2026-11-01T09:00Z, or how long ago as 7d';

/**
 * The moment as of which a text asks, in epoch milliseconds: a date means the end of that day in UTC.
 * @returns null for any other text.
 */
export function asOfTime(text: string, now: number): number | null {
  const span = timeSpan(text, now);
  return span && (span.until > span.from ? span.until - 1 : span.from);
}

const microseconds: Readonly<Record<string, number>> = { ms: 1_000, s: 1e6, m: 6e7, min: 6e7, h: 3.6e9 };

/** The possible forms of a duration, for error messages. */
export const durationForms = 'a duration as 200ms, 2s or 1.5m';

/** A duration in microseconds; without a unit it is in seconds. Null if it is invalid. */
export function durationOf(text: string): number | null {
  const [, number = '', unit = 's'] = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|min|m|h)?$/i.exec(text) ?? [];
  return number === '' ? null : Math.round(Number(number) * (microseconds[unit.toLowerCase()] ?? 0));
}

/** Whether a time is relative to now. Used alone, it means: since then. */
export const isRelativeTime = (text: string): boolean => relative.test(text);
