import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { perHost } from '../../../core/host/host.ts';
import type { Asset, PackIndex, Place } from './asset-build.ts';

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

/** The embedded files, which are read when somebody opens the console. */
async function embedded(): Promise<ConsoleFiles> {
  return openPack(readFileSync(join(import.meta.dir, 'console.pack')));
}

/** The files of a pack (asset-build.ts). */
export function openPack(pack: Uint8Array): ConsoleFiles {
  const start = pack.indexOf(10) + 1;
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(0, start))) as PackIndex;
  const bytesAt = ([from, length]: Place) => pack.subarray(start + from, start + from + length);
  return {
    page: index.page,
    file: (name, accepted) => {
      const found = Object.hasOwn(index.files, name) ? index.files[name] : undefined;
      if (!found) return undefined;
      const { type, plain, br, gzip } = found;
      if (/\bbr\b/.test(accepted)) return { type, body: bytesAt(br), encoding: 'br' };
      if (/\bgzip\b/.test(accepted)) return { type, body: bytesAt(gzip), encoding: 'gzip' };
      return { type, body: bytesAt(plain), encoding: null };
    },
  };
}

async function fromSources(): Promise<ConsoleFiles> {
  // A name hidden from the bundler: the executable contains the files but not the code that builds them.
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
