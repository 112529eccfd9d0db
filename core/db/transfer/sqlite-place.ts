import { Database } from 'bun:sqlite';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, refuseExposedData, refuseUnreadableData } from '../sqlite/data-directory.ts';
import { examineDatabase } from '../sqlite/database-file.ts';
import { listApplied, type Applied } from '../ledger/ledger.ts';
import { connect } from '../sqlite/sqlite-connection.ts';
import { insertStatement, pageBytes, pageStatement } from './page-statement.ts';
import type { TransferSource, Target } from './place.ts';
import {
  transferConflictOf,
  rowKeyText,
  progressOf,
  progressStatements,
  type ProgressRow,
} from './progress-table.ts';
import type { Row, Value } from './row-checksum.ts';

const statements = progressStatements('sqlite');

/**
 * Opens the database of a directory for reading only.
 * @returns null when there is none.
 * @throws UsageError or Fault STORAGE_FAILED for a database that a server could not use either.
 */
export function openSqliteSource(directory: string): TransferSource | null {
  refuseUnreadableData(directory);
  if (!examineDatabase(directory)) return null;
  refuseExposedData(directory);
  const client = new Database(join(directory, databaseFile), { readonly: true });
  client.run('PRAGMA busy_timeout = 5000');
  return reading(client, directory);
}

/** Opens a migrated database to be written by a transfer. */
export function openSqliteTarget(directory: string): Target {
  // A commit lost in a power failure also loses its progress, so "normal" is enough until the end.
  const client = connect(directory, 'normal');
  const inTransaction = (work: () => void) => {
    client.run('BEGIN IMMEDIATE');
    try {
      work();
      client.run('COMMIT');
    } catch (error) {
      if (client.inTransaction) client.run('ROLLBACK');
      throw error;
    }
  };
  const setSequence = (table: string, lastId: number) => {
    client.run('DELETE FROM sqlite_sequence WHERE name = ?', [table]);
    client.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, lastId]);
  };
  return {
    ...reading(client, directory),
    begin: async (source, tables) =>
      inTransaction(() => {
        for (const { name } of tables) client.run(statements.begin, [name, source]);
      }),
    write: async (table, rows, from, to) =>
      inTransaction(() => {
        const moved = client
          .query(statements.advance)
          .get(table.name, rowKeyText(from.lastKey), rowKeyText(to.lastKey), Number(to.done));
        if (moved === null) throw transferConflictOf(table.name);
        const insert = client.query<unknown, Value[]>(insertStatement('sqlite', table));
        for (const row of rows) insert.run(...row);
      }),
    setLastId: async ({ name }, lastId) => inTransaction(() => setSequence(name, lastId)),
    clear: async (tables) =>
      inTransaction(() => {
        for (const { name } of tables) {
          client.run(`DELETE FROM "${name}"`);
          client.run(statements.reset, [name]);
        }
      }),
    finish: async () => {
      client.run('PRAGMA synchronous = FULL');
      inTransaction(() => {
        for (const statement of statements.finish) client.run(statement);
      });
      client.run('PRAGMA wal_checkpoint(TRUNCATE)');
    },
  };
}

function reading(client: Database, directory: string): TransferSource {
  const tables = () =>
    client
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => name);
  return {
    engine: 'sqlite',
    name: realpathSync(directory),
    tables: async () => tables(),
    applied: async () =>
      tables().includes('trivet_migrations') ? client.query<Applied, []>(listApplied).all() : [],
    // The lock of a directory tells more: the command asks it.
    sessions: () => Promise.resolve(0),
    progress: async () =>
      tables().includes('trivet_transfer')
        ? client.query<ProgressRow, []>(statements.list).all().map(progressOf)
        : [],
    snapshot: async () => {
      if (client.inTransaction) client.run('COMMIT');
      client.run('BEGIN');
      // A deferred transaction sees the database of its first read.
      tables();
    },
    count: async ({ name }) =>
      client.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()?.n ?? 0,
    page: async (table, after) => {
      const page: Row[] = [];
      let bytes = 0;
      const statement = client.query<Record<string, Value>, Value[]>(
        pageStatement('sqlite', table, after === null),
      );
      for (const found of statement.iterate(...(after ?? []))) {
        const row = table.columns.map(({ name }) => found[name] ?? null);
        page.push(row);
        for (const value of row) if (typeof value === 'string') bytes += value.length;
        if (bytes >= pageBytes) break;
      }
      return page;
    },
    lastId: async ({ name }) =>
      client.query<{ seq: number }, [string]>('SELECT seq FROM sqlite_sequence WHERE name = ?').get(name)
        ?.seq ?? 0,
    close: async () => client.close(),
  };
}
