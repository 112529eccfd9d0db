import { SQL } from 'bun';
import { fail, Fault } from '../../base/errors.ts';
import { addressOf } from './postgres-connection.ts';
import type { PostgresHost, PostgresUrl } from './postgres-url.ts';

/** How long a host may take to report its state. A host that is down must not delay requests to the working one. */
const patienceMs = 3_000;

/**
 * The writable host of a URL. All hosts are asked at once, because a machine that is off never responds.
 * @param any accepts the first host that responds, even a standby.
 * @throws Fault STORAGE_FAILED when all responding hosts are read-only; the error of the first host when none responds.
 */
export async function findWriter(
  { hosts }: PostgresUrl,
  options: Bun.SQL.PostgresOrMySQLOptions,
  { any }: { readonly any: boolean },
): Promise<PostgresHost> {
  const asked = hosts.map(async (host) => {
    if ((await takesWrites(host, options)) || any) return host;
    throw fail.STORAGE_FAILED('No host of --database takes writes; nothing was written.', {
      cause: 'read_only',
      tip: 'Promote a standby, or name the host that takes writes in --database.',
      retryAfter: 1,
    });
  });
  try {
    return await Promise.any(asked);
  } catch (error) {
    const reasons: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    throw reasons.find((reason) => reason instanceof Fault) ?? reasons[0];
  }
}

async function takesWrites(host: PostgresHost, options: Bun.SQL.PostgresOrMySQLOptions): Promise<boolean> {
  const probe = new SQL({ ...options, ...addressOf(host), max: 1, connectionTimeout: patienceMs / 1000 });
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(silent()), patienceMs);
  try {
    const answer = probe.unsafe('SELECT pg_is_in_recovery(), current_setting($1)', ['transaction_read_only']);
    const [row] = await Promise.race([answer.values(), late.promise]);
    const [standby, readOnly] = (row ?? []) as readonly unknown[];
    return standby !== true && readOnly !== 'on';
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
