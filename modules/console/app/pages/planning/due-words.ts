import { t } from '../../texts/text.ts';

const dayMs = 86_400_000;

/** The start of a day in UTC, from a time or a day as records have it. */
const startOf = (time: number): number => Math.floor(time / dayMs) * dayMs;

/** How a due day stands to now: `overdue by 2 days`, `due today`, `due in 3 days`. */
export function dueWords(dueOn: string | null | undefined, now: number): string {
  if (dueOn === null || dueOn === undefined) return '';
  const days = (Date.parse(`${dueOn}T00:00:00Z`) - startOf(now)) / dayMs;
  const count = t('{days} day{value}', { days: Math.abs(days), value: Math.abs(days) === 1 ? '' : 's' });
  if (days === 0) return t('due today');
  return days < 0 ? t('overdue by {count}', { count }) : t('due in {count}', { count });
}
