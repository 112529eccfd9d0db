import { fail } from '../../base/errors.ts';
import type { Engine } from '../query/engine.ts';
import { transferTag } from '../ledger/ledger.ts';
import type { Migration } from '../ledger/migration.ts';
import type { Progress } from './place.ts';
import type { Row } from './row-checksum.ts';

/**
 * The progress table, as a migration that only a transfer knows: no server or command, not even of an earlier version, works on a target
 * before it is complete.
 */
export const progressMigration: Migration = {
  tag: transferTag,
  sql: 'CREATE TABLE trivet_transfer (table_name text PRIMARY KEY, source text NOT NULL, last_key text, done bigint NOT NULL)',
};

/** The statements about the progress for the parameters of an engine. */
export function progressStatements(engine: Engine) {
  const text = (index: number) => (engine === 'sqlite' ? `?${index}` : `$${index}::text`);
  const number = (index: number) => (engine === 'sqlite' ? `?${index}` : `$${index}::bigint`);
  return {
    list: 'SELECT table_name, source, last_key, done FROM trivet_transfer',
    begin: `INSERT INTO trivet_transfer (table_name, source, done) VALUES (${text(1)}, ${text(2)}, 0) ON CONFLICT DO NOTHING`,
    // If two processes transfer the same rows, the second one finds a different key.
    advance:
      `UPDATE trivet_transfer SET last_key = ${text(3)}, done = ${number(4)} ` +
      `WHERE table_name = ${text(1)} AND done = 0 AND last_key IS NOT DISTINCT FROM ${text(2)} RETURNING table_name`,
    reset: `UPDATE trivet_transfer SET last_key = NULL, done = 0 WHERE table_name = ${text(1)}`,
    finish: ['DROP TABLE trivet_transfer', `DELETE FROM trivet_migrations WHERE tag = '${transferTag}'`],
  };
}

export interface ProgressRow {
  readonly table_name: string;
  readonly source: string;
  readonly last_key: string | null;
  readonly done: number | string;
}

export const progressOf = (row: ProgressRow): Progress => ({
  table: row.table_name,
  source: row.source,
  lastKey: row.last_key === null ? null : (JSON.parse(row.last_key) as Row),
  done: Number(row.done) === 1,
});

/** The stored text of a key. */
export const rowKeyText = (key: Row | null): string | null => (key === null ? null : JSON.stringify(key));

/** The error for rows whose progress another process has moved. */
export const transferConflictOf = (table: string) =>
  fail.CONFLICT(`Another process transfers the rows of ${table} to the same place.`, {
    tip: 'Let one of them end. If both have ended, run the command again.',
  });
