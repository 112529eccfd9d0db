import type { Log } from '../log.ts';
import { Fault } from '../errors.ts';

/** What the last write said of the storage. */
export interface StorageHealth {
  /** The code of the storage's failure, e.g. `sqlite_full`; null while writes succeed. */
  failing(): string | null;
  /** Takes note of a write that failed. @returns what was thrown, to be thrown on. */
  failed(thrown: unknown): unknown;
  worked(): void;
}

/** Every request meets a full disk: one line in so many milliseconds says it. */
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
    // The line is not allowed again here: on a full disk small writes still succeed between large ones.
    worked: () => void (code = null),
  };
}
