import type { Output } from '../../api/calls.ts';
import { t } from '../../texts/text.ts';

type Item = Output<'get-cta-metrics'>['items'][number];

/** The figures of one day, and the one that is drawn. */
export interface FigurePoint extends Item {
  readonly at: number;
  readonly value: number;
}

/** What is drawn of the days: impressions, or actions where the app reports none. */
export function chartOf(items: readonly Item[]) {
  const isSeen = items.some(({ impressions }) => impressions > 0);
  const points: readonly FigurePoint[] = items.map((item) => ({
    ...item,
    at: item.at ?? 0,
    value: isSeen ? item.impressions : item.actions,
  }));
  const data = [points.map(({ at }) => at / 1_000), points.map(({ value }) => value)] as const;
  return { points, data, figure: isSeen ? t('Impressions') : t('Actions') };
}
