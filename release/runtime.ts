import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackTar } from 'modern-tar';
import { run } from './command.ts';
import { root } from './checkout.ts';
import { locked, requireIntegrity, type Lockfile } from './lockfile.ts';
import { runtimePath, type Target } from './target.ts';

/** Archives that were fetched before; git ignores the folder. */
export const cache = join(root, '.cache', 'release');

/**
 * Bun's executable for a target, from the package that package-lock.json names. Its hash is compared at every use, even if the archive was
 * fetched before.
 * @param folder where the executable is put.
 * @returns its path.
 * @throws when the archive has another hash.
 */
export async function runtimeFor(target: Target, lockfile: Lockfile, folder: string): Promise<string> {
  const { version, integrity } = locked(lockfile, `node_modules/${target.runtime}`);
  const archive = await archiveOf(target.runtime, version);
  const bytes = await Bun.file(archive).bytes();
  try {
    requireIntegrity(target.runtime, bytes, integrity);
  } catch (error) {
    rmSync(archive);
    throw error;
  }
  const path = runtimePath(target);
  const [entry] = await unpackTar(Bun.gunzipSync(bytes), { filter: ({ name }) => name === path });
  if (!entry?.data) throw new Error(`${target.runtime} has no ${path}.`);
  const executable = join(folder, `bun-${target.name}`);
  await Bun.write(executable, entry.data, { mode: 0o755 });
  return executable;
}

/** npm knows the registry, its certificates and the proxy. */
async function archiveOf(name: string, version: string): Promise<string> {
  const kept = join(cache, `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`);
  if (existsSync(kept)) return kept;
  mkdirSync(cache, { recursive: true });
  // In an empty folder: npm would read the configuration of a project in the current one.
  const cwd = mkdtempSync(join(tmpdir(), 'trivet-runtime-'));
  try {
    await run(
      ['npm', 'pack', '--silent', '--ignore-scripts', `--pack-destination=${cache}`, `${name}@${version}`],
      {
        cwd,
      },
    );
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
  if (!existsSync(kept)) throw new Error(`npm pack has not written ${kept}.`);
  return kept;
}
