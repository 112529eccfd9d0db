import { SQL } from 'bun';
import { fail, UsageError } from '../../base/errors.ts';
import { asFault, tooManyConnections } from '../../base/foreign-errors.ts';
import type { PostgresLocation } from '../query/db.ts';
import { findWriter } from './postgres-hosts.ts';
import { connectionOptions } from './postgres-options.ts';
import { whyUnreachable } from './postgres-reach.ts';
import {
  addressOf,
  hostNameOf,
  parsePostgresUrl,
  type PostgresHost,
  type PostgresUrl,
} from './postgres-url.ts';

/** What is wrong with one host. `settings`: the URL has to be corrected; otherwise the server has to become available again. */
interface Refusal {
  readonly host: PostgresHost;
  readonly settings: boolean;
  readonly word: string;
  readonly what: string;
  readonly remedy: string;
}

/**
 * One connection, without time limits, to the writable server of a URL, for work before a pool is opened.
 * @throws Fault STORAGE_FAILED when no server can be reached, UsageError when a server refuses the URL. Both name each host and why.
 */
export async function connectOnce(location: PostgresLocation, applicationName: string): Promise<SQL> {
  const place = parsePostgresUrl(location.url);
  const refusals: Refusal[] = [];
  for (const host of await inOrder(location, place, applicationName)) {
    // Checked before the driver connects, because it waits for its whole timeout if the server is not PostgreSQL.
    const unreachable = await whyUnreachable(host);
    if (unreachable) {
      refusals.push({ host, settings: unreachable.foreign, ...unreachable });
      continue;
    }
    const options = connectionOptions(location, place, { bounded: false, applicationName });
    const client = new SQL({ ...options, ...addressOf(host), max: 1 });
    try {
      const [row] = (await client.unsafe('SELECT pg_is_in_recovery() AS standby')) as Array<{
        standby: boolean;
      }>;
      if (row?.standby !== true || place.target === 'any') return client;
      refusals.push({ host, ...standby });
    } catch (error) {
      refusals.push(refusalOf(host, error));
    }
    await client.close({ timeout: 0 });
  }
  throw refused(refusals);
}

/**
 * The hosts of a URL, the one that takes writes first: a lost primary that is back takes writes, too. A failure is found out again, in the
 * words of each host.
 */
async function inOrder(
  location: PostgresLocation,
  place: PostgresUrl,
  applicationName: string,
): Promise<readonly PostgresHost[]> {
  const { hosts, target } = place;
  if (hosts.length === 1 || target === 'any') return hosts;
  try {
    // Under the name of the command: a transfer must not take what asked for it for a server.
    const options = connectionOptions(location, place, { bounded: false, applicationName });
    const { host } = await findWriter(place, options, { any: false });
    return [host, ...hosts.filter((other) => other !== host)];
  } catch {
    return hosts;
  }
}

const standby = {
  settings: false,
  word: 'read_only',
  what: 'it is a standby',
  remedy: 'Name the host that takes writes, or promote this one.',
};

/** Failures that do not need a new URL. All other errors of a server or the driver concern the URL. */
const passing = new Set([
  'connection_lost',
  tooManyConnections,
  'out_of_resources',
  'server_failed',
  'statement_timeout',
  'database_closed',
]);

/** Messages of the server or the driver name users, databases and hosts, but no passwords. */
function refusalOf(host: PostgresHost, error: unknown): Refusal {
  const fault = asFault(error);
  const word = fault.causeWord ?? 'unknown';
  const remedy = fault.code === 'INTERNAL' ? 'Correct --database, or see the log of PostgreSQL.' : fault.tip;
  const what = error instanceof Error ? error.message.replace(/\.$/, '') : 'it fails';
  return { host, settings: !passing.has(word), word, what, remedy };
}

function refused(refusals: readonly Refusal[]): Error {
  const hosts = refusals.map(({ host, what }) => `${hostNameOf(host)} cannot be used: ${what}.`).join(' ');
  const remedies = [...new Set(refusals.map(({ remedy }) => remedy))].join(' ');
  if (refusals.some(({ settings }) => settings)) return new UsageError(`--database: ${hosts} ${remedies}`);
  return fail.STORAGE_FAILED(`--database: ${hosts}`, {
    cause: refusals[0]?.word ?? 'unknown',
    tip: remedies,
  });
}
