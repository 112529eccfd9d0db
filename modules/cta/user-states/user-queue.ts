import { fail } from '../base/errors.ts';

/** The most requests of one user that may wait. Real apps send one at a time; bursts come from retries and loops. */
const maxWaiting = 100;

/**
 * Runs the requests of one user one after the other: otherwise concurrent ones would all read the same state, and all but one would have to
 * repeat their work.
 */
export class UserQueue {
  private readonly queues = new Map<string, { tail: Promise<unknown>; waiting: number }>();

  /** @throws Fault RATE_LIMITED when too many wait; what `work` throws. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? { tail: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= maxWaiting) {
      throw fail.RATE_LIMITED(`More than ${maxWaiting} requests of this user are waiting.`, {
        retryAfter: 1,
      });
    }
    this.queues.set(key, queue);
    queue.waiting++;
    const done = queue.waiting === 1 ? work() : queue.tail.then(work);
    queue.tail = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      queue.waiting--;
      if (queue.waiting === 0) this.queues.delete(key);
    }
  }
}
