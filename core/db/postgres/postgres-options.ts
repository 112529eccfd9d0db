import { readFileSync } from 'node:fs';
import type { PostgresLimits, PostgresLocation } from '../query/db.ts';
import { parsePostgresUrl, type PostgresUrl } from './postgres-url.ts';

export const usualLimits: PostgresLimits = {
  connections: 10,
  poolMs: 5_000,
  statementMs: 10_000,
  lockMs: 3_000,
  pooler: false,
};

/** Seconds after which a connection is replaced, so that a pool finds servers added behind the same name. */
const maxLifetimeSeconds = 1_800;

/** The password for the next connection. Its file is read again, because a changed password is written there. */
const passwordOf =
  ({ url, urlFile }: PostgresLocation) =>
  (): string => {
    let text = url;
    try {
      if (urlFile !== undefined) text = readFileSync(urlFile, 'utf8').trim();
    } catch {
      // The file existed at startup. Without it, only the password read then is known.
    }
    return parsePostgresUrl(text).password ?? '';
  };

/** The `application_name` of the sessions of servers, and of commands that work with the data. */
export const usualName = 'trivet';

/** The options of Bun's client for a URL, without the host. `bounded`: with the limits that the server enforces. */
export function connectionOptions(
  location: PostgresLocation,
  place: PostgresUrl,
  { bounded, applicationName = usualName }: { readonly bounded: boolean; readonly applicationName?: string },
): Bun.SQL.PostgresOrMySQLOptions {
  const { username, database, tls, tlsRoot, connectTimeoutSeconds, parameters } = place;
  const { pooler, statementMs, lockMs } = location.limits ?? usualLimits;
  return {
    adapter: 'postgres',
    ...(username === undefined ? {} : { username }),
    ...(database === undefined ? {} : { database }),
    password: passwordOf(location),
    ...(tlsRoot !== undefined ? { tls: { ca: Bun.file(tlsRoot) } } : tls === undefined ? {} : { tls }),
    prepare: !pooler,
    connectionTimeout: connectTimeoutSeconds,
    // Work without limits may take longer than a connection of a pool lives.
    maxLifetime: bounded ? maxLifetimeSeconds : 0,
    connection: {
      application_name: applicationName,
      ...(bounded && !pooler ? { statement_timeout: String(statementMs), lock_timeout: String(lockMs) } : {}),
      ...parameters,
    },
  };
}
