import { fail } from '../../base/errors.ts';
import type { PostgresLimits } from '../query/db.ts';

/**
 * Admits as many transactions as there are connections for them, first in, first out. Some connections are reserved for reads: writers that
 * wait for a lock must not block readers.
 */
export function turnstile({ connections, poolMs }: PostgresLimits) {
  const keptForReads = connections >= 4 ? 2 : connections > 1 ? 1 : 0;
  let free = connections - keptForReads;
  const waiting = new Set<() => void>();

  const leaveOnce = () => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else free++;
    };
  };
  return {
    /** The number of waiting transactions. */
    waiting: () => waiting.size,
    enter: (): Promise<() => void> => {
      if (free > 0) {
        free--;
        return Promise.resolve(leaveOnce());
      }
      return new Promise((resolve, reject) => {
        const admit = () => {
          clearTimeout(timer);
          resolve(leaveOnce());
        };
        const timer = setTimeout(() => {
          waiting.delete(admit);
          reject(
            fail.DATABASE_BUSY('All connections to the database are in use; nothing was written.', {
              cause: 'pool_timeout',
              retryAfter: 1,
            }),
          );
        }, poolMs);
        waiting.add(admit);
      });
    },
  };
}
