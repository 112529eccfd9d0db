import { Database } from 'bun:sqlite';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterThisProcess, temporaryDirectory } from '../temporary.ts';

/** Overwrites everything except the first page, which identifies it as a database. */
export function damage(data: string): void {
  const path = join(data, 'trivet.db');
  const noise = Buffer.alloc(statSync(path).size - 4096, 0xa5);
  const file = openSync(path, 'r+');
  writeSync(file, noise, 0, noise.length, 4096);
  closeSync(file);
}

/** Makes the database look like one that was created with another master key. */
export function anotherFingerprint(data: string): void {
  const file = new Database(join(data, 'trivet.db'));
  // A server has just started there, and its jobs write.
  file.run('PRAGMA busy_timeout = 5000');
  file.run(`UPDATE auth_master_key_checks SET fingerprint = 'of another key'`);
  file.close();
}

/** A directory on its own small disk; undefined without the right to mount one. */
export function smallDisk(): { readonly data: string; fill(): void; unmount(): void } | undefined {
  const data = temporaryDirectory('small');
  const options = 'size=64m,mode=0700';
  if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', data]).exitCode !== 0) {
    process.stdout.write('skipped: no right to mount a tmpfs\n');
    return undefined;
  }
  const guard = afterThisProcess('read -r line; umount -l "$1"', data);
  return {
    data,
    fill: () => void Bun.spawnSync(['dd', 'if=/dev/zero', `of=${join(data, 'filler')}`, 'bs=4096']),
    unmount: () => {
      Bun.spawnSync(['umount', '-l', data]);
      guard.cancel();
    },
  };
}
