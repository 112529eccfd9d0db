/**
 * A metric: declared once, with everything that a scrape shows about it. Labels have few values, known in advance (a route pattern, the
 * name of an operation, an error code): each path, id or tenant would be a time series of its own.
 */
export interface Metric<L extends readonly string[] = readonly string[]> {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: L;
  /** For a histogram: the upper bounds, ascending. */
  readonly buckets?: readonly number[];
}

export interface Counter<L extends readonly string[] = readonly string[]> extends Metric<L> {
  readonly type: 'counter';
}

export interface Gauge<L extends readonly string[] = readonly string[]> extends Metric<L> {
  readonly type: 'gauge';
}

export interface Histogram<L extends readonly string[] = readonly string[]> extends Metric<L> {
  readonly type: 'histogram';
  readonly buckets: readonly number[];
}

/** The metrics of a part, by a short name. */
export type MetricTable = Readonly<Record<string, Metric>>;

/** The values of the labels, in the order of their names. */
export type LabelValues<L extends readonly string[]> = { readonly [K in keyof L]: string };

/** @example const notes = counter('trivet_notes_total', 'Notes that were added.', ['color']); */
export const counter = <const L extends readonly string[]>(
  name: string,
  help: string,
  labels: L,
): Counter<L> => ({ name, type: 'counter', help, labels });

/** @example const waiting = gauge('trivet_notes_waiting', 'Notes that wait.', []); */
export const gauge = <const L extends readonly string[]>(
  name: string,
  help: string,
  labels: L,
): Gauge<L> => ({
  name,
  type: 'gauge',
  help,
  labels,
});

/** @example const seconds = histogram('trivet_note_seconds', 'Seconds that a note takes.', [], [0.1, 1, 10]); */
export const histogram = <const L extends readonly string[]>(
  name: string,
  help: string,
  labels: L,
  buckets: readonly number[],
): Histogram<L> => ({ name, type: 'histogram', help, labels, buckets });

/** Seconds: from a response out of memory to the longest wait of a request. */
export const seconds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
