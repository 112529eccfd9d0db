import type { Output } from '../../api/calls.ts';
import { t } from '../../texts/text.ts';

type Item = Output<'get-cta-metrics'>['items'][number];

/** The figures of one day, and the one that is drawn. */
export interface FigurePoint extends Item {
  readonly at: number;
  readonly value: number;
}

const dayMs = 86_400_000;
const nothing = { impressions: 0, clicks: 0, dismissals: 0, held: 0, custom: 0, actions: 0, completions: 0 };

/**
 * The days with those at the ends of each gap: a day without figures is absent, and a line from one to the next would say that there were
 * some between. Only the ends, because the clock of a device may be years behind.
 */
function withGaps(items: readonly Item[]): readonly Item[] {
  return items.flatMap((item, index) => {
    const at = item.at ?? 0;
    const before = items[index - 1]?.at ?? at;
    const days = Math.round((at - before) / dayMs);
    const ends = days < 2 ? [] : days === 2 ? [before + dayMs] : [before + dayMs, at - dayMs];
    return [...ends.map((end) => ({ ...nothing, at: end })), item];
  });
}

/** What is drawn of the days: impressions, or actions where the app reports none. */
export function chartOf(items: readonly Item[]) {
  const isSeen = items.some(({ impressions }) => impressions > 0);
  const points: readonly FigurePoint[] = withGaps(items).map((item) => ({
    ...item,
    at: item.at ?? 0,
    value: isSeen ? item.impressions : item.actions,
  }));
  const data = [points.map(({ at }) => at / 1_000), points.map(({ value }) => value)] as const;
  return { points, data, figure: isSeen ? t('Impressions') : t('Actions') };
}
