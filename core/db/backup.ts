import type { Database } from 'bun:sqlite';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { freshMark, remark } from './database-file.ts';
import { createForOwner } from './sqlite.ts';

/**
 * Copies a database as it is at one moment, while others go on writing to it. The copy is its owner's alone, as SQLite would
 * not have it, and is on the disk before it gets its name, which VACUUM INTO does not see to (sqlite.org/lang_vacuum.html):
 * half a copy never looks like one.
 *
 * @throws what SQLite throws, e.g. when the disk is full; nothing is left then.
 */
export function copyDatabase(client: Database, path: string): void {
  const part = `${path}.part`;
  try {
    // SQLite fills an empty file and leaves its mode as it is.
    createForOwner(part);
    client.run('VACUUM INTO ?', [part]);
    // The log of the database that this is a copy of does not fit the copy.
    remark(part, freshMark());
    sync(part);
    renameSync(part, path);
    sync(dirname(path));
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
