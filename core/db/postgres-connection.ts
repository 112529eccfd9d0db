import { SQL } from 'bun';
import { Fault, UsageError } from '../errors.ts';
import { storageFault } from '../foreign-errors.ts';
import type { PostgresLocation } from './db.ts';
import { connectionOptions } from './postgres-options.ts';
import { parsePostgresUrl, shownHosts, type PostgresHost } from './postgres-url.ts';

/**
 * One connection to the server of a URL that takes writes, without limits of time, for work before a pool is opened.
 * @throws UsageError that says what is wrong with the URL or its server.
 */
export async function connectOnce(location: PostgresLocation, applicationName: string): Promise<SQL> {
  const place = parsePostgresUrl(location.url);
  const refusals: unknown[] = [];
  for (const host of place.hosts) {
    const options = connectionOptions(location, place, { bounded: false, applicationName });
    const client = new SQL({ ...options, ...addressOf(host), max: 1 });
    try {
      const [row] = (await client.unsafe('SELECT pg_is_in_recovery() AS standby')) as Array<{
        standby: boolean;
      }>;
      if (row?.standby !== true || place.target === 'any') return client;
      refusals.push('it is a standby');
    } catch (error) {
      refusals.push(error);
    }
    await client.close({ timeout: 0 });
  }
  throw refused(shownHosts(place), refusals);
}

/** How Bun's client is told a host: one that begins with a slash is the directory of a Unix socket. */
export const addressOf = ({ hostname, port }: PostgresHost) =>
  hostname.startsWith('/') ? { path: hostname, port } : { hostname, port };

function refused(hosts: string, refusals: readonly unknown[]): UsageError {
  const faults = refusals.map((refusal) => {
    const fault = storageFault(refusal);
    if (fault instanceof Fault) return `${serverWords(refusal)}${fault.tip}`;
    return typeof refusal === 'string' ? `${refusal}.` : serverWords(refusal);
  });
  return new UsageError(`--database: ${hosts} cannot be used. ${[...new Set(faults)].join(' ')}`);
}

/** What the server or the driver says. It names users, databases and hosts, and no password. */
const serverWords = (refusal: unknown): string =>
  refusal instanceof Error ? `${refusal.message.replace(/\.?$/, '.')} ` : '';
