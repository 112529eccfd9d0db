import { asFault } from '../base/foreign-errors.ts';
import type { Host } from '../host/host.ts';
import { oncePerMinute } from '../base/log-interval.ts';
import { errorFields } from '../base/log.ts';
import { coreMetrics } from '../metrics/core-metrics.ts';
import type { Job } from '../module/module.ts';

/** The first requests take precedence over the first runs: the initial jobs together take 15 ms (docs/decisions/start.md). */
const firstPauseMs = 200;

/** Repeats a job, starting after a short pause. @returns a function that stops it and waits for a run in progress. */
export function repeat(job: Job, host: Host): () => Promise<void> {
  const sayOnce = oncePerMinute();
  const stopping = new AbortController();
  const loop = (async () => {
    await host.clock.wait(firstPauseMs, stopping.signal);
    while (!stopping.signal.aborted) {
      try {
        // A standby, or a server that was replaced, does no work of its own.
        if (!host.db.refusal()) await job.run(host, stopping.signal);
      } catch (error) {
        host.metrics.count(coreMetrics.jobFailures, [job.name]);
        sayOnce(asFault(error).code, () =>
          host.log.error('job_failed', { job: job.name, ...errorFields(error) }),
        );
      }
      await host.clock.wait(job.everyMs, stopping.signal);
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}
