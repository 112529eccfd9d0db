import { readdirSync, readFileSync } from 'node:fs';
import { SQL } from 'bun';

/** The resources that a PostgreSQL has used since it started. */
export interface Reading {
  /** Microseconds of user and system time of all its processes. */
  readonly cpuMicros: number;
  readonly walBytes: number;
  /** Whole pages in the log: the first change of a page after a checkpoint logs its image. */
  readonly walPages: number;
  /** How often the log was flushed to disk, and the total time in microseconds. */
  readonly walFlushes: number;
  readonly walFlushMicros: number;
  readonly transactions: number;
  /** Transactions that changed something, i.e. those with a transaction id. */
  readonly writes: number;
}

export interface Meter {
  readonly version: string;
  /** Forces a checkpoint, so that its writes count for the measurement before it. */
  checkpoint(): Promise<void>;
  read(): Promise<Reading>;
  stop(): Promise<void>;
}

/** Meters the server of this database, over a connection to another database so that its own statements are not counted. */
export async function startMeter(database: string): Promise<Meter> {
  const location = new URL(database);
  const name = location.pathname.slice(1);
  location.pathname = '/postgres';
  const sql = new SQL(location.href, { max: 1 });
  // The time of a flush is not recorded by default.
  await sql`ALTER SYSTEM SET track_wal_io_timing = on`;
  await sql`SELECT pg_reload_conf()`;
  const [server] =
    (await sql`SELECT pg_backend_pid() AS pid, current_setting('server_version') AS version`) as [
      { pid: number; version: string },
    ];
  const postmaster = timesOf(server.pid).parent;
  return {
    version: server.version,
    checkpoint: async () => void (await sql`CHECKPOINT`),
    read: async () => {
      const [row] = (await sql`
        SELECT d.xact_commit + d.xact_rollback AS transactions, w.wal_fpi AS pages, i.flushes, i.micros,
          pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes, pg_snapshot_xmax(pg_current_snapshot())::text AS writes
        FROM pg_stat_database d, pg_stat_wal w,
          (SELECT sum(fsyncs) AS flushes, sum(fsync_time) * 1000 AS micros FROM pg_stat_io WHERE object = 'wal') i
        WHERE d.datname = ${name}`) as Array<Record<string, string | number>>;
      const of = (key: string) => Number(row?.[key]);
      return {
        cpuMicros: groupMicros(postmaster),
        walBytes: of('bytes'),
        walPages: of('pages'),
        walFlushes: of('flushes'),
        walFlushMicros: of('micros'),
        transactions: of('transactions'),
        writes: of('writes'),
      };
    },
    stop: () => sql.end(),
  };
}

/** proc(5): the parent, user and system time, and the times of ended children, in ticks of 10 ms. */
function timesOf(pid: number) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(') ') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const micros = (at: number) => ((fields[at] ?? 0) + (fields[at + 1] ?? 0)) * 10_000;
  return { parent, own: micros(11), ended: micros(13) };
}

/** All processes of a server, including ended ones (workers of autovacuum end). */
function groupMicros(postmaster: number): number {
  const { own, ended } = timesOf(postmaster);
  let sum = own + ended;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const times = timesOf(Number(entry));
      if (times.parent === postmaster) sum += times.own;
    } catch {
      // It has ended since the directory was read.
    }
  }
  return sum;
}
