import { openSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile } from './data-directory.ts';

const descriptors = new Map<string, number>();

/**
 * A descriptor of the database file of a directory, to read and flush it beside SQLite. It is never closed: that would release the locks of
 * the connections of this process (sqlite.org/howtocorrupt.html §2.2).
 */
export function databaseDescriptor(directory: string): number {
  const path = join(directory, databaseFile);
  const known = descriptors.get(path);
  if (known !== undefined) return known;
  const opened = openSync(path, 'r');
  descriptors.set(path, opened);
  return opened;
}
