import type { Clock } from '../clock.ts';
import { fail } from '../errors.ts';
import { exchangeOf, type Rate } from './exchange.ts';

/** Counts what each key does in a minute. */
interface RateLimit {
  /** What is counted, one word: the cause of a refusal. */
  readonly name: string;
  /** Counts one. null: there is no limit. */
  take(key: string): Rate | null;
  /** What the next {@link take} would find, without counting. */
  peek(key: string): Rate | null;
}

const minute = 60_000;
/** Bounds memory (about 10 MB): somebody with a million addresses makes others forgotten, no more. */
const maximumKeys = 100_000;

/**
 * A limit a minute, in windows that begin with a key's first use. In memory and per process: several processes on one
 * database allow that many times more, since a shared counter would cost every request a write.
 * @param limit how many a minute; 0: no limit.
 */
export function rateLimit(
  name: string,
  limit: number,
  clock: Clock,
  { keys = maximumKeys }: { readonly keys?: number } = {},
): RateLimit {
  const windows = new Map<string, { since: number; used: number }>();

  const current = (key: string, now: number) => {
    const known = windows.get(key);
    // A clock that was set back must not keep a window open for as long as it was set back by.
    const over = known === undefined || now - known.since >= minute || now < known.since;
    return over ? undefined : known;
  };
  const rate = (window: { since: number; used: number }, now: number): Rate => ({
    limit,
    remaining: Math.max(0, limit - window.used),
    resetMs: window.since + minute - now,
    exceeded: window.used > limit,
  });

  return {
    name,
    peek: (key) => {
      if (limit === 0) return null;
      const now = clock.now();
      const { since, used } = current(key, now) ?? { since: now, used: 0 };
      return rate({ since, used: used + 1 }, now);
    },
    take: (key) => {
      if (limit === 0) return null;
      const now = clock.now();
      const known = current(key, now);
      if (known) {
        known.used++;
        return rate(known, now);
      }
      const begun = { since: now, used: 1 };
      // Deleted first, so that the map stays in the order in which windows began: the first key is the oldest.
      windows.delete(key);
      windows.set(key, begun);
      if (windows.size > keys) windows.delete(windows.keys().next().value ?? key);
      return rate(begun, now);
    },
  };
}

/**
 * Counts a request and remembers what is left for the headers of its answer (`RateLimit-Limit`, `-Remaining`, `-Reset`).
 * @throws Fault RATE_LIMITED with the seconds to wait.
 */
export function admit(request: Request, limit: RateLimit, key: string): void {
  judge(request, limit, limit.take(key));
}

/** As {@link admit}, without counting: what is counted will be known when the request has failed. */
export function admitUnlessSpent(request: Request, limit: RateLimit, key: string): void {
  judge(request, limit, limit.peek(key));
}

function judge(request: Request, limit: RateLimit, rate: Rate | null): void {
  if (!rate) return;
  const exchange = exchangeOf(request);
  if (!exchange.rate || rate.remaining <= exchange.rate.remaining) exchange.rate = rate;
  if (!rate.exceeded) return;
  const seconds = Math.max(1, Math.ceil(rate.resetMs / 1000));
  throw fail.RATE_LIMITED(`More than ${rate.limit} per minute (${limit.name}).`, {
    cause: limit.name,
    retryAfter: seconds,
    tip: `Wait ${seconds} seconds, then try again.`,
  });
}

/** What an answer says of the limit that its request came closest to. */
export function rateHeaders({ limit, remaining, resetMs }: Rate): Readonly<Record<string, string>> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(Math.max(0, Math.ceil(resetMs / 1000))),
  };
}
