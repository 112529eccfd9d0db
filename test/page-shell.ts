import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, compiled } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/** The machine of a reader who follows a page: a home, a folder with `trivet` on the PATH, and a shell. */
export interface Machine {
  readonly folder: string;
  /**
   * Types a block into the shell. It stops at the first command that fails.
   * @param meanwhile receives the block's stderr whenever it grows, e.g. to open an address that is shown.
   * @returns its stdout.
   * @throws with its stderr when a command fails.
   */
  type(block: string, meanwhile?: (stderr: string) => void): Promise<string>;
  leave(): Promise<void>;
}

export function newMachine(name: string): Machine {
  const home = temporaryDirectory(name);
  const folder = join(home, 'work');
  mkdirSync(join(home, 'bin'));
  mkdirSync(folder);
  // Copied to an empty folder, away from the checkout.
  copyFileSync(String(compiled.command[0]), join(home, 'bin', 'trivet'));
  chmodSync(join(home, 'bin', 'trivet'), 0o755);
  const shell = Bun.spawn(['bash'], {
    cwd: folder,
    env: cleanEnvironment({
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`,
    }),
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const heard = { stdout: '', stderr: '' };
  const follow = async (stream: ReadableStream<Uint8Array>, of: 'stdout' | 'stderr') => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) heard[of] += decoder.decode(chunk, { stream: true });
  };
  const followed = [follow(shell.stdout, 'stdout'), follow(shell.stderr, 'stderr')];

  let blocks = 0;
  return {
    folder,
    type: async (block, meanwhile) => {
      const mark = `=== end of block ${++blocks}:`;
      const from = { stdout: heard.stdout.length, stderr: heard.stderr.length };
      // In a subshell a failure does not end the shell, and background processes of a block continue.
      void shell.stdin.write(`( set -e\n${block}\n); echo "${mark} $?"\n`);
      for (let seen = ''; ; await Bun.sleep(20)) {
        const stderr = heard.stderr.slice(from.stderr);
        if (stderr !== seen) meanwhile?.((seen = stderr));
        const stdout = heard.stdout.slice(from.stdout);
        const [printed = '', code] = stdout.split(mark);
        if (code?.includes('\n')) {
          if (code.trim() !== '0') throw new Error(`${block}\n${stderr}${printed}`);
          return printed;
        }
        if (shell.exitCode !== null) throw new Error(`the shell ended: ${heard.stderr}`);
      }
    },
    leave: async () => {
      void shell.stdin.end();
      await shell.exited;
      await Promise.all(followed);
    },
  };
}
