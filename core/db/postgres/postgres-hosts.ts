import { SQL } from 'bun';
import { fail, Fault } from '../../base/errors.ts';
import { addressOf, type PostgresHost, type PostgresUrl } from './postgres-url.ts';

/** How long a host may take to report its state. A host that is down must not delay requests to the working one. */
const patienceMs = 3_000;

/** How long the others may take to report that they take writes, too, once one has. A machine that is off says nothing. */
const othersMs = 500;

/** The host to use. `behind`: hosts that take writes as well, although this one has replaced them. */
export interface Writer {
  readonly host: PostgresHost;
  readonly behind: readonly PostgresHost[];
}

/**
 * The writable host of a URL. All hosts are asked at once, because a machine that is off never responds.
 * @param any accepts the first host that responds, even a standby.
 * @throws Fault STORAGE_FAILED when all responding hosts are read-only; the error of the first host when none responds.
 */
export async function findWriter(
  { hosts }: PostgresUrl,
  options: Bun.SQL.PostgresOrMySQLOptions,
  { any }: { readonly any: boolean },
): Promise<Writer> {
  const writers: PostgresHost[] = [];
  const asked = hosts.map(async (host) => {
    if ((await takesWrites(host, options)) || any) {
      writers.push(host);
      return host;
    }
    throw fail.STORAGE_FAILED('No host of --database takes writes; nothing was written.', {
      cause: 'read_only',
      tip: 'Promote a standby, or name the host that takes writes in --database.',
      retryAfter: 1,
    });
  });
  try {
    const host = await Promise.any(asked);
    if (any) return { host, behind: [] };
    await Promise.race([Promise.allSettled(asked), Bun.sleep(othersMs)]);
    return writers.length === 1 ? { host, behind: [] } : await newestOf(writers, options);
  } catch (error) {
    const reasons: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    throw reasons.find((reason) => reason instanceof Fault) ?? reasons[0];
  }
}

/**
 * Of several hosts that take writes, the one that was promoted last: a primary that was lost and is back takes writes on its former
 * timeline, and what is written there is lost. Two addresses of one server have the same timeline, and so has whoever does not say.
 */
async function newestOf(
  writers: readonly PostgresHost[],
  options: Bun.SQL.PostgresOrMySQLOptions,
): Promise<Writer> {
  const known = await Promise.all(
    writers.map(async (host) => ({
      host,
      timeline: await timelineOf(host, options).catch(() => undefined),
    })),
  );
  const newest = Math.max(0, ...known.map(({ timeline = 0 }) => timeline));
  const used = known.find(({ timeline }) => timeline === newest) ?? known[0];
  if (!used) throw silent();
  const behind = known.filter(({ timeline = newest }) => timeline < newest);
  return { host: used.host, behind: behind.map(({ host }) => host) };
}

/** The name of a file of the log begins with its timeline, which each promotion raises. */
async function timelineOf(host: PostgresHost, options: Bun.SQL.PostgresOrMySQLOptions): Promise<number> {
  const [timeline] = await asks(host, options, 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)');
  return Number.parseInt(String(timeline), 16);
}

async function takesWrites(host: PostgresHost, options: Bun.SQL.PostgresOrMySQLOptions): Promise<boolean> {
  const [standby, readOnly] = await asks(
    host,
    options,
    "SELECT pg_is_in_recovery(), current_setting('transaction_read_only')",
  );
  return standby !== true && readOnly !== 'on';
}

/** The row that a host answers, within the patience. */
async function asks(
  host: PostgresHost,
  options: Bun.SQL.PostgresOrMySQLOptions,
  statement: string,
): Promise<readonly unknown[]> {
  const probe = new SQL({ ...options, ...addressOf(host), max: 1, connectionTimeout: patienceMs / 1000 });
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(silent()), patienceMs);
  try {
    const [row] = await Promise.race([probe.unsafe(statement).values(), late.promise]);
    return (row ?? []) as readonly unknown[];
  } finally {
    clearTimeout(timer);
    void probe.close({ timeout: 0 }).catch(() => {});
  }
}

const silent = () =>
  fail.STORAGE_FAILED('The database cannot be used; nothing was written.', {
    cause: 'no_answer',
    tip: 'Check that PostgreSQL runs and can be reached at the hosts of --database.',
    retryAfter: 1,
  });
