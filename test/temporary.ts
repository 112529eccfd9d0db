import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set<string>();

/** A fresh directory that is removed when this process ends. */
export function temporaryDirectory(prefix = 'test'): string {
  if (made.size === 0) process.once('exit', removeAll);
  const directory = mkdtempSync(join(realpathSync(tmpdir()), `trivet-${prefix}-`));
  made.add(directory);
  return directory;
}

function removeAll(): void {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
}
