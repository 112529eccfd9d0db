import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Waits until a file or a directory is on the disk. */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Atomically replaces a file, readable only by its owner. A reader sees the old text or the new one, and a kill leaves no partial file. The
 * file is on disk when this returns.
 */
export function replaceFile(path: string, text: string): void {
  const part = `${path}.part-${process.pid}`;
  rmSync(part, { force: true });
  writeFileSync(part, text, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(part, path);
  flush(dirname(path));
}
