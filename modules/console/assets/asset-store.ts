import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  openedPack,
  type FilePack,
  type PackedFile,
  type SentFile,
} from '../../../core/http/answer/file-pack.ts';
import { perHost } from '../../../core/host/host.ts';

interface ConsoleFiles {
  readonly page: string;
  readonly file: FilePack['file'];
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

export function openPack(pack: Uint8Array<ArrayBuffer>): ConsoleFiles {
  const { about, file } = openedPack(pack);
  return { page: about, file };
}

async function fromSources(): Promise<ConsoleFiles> {
  // A name hidden from the bundler: the executable contains the files but not the code that builds them.
  const made = ['./asset', 'build.ts'].join('-');
  const { buildAssets } = (await import(made)) as {
    readonly buildAssets: () => Promise<{ readonly page: string; readonly files: readonly PackedFile[] }>;
  };
  const { page, files } = await buildAssets();
  const sent = new Map<string, SentFile>(
    files.map(({ name, type, bytes }) => [name, { type, body: gzipSync(bytes), encoding: 'gzip' }]),
  );
  const plain = new Map<string, SentFile>(
    files.map(({ name, type, bytes }) => [name, { type, body: bytes, encoding: null }]),
  );
  return { page, file: (name, accepted) => (/\bgzip\b/.test(accepted) ? sent : plain).get(name) };
}
