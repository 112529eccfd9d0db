import { fail } from '../../base/errors.ts';

/** The memory for all incomplete bodies of the process. */
const budgetBytes = 64 * 1024 * 1024;
/** Bodies up to this size are always accepted: the number of connections bounds them. */
export const smallBody = 16 * 1024;
/** A body that has taken longer than this loses its place when another one needs it. */
const patienceMs = 3_000;

/** A place for a body that is being received. */
interface Place {
  /** Reserves more bytes. @throws Fault SERVER_BUSY when the budget is spent. */
  grow(bytes: number): void;
  /** Rejects when another body has taken the place. Never resolves. */
  readonly lost: Promise<never>;
  release(): void;
}

/**
 * Bounds the memory of bodies in transfer: 600 connections that each withheld the last byte of 1 MB took 735 MB (measured). When the budget
 * is spent, the oldest body loses its place if it has taken more than 3 s.
 */
export function bodyBudget(
  total = budgetBytes,
  now: () => number = () => performance.now(),
): { place(): Place; readonly used: number } {
  interface Held {
    readonly since: number;
    bytes: number;
    readonly give: (reason: Error) => void;
  }
  const places = new Set<Held>();
  let used = 0;

  const leave = (held: Held) => {
    if (places.delete(held)) used -= held.bytes;
  };
  const busy = () =>
    fail.SERVER_BUSY('Too many request bodies are being received at once.', {
      cause: 'bodies',
      retryAfter: 1,
    });

  return {
    get used() {
      return used;
    },
    place: () => {
      const { promise: lost, reject } = Promise.withResolvers<never>();
      lost.catch(() => {});
      const held: Held = { since: now(), bytes: 0, give: reject };
      places.add(held);
      return {
        lost,
        release: () => leave(held),
        grow: (bytes) => {
          if (!places.has(held)) throw busy();
          // A set keeps its order: the first element is the oldest.
          for (const oldest of places) {
            if (used + bytes <= total) break;
            if (oldest === held || now() - oldest.since < patienceMs) break;
            leave(oldest);
            oldest.give(busy());
          }
          if (used + bytes > total) {
            leave(held);
            throw busy();
          }
          used += bytes;
          held.bytes += bytes;
        },
      };
    },
  };
}
