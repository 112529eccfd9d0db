import type { GivenFile } from '../../../core/base/given-file.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import type { Host } from '../../../core/host/host.ts';
import { fail } from '../base/errors.ts';
import { testmgmtSettings } from '../base/settings.ts';
import {
  appendChunks,
  beginBlob,
  bytesOfProject,
  chunkBytes,
  completeBlob,
  deleteSome,
} from './blob-store.ts';
import { mediaTypeOf } from './media-type.ts';

const mebibyte = 1024 * 1024;

/** Chunks of one transaction: 1 MiB for each wait for the disk. */
const chunksAtOnce = 4;

/** A content that is stored. */
export interface StoredBlob {
  readonly blobId: number;
  /** Hexadecimal digits. */
  readonly sha256: string;
  readonly size: number;
}

interface Writing {
  readonly host: Pick<Host, 'db' | 'clock' | 'config'>;
  /** What runs each step: a transaction of its own, or one that is open. */
  readonly tx: <T>(work: (q: Query) => Promise<T>) => Promise<T>;
}

/** The most bytes of one file. */
const maxBytesOf = (host: Pick<Host, 'config'>): number =>
  host.config.read(testmgmtSettings)['attachment-max'] * mebibyte;

/**
 * Stores the content of a file while it is read. Nothing of it can be seen before it is complete, and nothing remains of one that is not.
 * The same content is stored once for each project.
 * @throws Fault ATTACHMENT_TOO_LARGE, ATTACHMENT_QUOTA, INVALID_REQUEST for an empty file, and what the file throws.
 */
export async function storeBlob(
  { host, tx }: Writing,
  projectId: number,
  file: GivenFile,
  signal: AbortSignal,
): Promise<StoredBlob> {
  const maxBytes = maxBytesOf(host);
  const left = await bytesLeft(host, projectId);
  if ((file.size ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if ((file.size ?? 0) > left) throw overQuota(projectId);
  const hash = new Bun.CryptoHasher('sha256');
  let blobId: number | undefined;
  let size = 0;
  let position = 0;
  const store = async (chunks: readonly Uint8Array[]) => {
    const [first] = chunks;
    if (!first) return;
    const now = host.clock.now();
    for (const chunk of chunks) {
      hash.update(chunk);
      if (turnIsOver()) await nextTurn(signal);
    }
    const at = { position, size, now };
    const isThere = await tx(async (q) => {
      const id =
        blobId ?? (await beginBlob(q, { projectId, mediaType: mediaTypeOf(file.mediaType, first), now }));
      return (await appendChunks(q, id, chunks, at)) ? id : undefined;
    });
    if (isThere === undefined) throw tookTooLong();
    blobId = isThere;
    position += chunks.length;
  };
  try {
    let waiting: Uint8Array[] = [];
    for await (const chunk of evenChunks(file.chunks())) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      if (size > left) throw overQuota(projectId);
      waiting.push(chunk);
      if (waiting.length < chunksAtOnce) continue;
      await store(waiting);
      waiting = [];
    }
    await store(waiting);
    if (blobId === undefined) throw fail.INVALID_REQUEST('The file is empty.', { cause: 'file' });
    return await completed({ host, tx }, projectId, { blobId, sha256: hash.digest('hex'), size });
  } catch (error) {
    const begun = blobId;
    if (begun !== undefined) await discardBlob(tx, begun);
    throw error;
  }
}

/** Completes a content, or takes the same one that is there. */
async function completed({ host, tx }: Writing, projectId: number, stored: StoredBlob): Promise<StoredBlob> {
  const { blobId, sha256 } = stored;
  const now = host.clock.now();
  const kept = await tx(async (q) => {
    const id = await completeBlob(q, { projectId, blobId, sha256, now });
    // Uploads at the same time did not see one another when they began; here they wait for each other.
    if (id === blobId && (await bytesOfProject(q, projectId, 'complete')) > quotaOf(host))
      throw overQuota(projectId);
    return id;
  });
  if (kept === undefined) throw tookTooLong();
  if (kept !== blobId) await discardBlob(tx, blobId);
  return { ...stored, blobId: kept };
}

/** Deletes a content that has ended or was never complete, in parts, so that other writes run in between. */
export async function discardBlob(tx: Writing['tx'], blobId: number): Promise<void> {
  while (!(await tx((q) => deleteSome(q, blobId))));
}

const tookTooLong = () => fail.CLIENT_LEFT('The file took too long to arrive.');

/** The most bytes of a project. */
function quotaOf(host: Pick<Host, 'config'>): number {
  const quota = host.config.read(testmgmtSettings)['attachment-quota'] * mebibyte;
  return quota === 0 ? Infinity : quota;
}

const bytesLeft = async (host: Writing['host'], projectId: number): Promise<number> =>
  quotaOf(host) - (await bytesOfProject(host.db.q, projectId));

const tooLarge = (maxBytes: number) =>
  fail.ATTACHMENT_TOO_LARGE(`A file must not be larger than ${maxBytes / mebibyte} MiB.`);

const overQuota = (projectId: number) =>
  fail.ATTACHMENT_QUOTA(`The attachments of project ${projectId} would take more than their quota.`);

/** The same bytes in chunks of {@link chunkBytes}; only the last one may be shorter. */
async function* evenChunks(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(chunkBytes);
  let filled = 0;
  for await (const part of parts)
    for (let from = 0; from < part.byteLength;) {
      const taken = part.subarray(from, from + chunkBytes - filled);
      chunk.set(taken, filled);
      filled += taken.byteLength;
      from += taken.byteLength;
      if (filled < chunkBytes) continue;
      yield chunk;
      chunk = new Uint8Array(chunkBytes);
      filled = 0;
    }
  if (filled > 0) yield chunk.subarray(0, filled);
}
