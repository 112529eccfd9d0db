import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs a shell script once this process has ended, however it ended: the shell reads a pipe that only this process holds open. A handler of
 * `exit` would not work: neither `bun test` nor SIGKILL calls it. `tell` writes a line that the script can `read`; `cancel` ends the shell
 * without running the rest of the script.
 */
export function afterThisProcess(script: string, ...args: readonly string[]) {
  const shell = Bun.spawn(['/bin/sh', '-c', `trap '' INT TERM HUP; ${script}`, 'sh', ...args], {
    cwd: '/',
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  shell.unref();
  return {
    tell: (line: string): void => {
      void shell.stdin.write(`${line}\n`);
      void shell.stdin.flush();
    },
    cancel: (): void => shell.kill('SIGKILL'),
  };
}

// Retries for some seconds: a server may still be writing into its directory while it ends.
const removal = `
while IFS= read -r directory; do set -- "$@" "$directory"; done
for attempt in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- "$@" && exit; sleep 0.5; done`;

let remover: ReturnType<typeof afterThisProcess> | undefined;

/** A new directory that is removed when this process ends. */
export function temporaryDirectory(prefix = 'test'): string {
  remover ??= afterThisProcess(removal);
  const directory = mkdtempSync(join(realpathSync(tmpdir()), `trivet-${prefix}-`));
  remover.tell(directory);
  return directory;
}
