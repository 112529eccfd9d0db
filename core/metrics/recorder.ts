import type { Counter, Gauge, Histogram, LabelValues, Metric } from './metric.ts';

/** Where a process counts. A command, and MCP on stdio, record nothing. */
export interface Recorder {
  /** @example recorder.count(refusals, ['RATE_LIMITED']); */
  count<L extends readonly string[]>(metric: Counter<L>, labels: LabelValues<L>, by?: number): void;
  observe<L extends readonly string[]>(metric: Histogram<L>, labels: LabelValues<L>, value: number): void;
  /** Reads the present values at each scrape, so that what is only a state costs nothing between. */
  read<L extends readonly string[]>(
    metric: Gauge<L> | Counter<L>,
    values: () => Iterable<readonly [LabelValues<L>, number]>,
  ): void;
}

/** One time series, or the sums of one histogram, as plain data: workers send it to their supervisor. */
interface Series {
  readonly labels: readonly string[];
  /** Of a counter or gauge. */
  value: number;
  /** Of a histogram: observations by bucket, the last one above all bounds. */
  counts?: number[];
}

/** The present values of a metric. */
export interface MetricSnapshot extends Metric {
  readonly series: readonly Series[];
}

const nothing = () => {};

export const silent: Recorder = { count: nothing, observe: nothing, read: nothing };

export interface Counts extends Recorder {
  snapshot(): readonly MetricSnapshot[];
}

/**
 * Counts in memory, by metric and the values of its labels. prom-client is not loaded for it: its own counters sort and hash their
 * labels at each use, which costs five times as much (docs/decisions/monitoring.md).
 */
export function recorder(): Counts {
  const known = new Map<Metric, Map<string, Series>>();
  const readers: Array<() => MetricSnapshot> = [];

  const seriesOf = (metric: Metric, labels: readonly string[]): Series => {
    let all = known.get(metric);
    if (!all) known.set(metric, (all = new Map<string, Series>()));
    const key = labels.length === 1 ? (labels[0] ?? '') : labels.join('\n');
    let series = all.get(key);
    if (!series) {
      series = { labels: [...labels], value: 0 };
      if (metric.buckets) series.counts = Array<number>(metric.buckets.length + 1).fill(0);
      all.set(key, series);
    }
    return series;
  };

  return {
    count: (metric, labels, by = 1) => void (seriesOf(metric, labels as readonly string[]).value += by),
    observe: (metric, labels, value) => {
      const series = seriesOf(metric, labels as readonly string[]);
      series.value += value;
      const { buckets } = metric;
      let at = 0;
      while (at < buckets.length && value > (buckets[at] ?? 0)) at++;
      if (series.counts) series.counts[at] = (series.counts[at] ?? 0) + 1;
    },
    read: (metric, values) =>
      void readers.push(() => ({
        ...metric,
        series: [...values()].map(([labels, value]) => ({
          labels: [...(labels as readonly string[])],
          value,
        })),
      })),
    snapshot: () => [
      ...[...known].map(([metric, all]) => ({ ...metric, series: [...all.values()] })),
      ...readers.map((read) => read()),
    ],
  };
}
