import type { CountedProcesses } from '../../http/server/metrics-routes.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import type { ProcessSnapshot } from '../../metrics/exposition.ts';
import type { MetricSnapshot } from '../../metrics/recorder.ts';

/*
 * Metrics with --processes: each worker counts for itself, and the supervisor collects the counts from all workers at each scrape of
 * --metrics-listen, and on request of a worker that was scraped. A worker that does not reply in time is reported as missing, so a partial
 * scrape never looks complete.
 */

/** The time limit of a worker: one that is blocked for longer cannot serve its clients either. */
const patienceMs = 2_000;

type Message =
  /** The supervisor's request for the counts of a worker, and the worker's reply. */
  | { readonly counts: number; readonly metrics?: readonly MetricSnapshot[] }
  /** A worker's request for the counts of all workers, and the supervisor's reply. */
  | { readonly gather: number; readonly processes?: readonly ProcessSnapshot[] };

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && ('counts' in message || 'gather' in message);

/** A running worker, as its supervisor sees it. */
interface AskedWorker {
  /** The number of the worker, from 1 to --processes. A restarted worker keeps the number. */
  readonly place: number;
  send(message: unknown): void;
}

/** Requests that wait for a reply. */
function questions<T>(limitMs: number) {
  const open = new Map<number, (answer: T | undefined) => void>();
  let last = 0;
  return {
    ask: (send: (id: number) => void): Promise<T | undefined> =>
      new Promise((resolve) => {
        const id = ++last;
        const timer = setTimeout(() => settle(undefined), limitMs);
        const settle = (answer: T | undefined) => {
          clearTimeout(timer);
          open.delete(id);
          resolve(answer);
        };
        open.set(id, settle);
        try {
          send(id);
        } catch {
          // It has just ended.
          settle(undefined);
        }
      }),
    answered: (id: number, answer: T) => open.get(id)?.(answer),
  };
}

/** The supervisor's side. */
export function gatherer(workers: () => readonly AskedWorker[], places: number) {
  const asked = questions<readonly MetricSnapshot[]>(patienceMs);
  const gather: CountedProcesses = async () => {
    const running = new Map(workers().map((worker) => [worker.place, worker]));
    return Promise.all(
      Array.from({ length: places }, async (_, index) => {
        const worker = running.get(index + 1);
        const metrics = worker && (await asked.ask((id) => worker.send({ counts: id } satisfies Message)));
        const up = { ...coreMetrics.workerUp, series: [{ labels: [], value: metrics ? 1 : 0 }] };
        return { worker: String(index + 1), metrics: [...(metrics ?? []), up] };
      }),
    );
  };
  return {
    gather,
    /** Handles a message of a worker. */
    heard: (message: unknown, from: AskedWorker): void => {
      if (!isMessage(message)) return;
      if ('counts' in message) asked.answered(message.counts, message.metrics ?? []);
      else {
        const { gather: id } = message;
        // The worker may end before all have replied.
        gather()
          .then((processes) => from.send({ gather: id, processes } satisfies Message))
          .catch(() => {});
      }
    },
  };
}

/** The worker's side: replies to its supervisor. @returns the counts of all workers. */
export function countsOfAll(own: () => Promise<readonly MetricSnapshot[]>): CountedProcesses {
  const asked = questions<readonly ProcessSnapshot[]>(2 * patienceMs);
  process.on('message', (message: unknown) => {
    if (!isMessage(message)) return;
    if ('gather' in message) asked.answered(message.gather, message.processes ?? []);
    else {
      const { counts } = message;
      own()
        .then((metrics) => process.send?.({ counts, metrics } satisfies Message))
        .catch(() => {});
    }
  });
  return async () => {
    const all = await asked.ask((id) => process.send?.({ gather: id } satisfies Message));
    if (!all) throw new Error('the supervisor did not answer');
    return all;
  };
}
