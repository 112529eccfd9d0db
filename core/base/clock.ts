/** The source of time, so that a test can stop it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits this number of milliseconds, or until the signal is aborted; it never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How long ago (ms) a time was. One in the future was long ago: the clock has been set back since, and nothing else can be known. */
export const ageMs = (now: number, at: number): number => (at > now ? Infinity : now - at);

/**
 * Whether a pause until `until` is over (epoch ms). So is one that lasts longer than any that begins now: the clock has been set back since.
 * @param longestMs no pause of its kind is longer.
 */
export const isOver = (now: number, until: number, longestMs: number): boolean =>
  now >= until || until - now > longestMs;

/** Returns `length` unpredictable bytes. */
export type RandomBytes = (length: number) => Uint8Array<ArrayBuffer>;

export const systemClock: Clock = {
  now: Date.now,
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const over = () => {
        clearTimeout(timer);
        // The signal may live as long as the server: a job that runs each second would otherwise leave 86,400 listeners a day.
        signal?.removeEventListener('abort', over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      signal?.addEventListener('abort', over);
    }),
};

export const systemRandom: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/**
 * A time of the database (epoch milliseconds) as tools return it: ISO 8601, UTC, with milliseconds.
 * @example isoTime(0) // '1970-01-01T00:00:00.000Z'
 */
export function isoTime(epochMs: number): string;
export function isoTime(epochMs: number | null): string | null;
export function isoTime(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
