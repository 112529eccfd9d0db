import { SQL } from 'bun';
import { fail } from '../../base/errors.ts';
import { isConnectionLost, isReadOnlyServer, storageFault } from '../../base/foreign-errors.ts';
import type { PostgresLocation } from '../query/db.ts';
import type { StorageHealth } from '../query/storage-health.ts';
import { findWriter } from './postgres-hosts.ts';
import { connectionOptions, usualLimits } from './postgres-options.ts';
import { addressOf, hostNameOf, parsePostgresUrl, type PostgresHost } from './postgres-url.ts';

/** The client of the writable server. */
interface WriterClient {
  /** The client of the current server, if known. */
  known(): SQL | undefined;
  /** The client of the current server, which is searched for if it is unknown. */
  find(): Promise<SQL>;
  /**
   * Records a failed statement of a client, and drops a server that is gone.
   * @returns the error, as a Fault if the storage failed.
   */
  noteFailure(error: unknown, from: SQL | undefined): unknown;
  /** Records that the server does not respond: later requests connect anew. */
  noteSilence(): void;
  close(): Promise<void>;
}

/** How long a search for the server of a lost connection may take. Requests in this time share one search. */
const lookAgainMs = 200;

/** Keeps a client of the writable server of a URL, and searches the hosts of the URL again when it goes away. */
export function writerClient(location: PostgresLocation, health: StorageHealth): WriterClient {
  const { limits = usualLimits } = location;
  const place = parsePostgresUrl(location.url);
  const options = connectionOptions(location, place, { bounded: true });
  const fixed = place.hosts.length === 1 && place.target === 'any' ? place.hosts[0] : undefined;
  let client: SQL | undefined;
  let looking: Promise<SQL> | undefined;
  let closed = false;

  const open = (host: PostgresHost) =>
    new SQL({
      ...options,
      ...addressOf(host),
      max: limits.connections,
      // Bun's client waits for the connections that it has, and tells nobody else.
      onclose: (error) => health.refusedConnection(error),
    });

  /** Later requests connect anew. Requests in flight get their reply within `drainMs`, or fail. */
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
      const { host, behind } = await findWriter(place, options, { any });
      if (behind.length > 0) health.divided(hostNameOf(host), behind.map(hostNameOf).join(', '));
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

  /** Searches for a writable server while the current one still serves reads. */
  const lookBeside = () => {
    look(false).catch(() => {});
  };

  const noteFailure = (error: unknown, from: SQL | undefined): unknown => {
    // Late errors of an earlier server do not concern the current one.
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
