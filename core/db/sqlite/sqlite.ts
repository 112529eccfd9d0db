import type { Database } from 'bun:sqlite';
import { fail } from '../../base/errors.ts';
import { isBusy, storageFault } from '../../base/foreign-errors.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import type { Recorder } from '../../metrics/recorder.ts';
import { version } from '../../base/version.ts';
import { watchDatabaseFile } from './database-place.ts';
import { holdDirectory, type DirectoryLock } from './directory-lock.ts';
import { refusalIn } from './directory-role.ts';
import {
  insideTx,
  NothingHeld,
  refused,
  refuseInsideTx,
  requireHeld,
  type Db,
  type Location,
  type Query,
  type WriteGate,
} from '../query/db.ts';
import { erasedLogNote, forgetErasedLog, isReplicated, noteErasedLog } from './erased-log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { connect, prepareReader, waitOutside } from './sqlite-connection.ts';
import { sqliteQueryOf } from './sqlite-query.ts';
import type { StorageHealth } from '../query/storage-health.ts';

/** How long a write waits for another process before it fails with DATABASE_BUSY. */
const busyLimitMs = 10_000;
/** How often the log is looked at while a replicator is to empty it: a look keeps the replicator from doing so. */
const besideReplicatorMs = 100;
/** The maximum number of waiting writes in one commit. Bounds how much a failing commit undoes. */
const maxJobs = 256;

interface Job {
  readonly work: (q: Query) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The resources of an opened database. */
interface SqliteParts {
  readonly health: StorageHealth;
  readonly ledger: Ledger | undefined;
  /** An open connection. */
  readonly kept: Database | undefined;
  readonly recorder: Recorder;
  /** The lock of the directory, unless the first write takes it. */
  readonly lock: DirectoryLock | undefined;
}

/**
 * One connection reads (`query_only`). Another one, opened by the first write, writes. Writes that wait together are committed together,
 * each in its own savepoint: with `synchronous=FULL` a commit waits for the disk, and one wait serves them all.
 */
export function openSqlite(
  {
    directory,
    durability,
    readCacheMiB = 64,
    replicated = false,
    gate,
  }: Extract<Location, { engine: 'sqlite' }>,
  { health, ledger, kept, recorder, lock }: SqliteParts,
): Db {
  const reader = kept ?? connect(directory, durability);
  prepareReader(reader, readCacheMiB);

  const checkFile = watchDatabaseFile(directory);
  let held = lock;
  const openWriter = (): Writer => {
    const refusal = refusalIn(directory);
    if (refusal) throw refusal;
    held ??= holdDirectory(directory, version);
    // A backup may have been restored in between: reading one database and writing another would mix them.
    checkFile();
    const client = connect(directory, durability);
    waitOutside(client);
    if (replicated) client.run(`PRAGMA wal_autocheckpoint = ${replicatedCheckpointPages}`);
    // A log that begins anew is cut off: on a busy server nothing else removes what was erased from its end.
    if (replicated || isReplicated(directory)) client.run('PRAGMA journal_size_limit = 0');
    const guard = ledger ? schemaGuard(client, ledger) : () => {};
    return { client, q: sqliteQueryOf(client), guard, replicated };
  };
  const queue = writeQueue(openWriter, { health, gate }, recorder, () => rereadStatistics(reader));
  const reading = sqliteQueryOf(reader);

  return {
    engine: 'sqlite',
    q: reading,
    tx: <T>(work: (q: Query) => Promise<T>) => queue.add(work) as Promise<T>,
    write: <T>(statement: (q: Query) => Promise<T>) => queue.add(statement) as Promise<T>,
    pipeline: (send) => oneAfterTheOther((work) => queue.add(work), send),
    reads: (work) => work(reading),
    refusal: () => gate?.refusal(),
    failing: health.failing,
    forgetDeleted: () => queue.emptyLog(directory),
    refreshStatistics: () => queue.refreshStatistics(),
    close: async () => {
      await queue.close();
      if (replicated) keepLog(reader);
      reader.close();
      held?.release();
    },
  };
}

/** A pipeline: the statements are started and run in their order. */
async function oneAfterTheOther<T extends readonly PromiseLike<readonly unknown[]>[]>(
  add: (work: Job['work']) => Promise<unknown>,
  send: (q: Query) => readonly [...T],
) {
  try {
    return (await add(async (q) => {
      const results = await Promise.all(send(q));
      requireHeld(results);
      return results;
    })) as { -readonly [K in keyof T]: Awaited<T[K]> };
  } catch (error) {
    if (error instanceof NothingHeld) return refused;
    throw error;
  }
}

/** The connection that writes. */
interface Writer {
  readonly client: Database;
  readonly q: Query;
  /** Throws when this executable must not write any more. */
  readonly guard: () => void;
  readonly replicated: boolean;
}

/** What a write must pass. */
interface WriteJudges {
  readonly health: StorageHealth;
  readonly gate: WriteGate | undefined;
}

/** The write queue of one connection: first in, first out, group commit. */
function writeQueue(open: () => Writer, judges: WriteJudges, recorder: Recorder, onStatistics: () => void) {
  let writer: Writer | undefined;
  const waiting: Job[] = [];
  let draining: Promise<void> | undefined;
  let closed = false;
  let refreshedAt = -refreshedAtMostEveryMs;
  recorder.read(coreMetrics.writeQueue, () => [[[], waiting.length]]);

  const add = (work: Job['work']) => {
    refuseInsideTx('tx');
    if (closed) return Promise.reject(fail.SHUTTING_DOWN('The database is closed.'));
    const refusal = judges.gate?.refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise<unknown>((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      draining ??= drain();
    });
  };

  const drain = async () => {
    while (waiting.length > 0) {
      // Waits one turn of the event loop, so that requests that arrived together are queued together.
      await new Promise((next) => setImmediate(next));
      const jobs = waiting.splice(0, maxJobs);
      const began = performance.now();
      const outcomes = await runInOneTx(() => (writer ??= open()), jobs, judges);
      const tookMs = performance.now() - began;
      recorder.observe(coreMetrics.groupCommit, [], jobs.length);
      recorder.observe(coreMetrics.commitSeconds, [], tookMs / 1000);
      for (const conclude of outcomes) conclude();
      if (writer && tookMs > longTxMs) {
        await checkpointApart(writer);
        // A busy server has long transactions all the time, and each refresh makes prepared statements be prepared again.
        if (performance.now() - refreshedAt > refreshedAtMostEveryMs) {
          refreshedAt = performance.now();
          await refreshStatistics(writer.client, onStatistics);
        }
      }
    }
    // In the same turn as the check above: a later job must find no running queue and start one.
    draining = undefined;
  };

  return {
    add,
    /** Copies the whole log into the database and empties it, between two transactions. A replicator does so itself when it can. */
    emptyLog: async (directory: string) => {
      let isNoted = false;
      for (
        const giveUpAt = performance.now() + busyLimitMs;
        performance.now() < giveUpAt;
        await Bun.sleep(isNoted ? besideReplicatorMs : 20)
      ) {
        if (isNoted && erasedLogNote(directory) === undefined) return true;
        if (!writer || (!writer.client.inTransaction && isLogEmptied(writer.client))) {
          forgetErasedLog(directory);
          return true;
        }
        isNoted ||= isReplicated(directory) && noteErasedLog(directory);
      }
      return false;
    },
    refreshStatistics: async () => {
      // Writes may arrive while it waits: then the statistics wait for an hour.
      await draining;
      if (closed) return;
      writer ??= open();
      await refreshStatistics(writer.client, onStatistics);
    },
    close: async () => {
      closed = true;
      await draining;
      if (writer?.replicated) keepLog(writer.client);
      writer?.client.close();
    },
  };
}

/**
 * A transaction that took this long has written much. Its COMMIT waits for the disk and, beyond 1,000 pages of log, also copies them into
 * the database. After a write of 100,000 rows this blocked for 90 ms, half of it for copying (measured).
 */
const longTxMs = 100;
/** After a bulk write the statistics are counted anew, at most this often. */
const refreshedAtMostEveryMs = 60_000;

/** Copies the log into the database in its own turn of the event loop. */
async function checkpointApart({ client, replicated }: Writer): Promise<void> {
  if (replicated) {
    client.run(`PRAGMA wal_autocheckpoint = ${replicatedCheckpointPages}`);
    return;
  }
  await new Promise((next) => setImmediate(next));
  try {
    client.run('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (error) {
    // Another process is copying it, or the disk is full, and then the next write fails. Until then the log has everything.
    if (!(error instanceof Error)) throw error;
  }
  client.run(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
}

/**
 * The planner's statistics are taken from this many rows of each index: 24 ms for 100,000 tests with 1,000,000 results (measured). With all
 * rows it took seconds.
 */
const analysisLimit = 1_000;
/** Every table is checked, whether or not this connection has read it. A table that has grown or shrunk tenfold is analyzed again. */
const optimizeAllTables = '0x10002';

/**
 * Updates the statistics in a separate turn. They are an estimate: if another process or a full disk prevents this, it waits for an hour.
 */
async function refreshStatistics(client: Database, onStatistics: () => void): Promise<void> {
  await new Promise((next) => setImmediate(next));
  // Work that was queued in the meantime goes first.
  if (client.inTransaction) return;
  try {
    client.run(`PRAGMA analysis_limit = ${analysisLimit}`);
    client.run(`PRAGMA optimize(${optimizeAllTables})`);
    forgetSmallTables(client);
    onStatistics();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/**
 * A table with fewer rows has no statistics: SQLite then expects a large one and uses its indexes. A table of three rows is fast with any
 * plan, but it may have a million rows before it is counted again, and the plan for three reads all of them for each row: 5,000 results
 * took 21 s instead of 0.3 (measured).
 */
const countedRows = 1_000;

function forgetSmallTables(client: Database): void {
  const forgotten = client.run(
    `DELETE FROM sqlite_stat1 WHERE tbl IN
       (SELECT tbl FROM sqlite_stat1 GROUP BY tbl HAVING max(cast(stat AS integer)) < ${countedRows})`,
  );
  // This connection would go on with what it has read.
  if (forgotten.changes > 0) client.run('ANALYZE sqlite_schema');
}

/** A connection reads the statistics when it opens; this reads those of other connections. */
function rereadStatistics(reader: Database): void {
  reader.run('PRAGMA query_only = OFF');
  try {
    reader.run('ANALYZE sqlite_schema');
  } finally {
    reader.run('PRAGMA query_only = ON');
  }
}

/**
 * Keeps the log, from which the next replicator goes on. At the end of a process Bun empties it for each connection that was closed while
 * statements of it were left (measured: 1.4.5). It cannot while a transaction is open.
 */
function keepLog(client: Database): void {
  try {
    client.run('BEGIN');
    client.query('SELECT 1 FROM sqlite_schema LIMIT 1').get();
  } catch (error) {
    // A disk that fails: the replicator begins a new generation then.
    if (!(error instanceof Error)) throw error;
  }
}

/** Empties the log unless somebody is reading or writing. @returns whether it is empty. */
function isLogEmptied(client: Database): boolean {
  try {
    return client.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** The number of log pages from which a COMMIT copies them into the database. SQLite's default. */
const checkpointPages = 1_000;
/**
 * With a replicator, which keeps the log until it is stored: SQLite would copy at every COMMIT once the log has 1,000 pages. This is the
 * limit for a replicator that does not do its work.
 */
const replicatedCheckpointPages = 32_000;

/**
 * Runs jobs in one transaction. A job that throws rolls back its own savepoint; a failing commit rolls back and rejects all.
 * @returns functions that resolve or reject the jobs: success may be reported only after the commit.
 */
async function runInOneTx(
  writer: () => Writer,
  jobs: readonly Job[],
  { health, gate }: WriteJudges,
): Promise<Array<() => void>> {
  const outcomes: Array<() => void> = [];
  const began = performance.now();
  let client: Database | undefined;
  try {
    const { q, guard, ...opened } = writer();
    ({ client } = opened);
    await beginImmediate(client);
    guard();
    // A single job needs no savepoint.
    const shared = jobs.length > 1;
    for (const job of jobs) {
      if (shared) client.run('SAVEPOINT job');
      try {
        const value = await insideTx(job.work, q);
        if (shared) client.run('RELEASE job');
        outcomes.push(() => job.resolve(value));
      } catch (error) {
        const fault = health.failed(storageFault(error));
        outcomes.push(() => job.reject(fault));
        if (!client.inTransaction) throw error;
        if (shared) {
          client.run('ROLLBACK TO job');
          client.run('RELEASE job');
        } else {
          client.run('ROLLBACK');
          return outcomes;
        }
      }
    }
    if (performance.now() - began > longTxMs) client.run('PRAGMA wal_autocheckpoint = 0');
    const refusal = gate?.refusal();
    if (refusal) throw refusal;
    client.run('COMMIT');
    health.worked();
    // The disk may have been slow: another server may have taken over meanwhile, without this.
    const late = gate?.refusal();
    if (late) return jobs.map((job) => () => job.reject(late));
    return outcomes;
  } catch (error) {
    if (client?.inTransaction) client.run('ROLLBACK');
    const fault = health.failed(storageFault(error));
    return jobs.map((job) => () => job.reject(fault));
  }
}

/**
 * Refuses to write once a newer executable has changed the schema: data that this one derives (counts) would stay wrong. The check runs
 * inside each transaction (1 µs), so that no write slips through: `schema_version` changes with every migration.
 */
function schemaGuard(client: Database, ledger: Ledger): () => void {
  const version = client.query<{ schema_version: number }, []>('PRAGMA schema_version');
  const applied = client.query<{ tag: string }, []>('SELECT tag FROM trivet_migrations');
  let known: number | undefined;
  return () => {
    const now = version.get()?.schema_version;
    if (now === known) return;
    ledger.check(applied.all().map(({ tag }) => tag));
    known = now;
  };
}

/** `BEGIN IMMEDIATE`, retried while another process has the write lock. A deferred transaction would fail in the middle. */
async function beginImmediate(client: Database): Promise<void> {
  const giveUpAt = performance.now() + busyLimitMs;
  for (;;) {
    try {
      client.run('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      await Bun.sleep(1 + Math.random() * 9);
    }
  }
}
