import { Fault } from '../../base/errors.ts';
import { storageFault, tooManyConnections } from '../../base/foreign-errors.ts';
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
  /** Records that a server refused a connection for which the pool has room. Those that it has go on, so nothing fails: it is only slow. */
  refusedConnection(error: unknown): void;
  /** Records that servers take writes which the used one has replaced. */
  divided(used: string, behind: string): void;
  worked(): void;
}

/**
 * How long no failure may follow before the log says that the storage works again. On a full disk small writes still succeed between large
 * ones: a line for each would fill the rest of it, and say what is not so.
 */
const quietMs = 5_000;

/** @param now milliseconds of a clock that is never set. */
export function storageHealth(
  log: Log,
  recorder: Recorder,
  now: () => number = () => performance.now(),
): StorageHealth {
  let code: string | null = null;
  /** The failure after which the log has not said yet that the storage works again. */
  let last: { readonly code: string; readonly at: number } | null = null;
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
        last = { code, at: now() };
        sayOnce(`${thrown.code} ${word}`, () =>
          log.error('storage_failed', { code: word, remedy: thrown.tip }),
        );
      } else if (thrown.code === 'DATABASE_BUSY') {
        sayOnce(`${thrown.code} ${word}`, () => log.warn('database_busy', { cause: word }));
      }
      return thrown;
    },
    left: (why) => sayOnce(`left ${why}`, () => log.warn('database_connections_dropped', { cause: why })),
    refusedConnection: (error) => {
      const fault = storageFault(error);
      if (fault instanceof Fault && fault.causeWord === tooManyConnections)
        sayOnce(tooManyConnections, () => log.warn('database_connections_short', { remedy: fault.tip }));
    },
    divided: (used, behind) =>
      sayOnce(`divided ${behind}`, () =>
        log.error('database_several_writers', {
          used,
          behind,
          remedy:
            'Stop the one that is behind and make it a standby (pg_rewind or a new base backup): it takes writes that the other one ' +
            'does not have, also of processes that connected before.',
        }),
      ),
    // Does not reset the time of the log line: the same failure may return at the next large write.
    worked: () => {
      code = null;
      if (last === null || now() - last.at < quietMs) return;
      log.info('storage_works_again', { code: last.code });
      last = null;
    },
  };
}
