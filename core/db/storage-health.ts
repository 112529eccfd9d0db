import { Fault } from '../errors.ts';
import type { Log } from '../log.ts';

/** Whether the last write succeeded. */
export interface StorageHealth {
  /** The code of the storage failure, e.g. `sqlite_full`; null while writes succeed. */
  failing(): string | null;
  /** Notes a failed write. @returns what was thrown, to be thrown again. */
  failed(thrown: unknown): unknown;
  worked(): void;
}

/** On a full disk every request fails: it is logged once in this time. */
const lineEveryMs = 60_000;

export function storageHealth(log: Log): StorageHealth {
  let code: string | null = null;
  let saidAt = -Infinity;
  return {
    failing: () => code,
    failed: (thrown) => {
      if (!(thrown instanceof Fault) || thrown.code !== 'STORAGE_FAILED') return thrown;
      code = thrown.causeWord ?? 'unknown';
      if (performance.now() - saidAt >= lineEveryMs) {
        saidAt = performance.now();
        log.error('storage_failed', { code, remedy: thrown.tip });
      }
      return thrown;
    },
    // Does not reset the time of the line: on a full disk small writes still succeed between large ones.
    worked: () => void (code = null),
  };
}
