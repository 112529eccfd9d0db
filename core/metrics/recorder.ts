import type { Counter, Gauge, Histogram, LabelValues, Metric } from './metric.ts';

/** The counters of a process. Commands, and MCP on stdio, record nothing. */
export interface Recorder {
  /** One time series, looked up once, for events of every request. */
  series<L extends readonly string[]>(metric: Counter<L> | Histogram<L>, labels: LabelValues<L>): Counted;
  /** @example recorder.count(refusals, ['RATE_LIMITED']); */
  count<L extends readonly string[]>(metric: Counter<L>, labels: LabelValues<L>, by?: number): void;
  observe<L extends readonly string[]>(metric: Histogram<L>, labels: LabelValues<L>, value: number): void;
  /** Reads the current values at each scrape, so that a mere state costs nothing in between. */
  read<L extends readonly string[]>(
    metric: Gauge<L> | Counter<L>,
    values: () => Iterable<readonly [LabelValues<L>, number]>,
  ): void;
}

export interface Counted {
  /** Adds to a counter, or observes a value of a histogram. */
  add(value: number): void;
}

/** One time series, or the sums of one histogram, as plain data: workers send it to their supervisor. */
interface Series {
  readonly labels: readonly string[];
  /** For a counter or gauge. */
  readonly value: number;
  /** For a histogram: observations by bucket, the last one above all bounds. */
  readonly counts?: readonly number[];
}

/** The current values of a metric. */
export interface MetricSnapshot extends Metric {
  readonly series: readonly Series[];
}

const nothing = () => {};

export const silent: Recorder = {
  series: () => ({ add: nothing }),
  count: nothing,
  observe: nothing,
  read: nothing,
};

export interface CountingRecorder extends Recorder {
  snapshot(): readonly MetricSnapshot[];
}

/** Counts in memory, by metric and the values of its labels (docs/decisions/monitoring.md explains why no library is used). */
export function recorder(): CountingRecorder {
  const known = new Map<Metric, Map<string, Series & Counted>>();
  const readers: Array<() => MetricSnapshot> = [];

  const seriesOf = (metric: Metric, labels: readonly string[]): Series & Counted => {
    let all = known.get(metric);
    if (!all) known.set(metric, (all = new Map<string, Series & Counted>()));
    const key = labels.length === 1 ? (labels[0] ?? '') : labels.join('\n');
    let series = all.get(key);
    if (!series) all.set(key, (series = metric.buckets ? observed(labels, metric.buckets) : counted(labels)));
    return series;
  };

  return {
    series: (metric, labels) => seriesOf(metric, labels as readonly string[]),
    count: (metric, labels, by = 1) => seriesOf(metric, labels as readonly string[]).add(by),
    observe: (metric, labels, value) => seriesOf(metric, labels as readonly string[]).add(value),
    read: (metric, values) =>
      void readers.push(() => ({
        ...metric,
        series: [...values()].map(([labels, value]) => ({
          labels: [...(labels as readonly string[])],
          value,
        })),
      })),
    snapshot: () => [
      ...[...known].map(([metric, all]) => ({ ...metric, series: [...all.values()].map(plain) })),
      ...readers.map((read) => read()),
    ],
  };
}

function counted(labels: readonly string[]): Series & Counted {
  const series = {
    labels: [...labels],
    value: 0,
    add: (by: number) => void (series.value += by),
  };
  return series;
}

function observed(labels: readonly string[], buckets: readonly number[]): Series & Counted {
  const counts = Array<number>(buckets.length + 1).fill(0);
  const series = {
    labels: [...labels],
    value: 0,
    counts,
    add: (value: number) => {
      series.value += value;
      let at = 0;
      while (at < buckets.length && value > (buckets[at] ?? 0)) at++;
      counts[at] = (counts[at] ?? 0) + 1;
    },
  };
  return series;
}

const plain = ({ labels, value, counts }: Series): Series => ({
  labels,
  value,
  ...(counts && { counts: [...counts] }),
});
