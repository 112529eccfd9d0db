import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isUnwritable } from '../../base/foreign-errors.ts';
import { databaseFile } from './data-directory.ts';
import { damageErrorOf, makeMark, readMarks, writeMarks } from './database-file.ts';

/** A larger database is not checked at startup (measured: about 1 s for 256 MiB), only by `trivet doctor`. */
const checkedBytes = 256 * 1024 * 1024;

/**
 * Checks a database before a server uses it, and gives it a new mark, by which {@link examineDatabase} knows whether the log
 * beside it belongs to it.
 * @throws Fault STORAGE_FAILED for a damaged database.
 */
export function checkAndMark(client: Database, directory: string): void {
  const path = join(directory, databaseFile);
  if (statSync(path).size <= checkedBytes) {
    const [fault] = client.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
    if (fault?.quick_check !== 'ok')
      throw damageErrorOf(
        path,
        `is damaged (${String(fault?.quick_check).split('\n').at(-1)})`,
        'sqlite_corrupt',
      );
  }
  try {
    mark(client, directory);
  } catch (error) {
    // The directory is read-only or the disk is full: the server may still read.
    if (client.inTransaction) client.run('ROLLBACK');
    if (!isUnwritable(error)) throw error;
  }
}

/**
 * The marks file always contains every mark that the header may have: the new one is added before it is set, and the earlier ones are
 * removed only when the header in the file itself, not only in the log, contains the new one. Starting processes wait for each other.
 */
function mark(client: Database, directory: string): void {
  const fresh = makeMark();
  client.run('BEGIN IMMEDIATE');
  writeMarks(directory, [...new Set([...(readMarks(directory) ?? []), versionOf(client), fresh])]);
  client.run(`PRAGMA user_version = ${fresh}`);
  client.run('COMMIT');
  const moved = client.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
  client.run('BEGIN IMMEDIATE');
  if (moved?.busy === 0 && versionOf(client) === fresh) writeMarks(directory, [fresh]);
  client.run('COMMIT');
}

/**
 * Removes the marks of earlier starts when the header in the file has the present one. A server that is replicated cannot empty its log
 * at the start.
 * @param client without a transaction.
 * @param isCopied whether all of the log is in the database.
 */
export function forgetEarlierMarks(client: Database, directory: string, isCopied: () => boolean): void {
  client.run('BEGIN IMMEDIATE');
  if (isCopied()) writeMarks(directory, [versionOf(client)]);
  client.run('ROLLBACK');
}

const versionOf = (client: Database) =>
  client.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0;
