import { SQL } from 'bun';
import { fail } from '../../base/errors.ts';
import { isConnectionLost, isReadOnlyServer, storageFault } from '../../base/foreign-errors.ts';
import type { PostgresLocation } from '../query/db.ts';
import type { StorageHealth } from '../query/storage-health.ts';
import { addressOf } from './postgres-connection.ts';
import { findWriter } from './postgres-hosts.ts';
import { connectionOptions, usualLimits } from './postgres-options.ts';
import { parsePostgresUrl, type PostgresHost } from './postgres-url.ts';

/** The client of the server that takes writes. */
export interface WriterClient {
  /** The client of the present server, if one is known. */
  known(): SQL | undefined;
  /** The client of the present server, which is looked for if none is known. */
  find(): Promise<SQL>;
  /**
   * Notes a failed statement of a client, and leaves a server that is gone.
   * @returns what was thrown, as a Fault if it is one of the storage.
   */
  noteFailure(error: unknown, from: SQL | undefined): unknown;
  /** Notes that the server answers nothing: requests from now on connect anew. */
  noteSilence(): void;
  close(): Promise<void>;
}

/** How long a lost connection's server may be looked for again: requests of this time share one look. */
const lookAgainMs = 200;

/** Keeps a client of that server of a URL that takes writes, and looks for it among the hosts of the URL again when it goes away. */
export function writerClient(location: PostgresLocation, health: StorageHealth): WriterClient {
  const { limits = usualLimits } = location;
  const place = parsePostgresUrl(location.url);
  const options = connectionOptions(location, place, { bounded: true });
  const fixed = place.hosts.length === 1 && place.target === 'any' ? place.hosts[0] : undefined;
  let client: SQL | undefined;
  let looking: Promise<SQL> | undefined;
  let closed = false;

  const open = (host: PostgresHost) => new SQL({ ...options, ...addressOf(host), max: limits.connections });

  /** Requests from now on connect anew. Those that wait for an answer get it within `drainMs`, or fail. */
  const leave = (why: string, drainMs: number) => {
    const left = client;
    if (!left) return;
    client = undefined;
    health.left(why);
    const drop = () => void left.close({ timeout: 0 }).catch(() => {});
    if (drainMs === 0) drop();
    else setTimeout(drop, drainMs).unref();
  };

  const search = async (any: boolean): Promise<SQL> => {
    try {
      const host = await findWriter(place, options, { any });
      if (closed) throw fail.SHUTTING_DOWN('The database is closed.');
      leave('read_only', limits.statementMs);
      return (client = open(host));
    } catch (error) {
      // Requests that arrive now share this result instead of asking all hosts again.
      await Bun.sleep(lookAgainMs);
      throw error;
    }
  };
  const look = (any: boolean) => (looking ??= search(any).finally(() => (looking = undefined)));

  /** Looks for a server that takes writes while this one goes on to answer what only reads. */
  const lookBeside = () => {
    look(false).catch(() => {});
  };

  const noteFailure = (error: unknown, from: SQL | undefined): unknown => {
    // What an earlier server still says is no news about this one.
    if (from !== undefined && from === client) {
      if (isReadOnlyServer(error)) lookBeside();
      else if (!fixed && isConnectionLost(error)) leave('connection_lost', limits.statementMs);
    }
    return health.failed(storageFault(error));
  };

  return {
    known: () => client,
    find: async () => {
      try {
        if (closed) throw fail.SHUTTING_DOWN('The database is closed.');
        return client ?? (fixed ? (client = open(fixed)) : await look(place.target === 'any'));
      } catch (error) {
        throw noteFailure(error, undefined);
      }
    },
    noteFailure,
    noteSilence: () => leave('silent', 0),
    close: async () => {
      closed = true;
      await client?.close({ timeout: 5 });
    },
  };
}
