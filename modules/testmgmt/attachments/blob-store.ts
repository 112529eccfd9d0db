import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm';
import { forUpdate } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { attachments, blobChunks, blobs } from '../base/evidence-schema.ts';
import { projects } from '../base/schema.ts';

/** The bytes of one chunk; only the last one of a blob is shorter. */
export const chunkBytes = 256 * 1024;

/** 8 MiB in one transaction. */
const chunksPerDelete = 32;
const blobsPerPage = 1_000;

type Blob = typeof blobs.$inferSelect;

/** The bytes that the contents of a project take, those in transfer included. */
export async function bytesOfProject(
  q: Query,
  projectId: number,
  which: 'all' | 'complete' = 'all',
): Promise<number> {
  const [sum] = await q
    .select({ bytes: sql<number>`coalesce(sum(${blobs.size}), 0)`.mapWith(Number) })
    .from(blobs)
    .where(and(eq(blobs.projectId, projectId), which === 'complete' ? isNotNull(blobs.sha256) : undefined));
  return sum?.bytes ?? 0;
}

/** A content that is complete. */
export async function blobBySha256(q: Query, projectId: number, sha256: string): Promise<Blob | undefined> {
  const [found] = await q
    .select()
    .from(blobs)
    .where(and(eq(blobs.projectId, projectId), eq(blobs.sha256, sha256)));
  return found;
}

/** A content that begins to arrive. @returns its id. */
export async function beginBlob(
  q: Query,
  row: Pick<Blob, 'projectId' | 'mediaType'> & { readonly now: number },
): Promise<number> {
  const { projectId, mediaType, now } = row;
  const [made] = await q
    .insert(blobs)
    .values({ projectId, mediaType, size: 0, usedAt: now })
    .returning({ id: blobs.id });
  if (!made) throw new Error('the content was not stored');
  return made.id;
}

/** Appends chunks. @returns false when the content is not there any more. */
export async function appendChunks(
  q: Query,
  blobId: number,
  chunks: readonly Uint8Array[],
  { position, size, now }: { readonly position: number; readonly size: number; readonly now: number },
): Promise<boolean> {
  const held = await q
    .update(blobs)
    .set({ size, usedAt: now })
    .where(and(eq(blobs.id, blobId), isNull(blobs.sha256)))
    .returning({ id: blobs.id });
  if (held.length === 0) return false;
  await q
    .insert(blobChunks)
    .values(chunks.map((content, index) => ({ blobId, position: position + index, content })));
  return true;
}

/**
 * Completes a content with its digest, or takes the same one of the project, which is then used instead.
 * @returns the id of the one to use; undefined when it is not there any more.
 */
export async function completeBlob(
  q: Query,
  { projectId, blobId, sha256, now }: { projectId: number; blobId: number; sha256: string; now: number },
): Promise<number | undefined> {
  // Two that complete the same content wait for each other.
  await forUpdate(q.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)));
  const same = await blobBySha256(q, projectId, sha256);
  if (same && (await useBlob(q, same.id, now))) return same.id;
  const [held] = await q
    .update(blobs)
    .set({ sha256, usedAt: now })
    .where(and(eq(blobs.id, blobId), isNull(blobs.sha256)))
    .returning({ id: blobs.id });
  return held?.id;
}

/** Marks a content as used now, so that it is not deleted as unused meanwhile. @returns false when it is gone. */
export async function useBlob(q: Query, blobId: number, now: number): Promise<boolean> {
  const held = await q
    .update(blobs)
    .set({ usedAt: now })
    .where(and(eq(blobs.id, blobId), isNotNull(blobs.sha256)))
    .returning({ id: blobs.id });
  return held.length > 0;
}

/**
 * Ends a content that no attachment refers to, if nobody has used it since `before`: it cannot be found any more, and its chunks can be
 * deleted. @returns whether it ended.
 */
export async function endIfUnused(q: Query, blobId: number, before: number): Promise<boolean> {
  const ended = await q
    .update(blobs)
    .set({ sha256: null })
    .where(and(eq(blobs.id, blobId), lt(blobs.usedAt, before), notExists(attachmentsOf(q))))
    .returning({ id: blobs.id });
  return ended.length > 0;
}

const attachmentsOf = (q: Query) =>
  q.select({ id: attachments.id }).from(attachments).where(eq(attachments.blobId, blobs.id));

/** Deletes some chunks of a content that has ended or was never complete, and at last the content. @returns whether it is gone. */
export async function deleteSome(q: Query, blobId: number): Promise<boolean> {
  const some = await q
    .select({ position: blobChunks.position })
    .from(blobChunks)
    .where(eq(blobChunks.blobId, blobId))
    .limit(chunksPerDelete);
  const positions = some.map(({ position }) => position);
  if (positions.length > 0)
    await q
      .delete(blobChunks)
      .where(and(eq(blobChunks.blobId, blobId), inArray(blobChunks.position, positions)));
  if (positions.length === chunksPerDelete) return false;
  await q.delete(blobs).where(eq(blobs.id, blobId));
  return true;
}

/** One page of contents by id, with those that no attachment refers to and nobody has used since `before`. */
export async function pageOfUnused(
  q: Query,
  { after, before }: { readonly after: number; readonly before: number },
): Promise<{ readonly last: number | undefined; readonly ids: readonly number[] }> {
  const rows = await q
    .select({
      id: blobs.id,
      isUnused:
        sql<number>`case when ${blobs.usedAt} < ${before} and not exists ${attachmentsOf(q)} then 1 else 0 end`.mapWith(
          Number,
        ),
    })
    .from(blobs)
    .where(gt(blobs.id, after))
    .orderBy(asc(blobs.id))
    .limit(blobsPerPage);
  const ids = rows.flatMap(({ id, isUnused }) => (isUnused === 1 ? [id] : []));
  return { last: rows.length < blobsPerPage ? undefined : rows.at(-1)?.id, ids };
}

/** The chunks of a content from the one with this position on, one read each: nothing is held for a client that reads slowly. */
async function* chunksFrom(q: Query, blobId: number, position: number): AsyncGenerator<Uint8Array> {
  for (let next = position; ; next++) {
    const [chunk] = await q
      .select({ content: blobChunks.content, position: blobChunks.position })
      .from(blobChunks)
      .where(and(eq(blobChunks.blobId, blobId), gte(blobChunks.position, next)))
      .orderBy(asc(blobChunks.position))
      .limit(1);
    if (chunk?.position !== next) return;
    yield chunk.content;
  }
}

/** The bytes of a content from `from` on, without those from `to` on. @throws Error when it was deleted meanwhile. */
export async function* partOf(
  q: Query,
  blobId: number,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  const first = Math.floor(from / chunkBytes);
  let at = first * chunkBytes;
  if (from < to)
    for await (const chunk of chunksFrom(q, blobId, first)) {
      const part = chunk.subarray(Math.max(0, from - at), to - at);
      at += chunk.byteLength;
      yield part;
      if (at >= to) return;
    }
  if (at < to) throw new Error('the content of an attachment is not complete');
}
