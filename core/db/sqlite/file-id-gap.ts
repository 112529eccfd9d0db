import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { idGap } from '../query/reserved-ids.ts';
import { databaseFile } from './data-directory.ts';

/**
 * Leaves ids out in a database that went back in time, before a server opens it: also in one of an earlier version, which nothing but a
 * migration may change.
 */
export function leaveFileIdGap(directory: string, tables: readonly string[]): void {
  const client = new Database(join(directory, databaseFile), { create: false, readwrite: true });
  try {
    client.run('PRAGMA busy_timeout = 5000');
    client.run('BEGIN IMMEDIATE');
    for (const name of tables) raise(client, name);
    client.run('COMMIT');
    // A restore moves the file alone, and what this process has read it with may keep the log from being removed.
    const moved = client.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (moved?.busy !== 0) throw new Error(`${databaseFile} is in use`);
  } finally {
    client.close();
  }
}

function raise(client: Database, name: string): void {
  const { changes } = client.run('UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?', [idGap, name]);
  if (changes > 0) return;
  // SQLite makes this row with the first row of the table; an earlier version may lack the table.
  client.run(
    "INSERT INTO sqlite_sequence (name, seq) SELECT name, ? FROM sqlite_master WHERE type = 'table' AND name = ?",
    [idGap, name],
  );
}
