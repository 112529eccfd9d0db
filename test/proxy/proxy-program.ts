import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../temporary.ts';

export type ProxyName = 'nginx' | 'caddy';

/** Where Debian's packages are kept between runs, together with the other downloads of tests. */
const packages = join(import.meta.dir, '..', '..', 'node_modules', '.cache', 'proxies');

/**
 * The path of a proxy's program: an installed one, else the one from Debian's package, unpacked without installing it.
 * @returns undefined if there is neither.
 */
export async function proxyProgram(name: ProxyName): Promise<string | undefined> {
  const onPath = Bun.which(name, { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` });
  if (onPath !== null) return onPath;
  const unpacked = join(packages, name);
  if (!existsSync(unpacked) && !(await unpack(name, unpacked))) return undefined;
  return ['usr/sbin', 'usr/bin']
    .map((folder) => join(unpacked, folder, name))
    .find((path) => existsSync(path));
}

async function unpack(name: ProxyName, into: string): Promise<boolean> {
  if (Bun.which('apt-get') === null || Bun.which('dpkg-deb') === null) return false;
  const folder = temporaryDirectory('package');
  if (!(await runs(['apt-get', 'download', name], folder))) return false;
  const file = readdirSync(folder).find((entry) => entry.endsWith('.deb'));
  if (file === undefined) return false;
  mkdirSync(packages, { recursive: true });
  return runs(['dpkg-deb', '-x', join(folder, file), into], folder);
}

async function runs(command: readonly string[], cwd: string): Promise<boolean> {
  const child = Bun.spawn([...command], { cwd, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
  return (await child.exited) === 0;
}
