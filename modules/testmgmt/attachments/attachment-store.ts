import { and, asc, desc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import { countRows, inValues } from '../../../core/db/query/columns.ts';
import { countedPage, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { attachments, blobs } from '../base/evidence-schema.ts';
import { results } from '../base/schema.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';

type Row = typeof attachments.$inferSelect;

/** An attachment with what is known of its content. */
export type Attachment = Row & Pick<typeof blobs.$inferSelect, 'sha256' | 'size' | 'mediaType'>;

/** The record to which an attachment belongs: a test, a run, or a test in a run. */
type AttachedTo = Pick<Row, 'testId' | 'runId'>;

/** Most attachments of one record. */
export const maxOfRecord = 20;

const ofRecord = ({ testId, runId }: AttachedTo) =>
  and(
    testId === null ? isNull(attachments.testId) : eq(attachments.testId, testId),
    runId === null ? isNull(attachments.runId) : eq(attachments.runId, runId),
  );

export async function countOfRecord(q: Query, record: AttachedTo): Promise<number> {
  const [found] = await q.select({ count: countRows() }).from(attachments).where(ofRecord(record));
  return found?.count ?? 0;
}

/** The attachment of a record that has the same content, name and step: the same call, made again. */
export async function sameAttachment(
  q: Query,
  row: Pick<Row, 'testId' | 'runId' | 'blobId' | 'fileName' | 'step'>,
): Promise<number | undefined> {
  const [found] = await q
    .select({ id: attachments.id })
    .from(attachments)
    .where(
      and(
        ofRecord(row),
        eq(attachments.blobId, row.blobId),
        eq(attachments.fileName, row.fileName),
        row.step === null ? isNull(attachments.step) : eq(attachments.step, row.step),
      ),
    );
  return found?.id;
}

/** The names of the files of tests in a run, by test, the oldest first. */
export async function fileNamesOf(
  q: Query,
  runId: number,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const rows = await q
    .select({ testId: attachments.testId, fileName: attachments.fileName })
    .from(attachments)
    .where(and(eq(attachments.runId, runId), inValues(attachments.testId, testIds)))
    .orderBy(asc(attachments.id));
  const names = new Map<number, string[]>();
  for (const { testId, fileName } of rows)
    if (testId !== null) names.set(testId, [...(names.get(testId) ?? []), fileName]);
  return names;
}

/** The id of the newest result of a test in a run. */
export async function newestResult(q: Query, runId: number, testId: number): Promise<number | null> {
  const [found] = await q
    .select({ id: results.id })
    .from(results)
    .where(and(eq(results.runId, runId), eq(results.testId, testId)))
    .orderBy(desc(results.id))
    .limit(1);
  return found?.id ?? null;
}

export async function insertAttachment(q: Query, row: Omit<Row, 'id'>): Promise<number> {
  const [made] = await q.insert(attachments).values(row).returning({ id: attachments.id });
  if (!made) throw new Error('the attachment was not stored');
  return made.id;
}

const columns = {
  id: attachments.id,
  projectId: attachments.projectId,
  testId: attachments.testId,
  runId: attachments.runId,
  resultId: attachments.resultId,
  step: attachments.step,
  blobId: attachments.blobId,
  fileName: attachments.fileName,
  isOfPipeline: attachments.isOfPipeline,
  by: attachments.by,
  at: attachments.at,
  sha256: blobs.sha256,
  size: blobs.size,
  mediaType: blobs.mediaType,
};

export async function attachmentOf(q: Query, attachmentId: number): Promise<Attachment | undefined> {
  const [found] = await q
    .select(columns)
    .from(attachments)
    .innerJoin(blobs, eq(blobs.id, attachments.blobId))
    .where(eq(attachments.id, attachmentId));
  return found;
}

/** One page of the attachments of a project, of a test, of a run, or of a test in a run, oldest first. */
export async function pageOfAttachments(
  q: Query,
  of: { readonly projectId: number; readonly testId?: number; readonly runId?: number },
  page: Page,
): Promise<CountedPage<Attachment>> {
  const where = and(
    eq(attachments.projectId, of.projectId),
    of.testId === undefined ? undefined : eq(attachments.testId, of.testId),
    of.runId === undefined ? undefined : eq(attachments.runId, of.runId),
  );
  const { total, rows } = await countedPage(q, attachments, { where, orderBy: [asc(attachments.id)] }, page);
  const known = await blobsOf(
    q,
    rows.map(({ blobId }) => blobId),
  );
  return { total, rows: rows.flatMap((row) => withBlob(row, known)) };
}

async function blobsOf(q: Query, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, typeof blobs.$inferSelect>();
  const rows = await q
    .select()
    .from(blobs)
    .where(inArray(blobs.id, [...new Set(ids)]));
  return new Map(rows.map((row) => [row.id, row]));
}

function withBlob(row: Row, known: ReadonlyMap<number, typeof blobs.$inferSelect>): readonly Attachment[] {
  const blob = known.get(row.blobId);
  return blob ? [{ ...row, sha256: blob.sha256, size: blob.size, mediaType: blob.mediaType }] : [];
}

/** Deletes an attachment. @returns the id of its content, which may be unused now; undefined when it was gone. */
export async function deleteAttachmentRow(q: Query, attachmentId: number): Promise<number | undefined> {
  const [gone] = await q
    .delete(attachments)
    .where(eq(attachments.id, attachmentId))
    .returning({ blobId: attachments.blobId });
  return gone?.blobId;
}

/** Deletes attachments of pipelines that are older than `before`, at most `limit`. @returns how many. */
export async function deleteOldOfPipelines(q: Query, before: number, limit: number): Promise<number> {
  const old = await q
    .select({ id: attachments.id })
    .from(attachments)
    .where(and(eq(attachments.isOfPipeline, true), lt(attachments.at, before)))
    .limit(limit);
  if (old.length === 0) return 0;
  await q.delete(attachments).where(
    inArray(
      attachments.id,
      old.map(({ id }) => id),
    ),
  );
  return old.length;
}

/**
 * Gives the attachments of a test to another one, which keeps its own where both have the same file. A record may have more than
 * {@link maxOfRecord} by it. Yields to other requests between its chunks.
 */
export async function moveAttachments(
  q: Query,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<void> {
  const { runId, blobId, step, fileName } = attachments;
  const isThere = sql`exists (select 1 from ${attachments} o where o.test_id = ${to} and o.blob_id = ${blobId}
    and o.file_name = ${fileName} and o.run_id is not distinct from ${runId} and o.step is not distinct from ${step})`;
  for (;;) {
    const rows = await q
      .select({ id: attachments.id })
      .from(attachments)
      .where(eq(attachments.testId, from))
      .orderBy(asc(attachments.id))
      .limit(rowsPerChange);
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await q.delete(attachments).where(and(inArray(attachments.id, ids), isThere));
    await q.update(attachments).set({ testId: to }).where(inArray(attachments.id, ids));
    if (turnIsOver()) await nextTurn(signal);
  }
}
