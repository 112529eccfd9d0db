import { fail } from '../../base/errors.ts';
import type { PostgresLimits } from '../query/db.ts';

interface Wait {
  readonly since: number;
  readonly giveUp: (error: Error) => void;
}

/** PostgreSQL itself ends a statement at its limit. Its reply gets this much extra time to arrive. */
const graceMs = 1_000;
const lookEveryMs = 250;

/**
 * Bounds the wait for each reply, because PostgreSQL cannot end a statement when it is stopped, unreachable or behind a pooler. One timer
 * checks the oldest waits: a timer for each statement would cost more.
 * @param onSilence is called when there was no reply at all within the limit.
 */
export function answerWatch({ statementMs }: PostgresLimits, onSilence: () => void) {
  const limitMs = statementMs + graceMs;
  // Ordered by start time.
  const waits = new Set<Wait>();
  let answeredAt = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  const look = () => {
    const now = performance.now();
    const [oldest] = waits;
    if (!oldest) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    if (now - oldest.since < limitMs) return;
    const silent = now - answeredAt >= limitMs;
    for (const wait of waits) {
      if (now - wait.since < limitMs) break;
      waits.delete(wait);
      wait.giveUp(
        fail.DATABASE_BUSY(`The database did not answer within ${Math.round(limitMs / 1000)} seconds.`, {
          cause: 'no_answer',
          retryAfter: 1,
        }),
      );
    }
    if (silent) onSilence();
  };

  return {
    /** The reply. @throws Fault DATABASE_BUSY when it does not arrive in time. */
    answer: <T>(answer: PromiseLike<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const wait = { since: performance.now(), giveUp: reject };
        waits.add(wait);
        timer ??= setInterval(look, lookEveryMs);
        const ended = () => {
          answeredAt = performance.now();
          waits.delete(wait);
        };
        answer.then(
          (value) => {
            ended();
            return resolve(value);
          },
          (error: unknown) => {
            ended();
            return reject(error instanceof Error ? error : new Error(String(error)));
          },
        );
      }),
  };
}
