import { perHost, type Host } from '../../host/host.ts';
import { errorFields } from '../../base/log.ts';
import type { Followed } from '../../settings/config.ts';
import { repeat } from '../../kernel/jobs.ts';
import { rateLimit, rateWindowMs, type RateLimit } from './rate-limit.ts';
import { addCounts, forgetCounts } from './rate-store.ts';

/**
 * Rate limits that all processes over one PostgreSQL share. Each process counts in memory, so no request has to wait. Once a second it adds
 * its counts to the sums in the database and reads the sums, with one statement for all keys.
 *
 * So n processes admit the limit plus the requests that the other processes admit before their next exchange: at most one second of
 * requests, and never more than the limit per process (docs/decisions/processes.md).
 */
const exchangeMs = 1_000;

/** The maximum number of keys in one statement. The others wait for the next second. */
const keysAtOnce = 1_000;

/** The shared limits of a host. */
const sharedLimits = perHost(() => [] as RateLimit[]);

/** Like `rateLimit`, with the counts of all processes over the same PostgreSQL. On SQLite each process counts alone. */
export function sharedRateLimit(
  host: Host,
  name: string,
  limit: number | Followed<number>,
  windowMs: number = rateWindowMs,
): RateLimit {
  const shared = host.db.engine === 'postgres';
  const counted = rateLimit(name, limit, host.clock, { shared, windowMs });
  if (shared) sharedLimits(host).push(counted);
  return counted;
}

/** Starts the exchange of a server. @returns a function that stops it. */
export function exchangeRates(host: Host): () => Promise<void> {
  if (host.db.engine !== 'postgres') return async () => {};
  let forgotAt = host.clock.now();
  let failing = false;
  const run = async () => {
    try {
      for (const limit of sharedLimits(host)) await exchange(host, limit);
      const now = host.clock.now();
      if (Math.abs(now - forgotAt) >= rateWindowMs) {
        forgotAt = now;
        const longest = Math.max(...sharedLimits(host).map(({ windowMs }) => windowMs), rateWindowMs);
        await forgetCounts(host.db, now - 2 * longest);
      }
      failing = false;
    } catch (error) {
      // Each process counts alone until this works again. Logged once, not each second: the database may be away for long.
      if (!failing) host.log.warn('rates_not_shared', errorFields(error));
      failing = true;
    }
  };
  return repeat({ name: 'exchange-rates', everyMs: exchangeMs, run }, host);
}

async function exchange({ db }: Host, limit: RateLimit): Promise<void> {
  const taken = new Map(limit.uncounted(keysAtOnce).map((count) => [hashOf(limit.name, count.key), count]));
  if (taken.size === 0) return;
  const sums = await addCounts(
    db,
    [...taken].map(([key, { since, used }]) => ({ key, since, used })),
    limit.windowMs,
  );
  for (const { key, since, used } of sums) {
    const mine = taken.get(key);
    if (mine) limit.learn({ since, used }, mine);
  }
}

/** 128 bits, so that keys do not collide. */
const hashOf = (name: string, key: string) =>
  new Bun.CryptoHasher('sha256').update(`${name}\n${key}`).digest('hex').slice(0, 32);
