import type { Database } from 'bun:sqlite';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
    removePart(part);
    throw error;
  }
}

/** Removes what copies of a database before its upgrade left when they were killed. Only who upgrades alone may: others may be copying. */
export function removeKilledCopies(directory: string): void {
  for (const name of readdirSync(directory)) {
    const [part] = /^backup-.*\.db\.part(?=$|-journal$)/.exec(name) ?? [];
    if (part) removePart(join(directory, part));
  }
}

/** SQLite leaves the journal of a copy that it could not complete. */
function removePart(part: string): void {
  for (const path of [part, `${part}-journal`]) rmSync(path, { force: true });
}
