import { countText } from '../../design/amount.ts';
import { t } from '../../texts/text.ts';

const dayMs = 86_400_000;

/** The day of a time on the reader's calendar, as midnight UTC: at five in the afternoon in California a day that ends today is not over. */
function readersDay(time: number): number {
  const at = new Date(time);
  return Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
}

/** How a due day stands to now: `overdue by 2 days`, `due today`, `due in 3 days`. */
export function dueWords(dueOn: string | null | undefined, now: number): string {
  if (dueOn === null || dueOn === undefined) return '';
  const days = (Date.parse(`${dueOn}T00:00:00Z`) - readersDay(now)) / dayMs;
  const count = countText(Math.abs(days), 'day');
  if (days === 0) return t('due today');
  return days < 0 ? t('overdue by {count}', { count }) : t('due in {count}', { count });
}
