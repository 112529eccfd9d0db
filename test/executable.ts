import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { childEnd } from './child-end.ts';

const root = join(import.meta.dir, '..');

/** A way to start Trivet: the words before its own arguments. */
export interface Executable {
  readonly name: string;
  readonly command: readonly string[];
}

export const fromSource: Executable = {
  name: 'source',
  command: [process.execPath, '--no-env-file', join(root, 'modules', 'main.ts')],
};

export const compiled: Executable = { name: 'dist/trivet', command: [join(root, 'dist', 'trivet')] };

/** Both ways, for tests of their differences: file paths, own commands, plugins. Other tests start {@link compiled}, which users have. */
export const executables: readonly Executable[] = [fromSource, compiled];

export function requireBuilt(): void {
  if (!existsSync(join(root, 'dist', 'trivet')))
    throw new Error('dist/trivet is missing: run npm run build first');
}

/** The part of this environment that a started program may see: nothing that configures Trivet. */
export function cleanEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !name.startsWith('TRIVET_') && name !== 'NODE_ENV',
  ) as Array<[string, string]>;
  return { ...Object.fromEntries(kept), ...more };
}

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Trivet until it ends. */
export async function runTrivet(
  executable: Executable,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string>; readonly stdin?: string } = {},
): Promise<Finished> {
  const child = Bun.spawn([...executable.command, ...args], {
    cwd: options.cwd ?? root,
    env: cleanEnvironment(options.env),
    stdin: new Blob([options.stdin ?? '']),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

/** A personal access token, created by the owner of the machine. @throws when that fails. */
export async function createToken(
  executable: Executable,
  where: readonly string[],
  email = 'owner@example.org',
): Promise<string> {
  const words = ['token', 'create', '--email', email, '--name', 'test'];
  const { exitCode, stdout, stderr } = await runTrivet(executable, [...words, ...where]);
  if (exitCode !== 0) throw new Error(`trivet ${words.join(' ')}: ${stderr}`);
  return stdout.trim();
}

export interface Running {
  readonly origin: string;
  readonly pid: number;
  /** Everything written to stderr so far. */
  stderr(): string;
  /** Sends SIGTERM by default; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a server and waits for its line `trivet listening on …`. */
export async function serveTrivet(
  executable: Executable,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Running> {
  const child = Bun.spawn([...executable.command, 'serve', '--port', '0', ...args], {
    cwd: options.cwd ?? root,
    env: cleanEnvironment(options.env),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let stderr = '';
  const origin = await new Promise<string>((resolve, reject) => {
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) {
        stderr += decoder.decode(chunk, { stream: true });
        const found = /^trivet listening on (http:\S+)$/m.exec(stderr)?.[1];
        if (found) resolve(found);
      }
      reject(new Error(`trivet ended before it listened: ${stderr}`));
    })();
  });
  return {
    origin,
    pid: child.pid,
    stderr: () => stderr,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await childEnd(child);
      return child.exitCode;
    },
  };
}
