import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzip, tarOf, type Entry } from '../archive.ts';
import { root } from '../checkout.ts';
import { bundledEntry, compressedSize, requireBudget } from './sdk-bundle.ts';
import { pageFile, sdkEntries } from './sdk-entry.ts';
import { pageScript } from './served-files.ts';
import { sdkTypes } from './sdk-types.ts';

/** The files of sdk/dist by their path in it. The same sources give the same bytes. @throws Error above a budget. */
async function distFiles(): Promise<ReadonlyMap<string, Uint8Array | string>> {
  const files = new Map<string, Uint8Array | string>();
  const sizes = await Promise.all(
    sdkEntries.map(async (entry) => [entry, await compressedSize(entry)] as const),
  );
  requireBudget(sizes);
  for (const entry of sdkEntries) {
    files.set(`${entry.name}.js`, await bundledEntry(entry, { format: 'esm', minify: false }));
    files.set(`${entry.name}.cjs`, await bundledEntry(entry, { format: 'cjs', minify: false }));
  }
  files.set(pageFile, await pageScript());
  for (const [path, text] of await sdkTypes(sdkEntries)) files.set(path, text);
  return files;
}

/** Builds sdk/dist. */
export async function buildSdk(): Promise<void> {
  const folder = join(root, 'sdk', 'dist');
  const made = join(root, 'sdk', `dist.${process.pid}`);
  try {
    for (const [path, content] of await distFiles()) await Bun.write(join(made, path), content);
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/**
 * The files of the package, as `npm pack` would take them from sdk/, and folders for tools that do not read "exports": Metro before 0.79
 * and TypeScript with `node10` look for `trivet-sdk/auth/package.json`.
 */
async function packageEntries(): Promise<readonly Entry[]> {
  const bytesOf = (content: Uint8Array | string) =>
    typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const entryOf = (path: string, content: Uint8Array | string): Entry => ({
    path: `package/${path}`,
    bytes: bytesOf(content),
    mode: 0o644,
  });
  const copied = ['sdk/package.json', 'sdk/README.md', 'LICENSE'];
  const documents = await Promise.all(
    copied.map(async (path) => entryOf(path.replace('sdk/', ''), await Bun.file(join(root, path)).bytes())),
  );
  const dist = [...(await distFiles())].map(([path, content]) => entryOf(`dist/${path}`, content));
  const folders = sdkEntries
    .filter(({ subpath }) => subpath !== '.')
    .map(({ name }) => {
      const target = `../dist/${name}`;
      const pointer = { main: `${target}.cjs`, module: `${target}.js`, types: `${target}.d.ts` };
      return entryOf(`${name}/package.json`, `${JSON.stringify(pointer, null, 2)}\n`);
    });
  return [...documents, ...dist, ...folders];
}

/** The name of the archive in a release. */
export const sdkArchiveName = (version: string): string => `trivet-sdk-${version}.tgz`;

/** The package as `npm install` takes it. The same sources and time give the same bytes. */
export const sdkArchive = async (time: Date): Promise<Uint8Array> =>
  gzip(await tarOf(await packageEntries(), time));
