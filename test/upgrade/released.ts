import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Executable } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';

/**
 * A released version, to run together with this one. `stored/VERSION.tar.gz` has its code and its dependencies of that time in
 * one file, and its migrations; without pdfmake, so no PDF. In a checkout of its commit (0.1.0: d8a4909), with
 * its own dependencies installed:
 *
 *   bun build core/main.ts --target bun --external 'pdfmake/*' --outfile VERSION/core/bundle/trivet.js
 *   cp -r drizzle LICENSE VERSION (without drizzle/…/meta)
 *   tar -czf VERSION.tar.gz VERSION
 */
export function releasedVersion(version: string): Executable {
  const directory = temporaryDirectory('released');
  const archive = join(import.meta.dir, 'stored', `${version}.tar.gz`);
  const { exitCode, stderr } = Bun.spawnSync(['tar', '-xzf', archive, '-C', directory]);
  if (exitCode !== 0) throw new Error(`${archive} could not be unpacked: ${stderr.toString()}`);
  const entry = join(directory, version, 'core', 'bundle', 'trivet.js');
  return { name: version, command: [process.execPath, '--no-env-file', entry] };
}

/** The versions that are stored. */
export const releasedVersions: readonly string[] = readdirSync(join(import.meta.dir, 'stored'))
  .filter((file) => file.endsWith('.tar.gz'))
  .map((file) => file.slice(0, -'.tar.gz'.length));
