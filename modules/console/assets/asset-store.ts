import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { perHost } from '../../../core/host.ts';
import type { Asset } from './asset-build.ts';

/** A file as a browser gets it. */
interface Sent {
  readonly type: string;
  readonly body: Uint8Array;
  readonly encoding: 'br' | 'gzip' | null;
}

export interface ConsoleFiles {
  readonly page: string;
  /** @returns undefined for a name that no file has. */
  file(name: string, accepted: string): Sent | undefined;
}

/** The files of the console: those in the executable, or made from the sources at the first visit. */
export const consoleFiles = perHost(() => {
  let loading: Promise<ConsoleFiles> | undefined;
  return () =>
    (loading ??= (Bun.isStandaloneExecutable ? embedded() : fromSources()).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
});

/** They lie in the file system of the executable: reading one costs nothing until somebody opens the console. */
async function embedded(): Promise<ConsoleFiles> {
  const folder = join(import.meta.dir, 'console');
  const types = JSON.parse(readFileSync(join(folder, 'types.json'), 'utf8')) as Record<string, string>;
  const read = new Map<string, Uint8Array>();
  const bytesOf = (name: string): Uint8Array => {
    const bytes = read.get(name) ?? new Uint8Array(readFileSync(join(folder, name)));
    read.set(name, bytes);
    return bytes;
  };
  return {
    page: readFileSync(join(folder, 'page.html'), 'utf8'),
    file: (name, accepted) => {
      const type = Object.hasOwn(types, name) ? types[name] : undefined;
      if (type === undefined) return undefined;
      if (/\bbr\b/.test(accepted)) return { type, body: bytesOf(`${name}.br`), encoding: 'br' };
      if (/\bgzip\b/.test(accepted)) return { type, body: bytesOf(`${name}.gz`), encoding: 'gzip' };
      return { type, body: bytesOf(name), encoding: null };
    },
  };
}

async function fromSources(): Promise<ConsoleFiles> {
  // A name that the bundler does not see: the executable holds the files and not what makes them.
  const made = './asset-build.ts';
  const { buildAssets } = (await import(made)) as {
    readonly buildAssets: () => Promise<{ readonly page: string; readonly files: readonly Asset[] }>;
  };
  const { page, files } = await buildAssets();
  const sent = new Map<string, Sent>(
    files.map(({ name, type, bytes }) => [name, { type, body: gzipSync(bytes), encoding: 'gzip' }]),
  );
  const plain = new Map<string, Sent>(
    files.map(({ name, type, bytes }) => [name, { type, body: bytes, encoding: null }]),
  );
  return { page, file: (name, accepted) => (/\bgzip\b/.test(accepted) ? sent : plain).get(name) };
}
