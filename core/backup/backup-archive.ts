import { closeSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createTarDecoder, createTarPacker } from 'modern-tar';
import { UsageError } from '../base/errors.ts';
import { decrypterFor, encrypterFor, notForThisIdentity } from '../base/age-cipher.ts';
import {
  readManifest,
  manifestFile,
  manifestText,
  type BackupFile,
  type BackupManifest,
} from './backup-manifest.ts';

/** Called with the bytes done so far, and the total. */
export type BackupProgress = (done: number, total: number) => void;

/** The first bytes of a file that age has encrypted (age-encryption.org/v1). */
const ageMagic = 'age-encryption.org/';
const gzipMagic = [0x1f, 0x8b];

/** The maximum length of a manifest. */
const manifestBytes = 64 * 1024;

export const totalOf = (files: readonly BackupFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * The bytes of an archive: a tar file with the manifest first, compressed with gzip, and encrypted when there are recipients.
 * @param pathOf returns the path of each file of the manifest.
 * @param recipients age public keys (`age1…`).
 */
export async function archiveStream(
  manifest: BackupManifest,
  pathOf: (name: string) => string,
  recipients: readonly string[],
  progress: BackupProgress,
): Promise<ReadableStream<Uint8Array>> {
  const { readable, controller } = createTarPacker();
  void pack().catch((error: unknown) => controller.error(error));
  const compressed = readable.pipeThrough(new CompressionStream('gzip'));
  if (recipients.length === 0) return compressed;
  return (await encrypterFor(recipients)).encrypt(compressed);

  async function pack(): Promise<void> {
    const total = totalOf(manifest.files);
    const text = new TextEncoder().encode(manifestText(manifest));
    await put(manifestFile, text.length, new Blob([text]).stream());
    let done = 0;
    for (const { name, bytes } of manifest.files) {
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, out) {
          out.enqueue(chunk);
          progress((done += chunk.length), total);
        },
      });
      await put(name, bytes, Bun.file(pathOf(name)).stream().pipeThrough(counted));
    }
    controller.finalize();
  }

  async function put(name: string, size: number, content: ReadableStream<Uint8Array>): Promise<void> {
    const mtime = new Date(manifest.createdAt);
    await content.pipeTo(controller.add({ name, size, mode: 0o600, mtime, type: 'file' }));
  }
}

/**
 * Unpacks an archive into a directory that exists and is empty, and compares sizes and checksums with its manifest.
 * @param where the name of the archive in errors.
 * @param identity the age identities that may open it, one per line; undefined when none was given.
 * @param accept is called with the manifest before any file is written, e.g. to check the free space.
 * @throws UsageError when the file is not an archive, is incomplete or damaged, or cannot be decrypted.
 */
export async function unpackArchive(
  source: ReadableStream<Uint8Array>,
  where: string,
  {
    directory,
    identity,
    accept,
    progress,
  }: {
    readonly directory: string;
    readonly identity: string | undefined;
    readonly accept: (manifest: BackupManifest) => void;
    readonly progress: BackupProgress;
  },
): Promise<BackupManifest> {
  try {
    const { first, stream } = await peek(source);
    const plain = startsWith(first, ageMagic) ? await decrypted(stream, where, identity) : stream;
    const opened = await peek(plain);
    if (gzipMagic.some((byte, at) => opened.first[at] !== byte))
      throw new UsageError(
        `${where} is no backup of Trivet: name a file or a directory that "trivet backup" made.`,
      );
    const entries = opened.stream
      .pipeThrough(new DecompressionStream('gzip') as TransformStream<Uint8Array, Uint8Array>)
      .pipeThrough(createTarDecoder({ strict: true }));
    return await unpackEntries(entries, where, directory, accept, progress);
  } catch (error) {
    if (error instanceof UsageError || isOwnFailure(error)) throw error;
    // Any error of a decoder means that the archive was cut or changed.
    throw new UsageError(
      `${where} is incomplete or damaged (${error instanceof Error ? error.message : 'unreadable'}). Nothing was changed. Use another backup.`,
    );
  }
}

/** Whether the error is a failure of this machine, e.g. a full disk, rather than of the archive. */
const isOwnFailure = (error: unknown) => error instanceof Error && 'syscall' in error;

type Entries = ReadableStream<{
  readonly header: { name: string; size: number; type?: string | undefined };
  readonly body: ReadableStream<Uint8Array>;
}>;

async function unpackEntries(
  entries: Entries,
  where: string,
  directory: string,
  accept: (manifest: BackupManifest) => void,
  progress: BackupProgress,
): Promise<BackupManifest> {
  let manifest: BackupManifest | undefined;
  const missing = new Map<string, BackupFile>();
  let done = 0;
  for await (const { header, body } of entries) {
    if (manifest === undefined) {
      if (header.name !== manifestFile || header.size > manifestBytes)
        throw new UsageError(`${where} is no backup of Trivet: its first entry is not ${manifestFile}.`);
      manifest = readManifest(await new Response(body).text(), where);
      for (const file of manifest.files) missing.set(file.name, file);
      accept(manifest);
      continue;
    }
    const file = missing.get(header.name);
    if (!file || header.size !== file.bytes || (header.type ?? 'file') !== 'file')
      throw new UsageError(`${where} is damaged: it has an entry that its ${manifestFile} does not name.`);
    missing.delete(header.name);
    const total = totalOf(manifest.files);
    const sha256 = await writeHashed(join(directory, file.name), body, (bytes) =>
      progress((done += bytes), total),
    );
    if (sha256 !== file.sha256)
      throw new UsageError(`${where} is damaged: the checksum of ${file.name} differs.`);
  }
  const [lost] = missing.keys();
  if (manifest === undefined || lost !== undefined)
    throw new UsageError(
      `${where} is incomplete: it ends before ${lost ?? manifestFile}. Use another backup.`,
    );
  return manifest;
}

/** Writes a file that only its owner can read. It is on the disk when this returns. @returns its SHA-256. */
export async function writeHashed(
  path: string,
  content: ReadableStream<Uint8Array>,
  wrote: (bytes: number) => void,
): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  const file = openSync(path, 'wx', 0o600);
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
      wrote(chunk.length);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

/** The manifest entry of a file. */
export async function describeFile(name: string, path: string): Promise<BackupFile> {
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  return { name, bytes: statSync(path).size, sha256: hash.digest('hex') };
}

async function decrypted(
  stream: ReadableStream<Uint8Array>,
  where: string,
  identity: string | undefined,
): Promise<ReadableStream<Uint8Array>> {
  const decrypter = await decrypterFor(identity, where);
  try {
    return await decrypter.decrypt(stream);
  } catch {
    throw notForThisIdentity(where);
  }
}

const startsWith = (bytes: Uint8Array, text: string) =>
  new TextDecoder('latin1').decode(bytes.subarray(0, text.length)) === text;

/** The first bytes of a stream, and a stream that still contains them. */
async function peek(
  source: ReadableStream<Uint8Array>,
): Promise<{ readonly first: Uint8Array; readonly stream: ReadableStream<Uint8Array> }> {
  const reader = source.getReader();
  let first = new Uint8Array();
  let over = false;
  while (!over && first.length < ageMagic.length) {
    const { value, done } = await reader.read();
    over = done;
    if (value) first = Buffer.concat([first, value]);
  }
  const stream = new ReadableStream<Uint8Array>({
    start: (out) => {
      if (first.length > 0) out.enqueue(first);
      if (over) out.close();
    },
    pull: async (out) => {
      const { value, done } = await reader.read();
      if (done) out.close();
      else out.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { first, stream };
}
