import { Fault } from '../../base/errors.ts';
import { oncePerMinute } from '../../base/log-interval.ts';
import type { Log } from '../../base/log.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import type { Recorder } from '../../metrics/recorder.ts';

/** Whether the storage works. */
export interface StorageHealth {
  /** The code of the storage failure, e.g. `sqlite_full`; null while writes succeed. */
  failing(): string | null;
  /** Records a failure. @returns the error, to be rethrown. */
  failed(thrown: unknown): unknown;
  /** Records that all connections to a server were given up. */
  left(why: string): void;
  worked(): void;
}

export function storageHealth(log: Log, recorder: Recorder): StorageHealth {
  let code: string | null = null;
  const sayOnce = oncePerMinute();

  return {
    failing: () => code,
    failed: (thrown) => {
      if (!(thrown instanceof Fault)) return thrown;
      const word = thrown.causeWord ?? 'unknown';
      if (thrown.code === 'STORAGE_FAILED' || thrown.code === 'DATABASE_BUSY')
        recorder.count(coreMetrics.storageFailures, [word]);
      if (thrown.code === 'STORAGE_FAILED') {
        code = word;
        sayOnce(`${thrown.code} ${word}`, () =>
          log.error('storage_failed', { code: word, remedy: thrown.tip }),
        );
      } else if (thrown.code === 'DATABASE_BUSY') {
        sayOnce(`${thrown.code} ${word}`, () => log.warn('database_busy', { cause: word }));
      }
      return thrown;
    },
    left: (why) => sayOnce(`left ${why}`, () => log.warn('database_connections_dropped', { cause: why })),
    // Does not reset the time of the log line: on a full disk small writes still succeed between large ones.
    worked: () => {
      if (code !== null) log.info('storage_works_again', { code });
      code = null;
    },
  };
}
