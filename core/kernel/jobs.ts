import { asFault } from '../base/foreign-errors.ts';
import type { Host } from '../host/host.ts';
import { oncePerMinute } from '../base/log-interval.ts';
import { errorFields } from '../base/log.ts';
import { coreMetrics } from '../metrics/core-metrics.ts';
import type { Job } from '../module/module.ts';

/** The first requests come before the first runs: the jobs of a start together take 15 ms (docs/decisions/start.md). */
const firstPauseMs = 200;

/** Repeats a job, for the first time after a short pause. @returns a function that stops it and waits for a run in progress. */
export function repeat(job: Job, host: Host): () => Promise<void> {
  const sayOnce = oncePerMinute();
  const stopping = new AbortController();
  const loop = (async () => {
    await pause(firstPauseMs, stopping.signal);
    while (!stopping.signal.aborted) {
      try {
        await job.run(host, stopping.signal);
      } catch (error) {
        host.metrics.count(coreMetrics.jobFailures, [job.name]);
        sayOnce(asFault(error).code, () =>
          host.log.error('job_failed', { job: job.name, ...errorFields(error) }),
        );
      }
      await pause(job.everyMs, stopping.signal);
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}

/** Waits for the time or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      clearTimeout(timer);
      // The signal lives as long as the server: a job of each second would leave 86,400 listeners a day.
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', over);
  });
}
