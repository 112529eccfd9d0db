import type { MetricSnapshot } from './recorder.ts';

/** The counts of one process. */
export interface ProcessSnapshot {
  /** The number of the worker; absent for a server of one process. */
  readonly worker?: string;
  readonly metrics: readonly MetricSnapshot[];
}

interface Exposed {
  readonly contentType: string;
  readonly text: string;
}

/**
 * The text of a scrape: OpenMetrics, or the older text format for a client that accepts only that. Values of several processes are kept
 * separate by the label `worker`: a sum would decrease when one of them restarts, which breaks a rate.
 */
export function exposition(processes: readonly ProcessSnapshot[], accept: string | null): Exposed {
  const older = accept?.includes('text/plain') === true && !accept.includes('application/openmetrics-text');
  const byName = Map.groupBy(
    processes.flatMap(({ worker, metrics }) => metrics.map((metric) => ({ metric, worker }))),
    ({ metric }) => metric.name,
  );
  const blocks = [...byName].flatMap(([name, found]) => {
    const [first] = found;
    if (!first) return [];
    const { type, help } = first.metric;
    // OpenMetrics names a counter family without the suffix of its samples.
    const family = older || type !== 'counter' ? name : name.replace(/_total$/, '');
    const samples = found.flatMap(({ metric, worker }) => samplesOf(metric, worker));
    return [`# HELP ${family} ${escaped(help)}`, `# TYPE ${family} ${type}`, ...samples];
  });
  const lines = older ? blocks : [...blocks, '# EOF'];
  return { contentType: contentTypes[older ? 'older' : 'openMetrics'], text: `${lines.join('\n')}\n` };
}

const contentTypes = {
  older: 'text/plain; version=0.0.4; charset=utf-8',
  openMetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

/** The lines of a metric. A histogram has cumulative buckets, a sum and a count. */
function samplesOf(metric: MetricSnapshot, worker: string | undefined): readonly string[] {
  const sample = (end: string, labels: ReadonlyArray<readonly [string, string]>, value: number) => {
    const text = labels.map(([name, of]) => `${name}="${escaped(of).replaceAll('"', '\\"')}"`).join(',');
    return `${metric.name}${end}${text === '' ? '' : `{${text}}`} ${shownNumber(value)}`;
  };
  return metric.series.flatMap(({ labels: given, value, counts }) => {
    const own = metric.labels.map((name, at) => [name, given[at] ?? ''] as const);
    const labels = worker === undefined ? own : [['worker', worker] as const, ...own];
    if (!counts) return [sample('', labels, value)];
    let sum = 0;
    const buckets = counts.map((count, at) => {
      sum += count;
      const bound = metric.buckets?.[at];
      return sample('_bucket', [...labels, ['le', bound === undefined ? '+Inf' : String(bound)]], sum);
    });
    return [...buckets, sample('_sum', labels, value), sample('_count', labels, sum)];
  });
}

const shownNumber = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
