import { perHost, type Host } from '../host/host.ts';
import { coreMetrics } from '../metrics/core-metrics.ts';
import type { Counted } from '../metrics/recorder.ts';
import type { Surface } from '../base/write-entry.ts';

/** The time series of one operation. They are looked up once: to find them by their labels takes a microsecond of each call. */
interface OperationSeries {
  readonly seconds: Counted;
  /** By surface and code. */
  readonly calls: Map<string, Counted>;
}

const seriesByName = perHost(() => new Map<string, OperationSeries>());

/** Counts a call of an operation. */
export function noteCall(
  host: Host,
  { name }: { readonly name: string },
  surface: Surface,
  { code, seconds }: { readonly code: string; readonly seconds: number },
): void {
  const { metrics } = host;
  const known = seriesByName(host);
  let series = known.get(name);
  if (!series) {
    series = { seconds: metrics.series(coreMetrics.operationSeconds, [name]), calls: new Map() };
    known.set(name, series);
  }
  series.seconds.add(seconds);
  const key = `${surface} ${code}`;
  let calls = series.calls.get(key);
  if (!calls) series.calls.set(key, (calls = metrics.series(coreMetrics.operations, [name, surface, code])));
  calls.add(1);
}
