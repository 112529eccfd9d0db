import { locale, t } from '../texts/text.ts';

const units = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
// In numbers: 30 hours from Friday evening is not "tomorrow", and 35 days before March not "last month".
const relative = new Intl.RelativeTimeFormat(locale(), { numeric: 'always' });
const whole = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' });

/** e.g. "3 days ago". @param at ISO time or epoch ms. @param now epoch ms. */
export function agoText(at: string | number, now: number): string {
  const away = new Date(at).getTime() - now;
  for (const [unit, ms] of units)
    if (Math.abs(away) >= ms) return relative.format(Math.round(away / ms), unit);
  return t('just now');
}

/** e.g. "23 Nov 2026, 10:15". */
export const timeText = (at: string | number): string => whole.format(new Date(at));

const day = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' });

/** The day (UTC) of a time, e.g. "23 Nov 2026". @param at ISO time or day, or epoch ms. */
export const dayText = (at: string | number): string => day.format(new Date(at));

/** A relative time, with the exact one on hover. Nothing for null. */
export const Time = ({ at }: { readonly at: string | number | null | undefined }) =>
  at === null || at === undefined ? (
    <>–</>
  ) : (
    <time dateTime={new Date(at).toISOString()} title={timeText(at)}>
      {agoText(at, Date.now())}
    </time>
  );
