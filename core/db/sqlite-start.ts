import { isUnwritable } from '../foreign-errors.ts';
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile } from './data-directory.ts';
import { damaged, freshMark, readMarks, writeMarks } from './database-file.ts';

/** A larger database is not read whole at a start: `trivet doctor` does that (measured: about 1 s for 256 MiB). */
const checkedBytes = 256 * 1024 * 1024;

/**
 * What a server does before it works with a database: makes sure that it is sound, and gives it a mark of its own, by which
 * {@link examineDatabase} knows whether a log beside it is its own.
 * @throws Fault STORAGE_FAILED for a damaged database.
 */
export function checkAndMark(client: Database, directory: string): void {
  const path = join(directory, databaseFile);
  if (statSync(path).size <= checkedBytes) {
    const [fault] = client.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
    if (fault?.quick_check !== 'ok')
      throw damaged(path, `is damaged (${String(fault?.quick_check).split('\n').at(-1)})`, 'sqlite_corrupt');
  }
  try {
    mark(client, directory);
  } catch (error) {
    // A directory that may only be read, or a full disk: the server may still read.
    if (client.inTransaction) client.run('ROLLBACK');
    if (!isUnwritable(error)) throw error;
  }
}

/**
 * The marks on file are always at least those that the header may carry: the new one is added before it is set, and those of
 * before go only when the header in the file itself, not only the log, has it. Processes that start at once take turns.
 */
function mark(client: Database, directory: string): void {
  const fresh = freshMark();
  client.run('BEGIN IMMEDIATE');
  writeMarks(directory, [...new Set([...(readMarks(directory) ?? []), versionOf(client), fresh])]);
  client.run(`PRAGMA user_version = ${fresh}`);
  client.run('COMMIT');
  const moved = client.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
  client.run('BEGIN IMMEDIATE');
  if (moved?.busy === 0 && versionOf(client) === fresh) writeMarks(directory, [fresh]);
  client.run('COMMIT');
}

const versionOf = (client: Database) =>
  client.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0;
