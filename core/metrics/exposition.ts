import Registry from 'prom-client/lib/registry.js';
import type { MetricSnapshot } from './recorder.ts';

/** What one process has counted. */
export interface ProcessSnapshot {
  /** The number of the worker; none for a server of one process. */
  readonly worker?: string;
  readonly metrics: readonly MetricSnapshot[];
}

interface Exposed {
  readonly contentType: string;
  readonly text: string;
}

/**
 * The text of a scrape: OpenMetrics, or the older text format for a client that accepts only that. Values of several processes stand
 * beside each other, told apart by the label `worker`: a sum would go back when one of them starts again, and a rate over that is wrong.
 */
export async function exposition(
  processes: readonly ProcessSnapshot[],
  accept: string | null,
): Promise<Exposed> {
  const older = accept?.includes('text/plain') === true && !accept.includes('application/openmetrics-text');
  const registry = new Registry(older ? Registry.PROMETHEUS_CONTENT_TYPE : Registry.OPENMETRICS_CONTENT_TYPE);
  const byName = Map.groupBy(
    processes.flatMap(({ worker, metrics }) => metrics.map((metric) => ({ metric, worker }))),
    ({ metric }) => metric.name,
  );
  for (const [name, found] of byName) {
    const [first] = found;
    if (!first) continue;
    const { type, help } = first.metric;
    const values = found.flatMap(({ metric, worker }) => valuesOf(metric, worker));
    registry.registerMetric({
      name,
      type,
      get(this: { readonly name: string }) {
        return Promise.resolve({ name: this.name, help, type, values });
      },
    });
  }
  return { contentType: registry.contentType, text: await registry.metrics() };
}

function valuesOf(metric: MetricSnapshot, worker: string | undefined) {
  return metric.series.flatMap(({ labels: given, value, counts }) => {
    const labels: Record<string, string | number> = worker === undefined ? {} : { worker };
    for (const [i, name] of metric.labels.entries()) labels[name] = given[i] ?? '';
    if (!counts) return [{ labels, value }];
    let sum = 0;
    const buckets = counts.map((count, i) => {
      sum += count;
      const le = metric.buckets?.[i];
      return {
        metricName: `${metric.name}_bucket`,
        labels: { ...labels, le: le === undefined ? '+Inf' : String(le) },
        value: sum,
      };
    });
    return [
      ...buckets,
      { metricName: `${metric.name}_sum`, labels, value },
      { metricName: `${metric.name}_count`, labels, value: sum },
    ];
  });
}
