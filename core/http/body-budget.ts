import { fail } from '../errors.ts';

/** How much of bodies that have not arrived whole is kept in memory, for the whole process. */
const budgetBytes = 64 * 1024 * 1024;
/** Bodies of the usual size are always taken: what waits is bounded by the number of connections then. */
export const smallBody = 16 * 1024;
/** Whoever needs longer than this makes room for others when there is no room left. */
const patienceMs = 3_000;

/** A place for a body that is being received. */
interface Place {
  /** Asks for so many bytes more. @throws Fault SERVER_BUSY when there is no room. */
  grow(bytes: number): void;
  /** Rejects when the place was given to somebody else. Never resolves. */
  readonly lost: Promise<never>;
  release(): void;
}

/**
 * Bounds what bodies under way keep in memory: 600 connections that each hold back the last byte of 1 MB took 735 MB
 * (measured). When the budget is spent, the place of the body that has taken longest is given away, if it has had 3 s.
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
          // A place that was given away gets nothing back.
          if (!places.has(held)) throw busy();
          // A set keeps its order: the first one has waited longest.
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
