// The registry of prom-client without the rest of the package: its main file loads node:cluster and node:perf_hooks, 40 ms.
declare module 'prom-client/lib/registry.js' {
  interface Value {
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
  }
  interface RegisteredMetric {
    /** In OpenMetrics the registry takes `_total` from the name of a counter. */
    name: string;
    readonly type: string;
    get(): Promise<{
      readonly name: string;
      readonly help: string;
      readonly type: string;
      readonly values: readonly Value[];
    }>;
  }
  export default class Registry {
    static readonly PROMETHEUS_CONTENT_TYPE: string;
    static readonly OPENMETRICS_CONTENT_TYPE: string;
    constructor(contentType: string);
    readonly contentType: string;
    registerMetric(metric: RegisteredMetric): void;
    metrics(): Promise<string>;
  }
}
