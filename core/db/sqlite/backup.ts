import type { Database } from 'bun:sqlite';
import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createForOwner, flush } from '../../base/stored-file.ts';
import { makeMark, changeMark } from './database-file.ts';

/**
 * Copies a snapshot of a database while others write to it. Only the owner can read the copy (SQLite would make it readable for all). It is
 * on disk before it gets its name, which VACUUM INTO does not ensure (sqlite.org/lang_vacuum.html): an incomplete copy never looks like a
 * backup.
 *
 * @throws what SQLite throws, e.g. when the disk is full; then no file remains.
 */
export function copyDatabase(client: Database, path: string): void {
  const part = `${path}.part`;
  try {
    // SQLite fills an empty file and keeps its mode.
    createForOwner(part);
    client.run('VACUUM INTO ?', [part]);
    // The log of the original does not belong to the copy.
    changeMark(part, makeMark());
    flush(part);
    renameSync(part, path);
    flush(dirname(path));
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
