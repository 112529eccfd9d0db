import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { Followed } from '../../settings/config.ts';
import { exchangeOf, type Rate } from '../request/exchange.ts';

/** How often a key was used in its current window. */
interface KeyCount {
  readonly key: string;
  readonly since: number;
  readonly used: number;
}

/** Counts the requests of each key per minute, or per hour. */
export interface RateLimit {
  /** One word for the counted thing: the `cause` of a 429. */
  readonly name: string;
  readonly windowMs: number;
  /** Counts one use. Returns null if there is no limit. */
  take(key: string): Rate | null;
  /** The result of the next {@link take}, without counting. */
  peek(key: string): Rate | null;
  /** The uses since the last {@link learn} of each key, for at most `keys` keys. */
  uncounted(keys: number): readonly KeyCount[];
  /** Adopts the sum of all processes. @param sent what this process had added to it. */
  learn(sum: Pick<KeyCount, 'since' | 'used'>, sent: KeyCount): void;
}

interface Window {
  since: number;
  used: number;
  /** The part of them that other processes do not know yet. */
  untold: number;
}

/** The length of a window, unless a limit is per hour. */
export const rateWindowMs = 60_000;
export const hourMs = 60 * 60_000;
/** Bounds memory (about 10 MB): a client with a million addresses can only make the server forget other counters. */
const maxKeys = 100_000;

interface RateOptions {
  /** How many keys are remembered. */
  readonly keys?: number;
  /** Record what other processes do not know yet. */
  readonly shared?: boolean;
  readonly windowMs?: number;
}

/**
 * A limit per minute (or `windowMs`), in windows that begin with the first use of a key. In memory and per process: n processes on one database allow n
 * times as much, since a shared counter would cost every request a write. `sharedRateLimit` exchanges the counts.
 * @param limited requests per window; 0: no limit.
 */
export function rateLimit(
  name: string,
  limited: number | Followed<number>,
  clock: Clock,
  { keys = maxKeys, shared = false, windowMs = rateWindowMs }: RateOptions = {},
): RateLimit {
  const rateOf = rateWithin(windowMs);
  let limit = 0;
  followedOf(limited)((value) => (limit = value));
  const windows = new Map<string, Window>();
  const untold = new Set<string>();

  const current = (key: string, now: number) => {
    const known = windows.get(key);
    // A clock that was set back must not keep a window open.
    const over = known === undefined || now - known.since >= windowMs || now < known.since;
    return over ? undefined : known;
  };
  const tell = (key: string, window: Window) => {
    window.untold++;
    if (shared) untold.add(key);
  };
  const forget = (key: string) => {
    windows.delete(key);
    untold.delete(key);
  };

  return {
    name,
    windowMs,
    peek: (key) => {
      if (limit === 0) return null;
      const now = clock.now();
      const { since, used } = current(key, now) ?? { since: now, used: 0 };
      return rateOf(limit, { since, used: used + 1 }, now);
    },
    take: (key) => {
      if (limit === 0) return null;
      const now = clock.now();
      const known = current(key, now);
      if (known) {
        // Other processes only need to know that the limit is exceeded.
        if (known.used <= limit) tell(key, known);
        known.used++;
        return rateOf(limit, known, now);
      }
      const begun = { since: now, used: 1, untold: 0 };
      tell(key, begun);
      // Deleted first, so that the map stays ordered by the start of the windows: the first key is the oldest.
      windows.delete(key);
      windows.set(key, begun);
      if (windows.size > keys) forget(windows.keys().next().value ?? key);
      return rateOf(limit, begun, now);
    },
    uncounted: (most) => {
      const now = clock.now();
      const counts: KeyCount[] = [];
      for (const key of untold) {
        if (counts.length === most) break;
        const window = current(key, now);
        if (window) counts.push({ key, since: window.since, used: window.untold });
        else untold.delete(key);
      }
      return counts;
    },
    learn: ({ since, used }, sent) => {
      const now = clock.now();
      const window = current(sent.key, now);
      // A new window has begun meanwhile.
      if (window?.since !== sent.since) return;
      window.untold -= sent.used;
      if (window.untold === 0) untold.delete(sent.key);
      // The clock of the process that began the window may be ahead.
      window.since = Math.min(since, now);
      window.used = used + window.untold;
    },
  };
}

const followedOf = (limit: number | Followed<number>): Followed<number> =>
  typeof limit === 'number' ? (take) => take(limit) : limit;

const rateWithin =
  (windowMs: number) =>
  (limit: number, { since, used }: Pick<KeyCount, 'since' | 'used'>, now: number): Rate => ({
    limit,
    remaining: Math.max(0, limit - used),
    resetMs: since + windowMs - now,
    exceeded: used > limit,
  });

/**
 * Counts a request. Its response gets the headers `RateLimit-Limit`, `-Remaining` and `-Reset`.
 * @throws Fault RATE_LIMITED with the seconds to wait.
 */
export function admit(request: Request, limit: RateLimit, key: string): void {
  judge(request, limit, limit.take(key));
}

/** Like {@link admit}, without counting: only failed requests are counted, later. */
export function admitUnlessSpent(request: Request, limit: RateLimit, key: string): void {
  judge(request, limit, limit.peek(key));
}

function judge(request: Request, limit: RateLimit, rate: Rate | null): void {
  if (!rate) return;
  const exchange = exchangeOf(request);
  if (!exchange.rate || rate.remaining <= exchange.rate.remaining) exchange.rate = rate;
  if (!rate.exceeded) return;
  const seconds = Math.max(1, Math.ceil(rate.resetMs / 1000));
  const window = limit.windowMs === hourMs ? 'hour' : 'minute';
  throw fail.RATE_LIMITED(`More than ${rate.limit} per ${window} (${limit.name}).`, {
    cause: limit.name,
    retryAfter: seconds,
    tip: `Wait ${seconds} seconds, then try again.`,
  });
}
