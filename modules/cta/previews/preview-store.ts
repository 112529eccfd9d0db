import { and, asc, eq, getTableColumns, gt, isNull, lte, or, sql } from 'drizzle-orm';
import { countOf, type Page } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { fail } from '../base/errors.ts';
import { previews } from '../base/schema.ts';

export type PreviewRow = typeof previews.$inferSelect;

/** The pattern of a new id, of at most 128 characters and not of dots alone: clients take `.` and `..` out of a path. */
export const newPreviewIdForm = '^[.]*[A-Za-z0-9_:~-][A-Za-z0-9._:~-]*$';
/** The pattern of a preview's id, which is part of a path. */
export const previewIdForm = '^[A-Za-z0-9._:~-]{1,128}$';
const isPreviewId = new RegExp(previewIdForm);

const rowOf = prepared<
  { tenantId: string; id: string },
  Pick<PreviewRow, 'id' | 'template' | 'tenantId' | 'ttl' | 'expiresAt'>
>(
  (q) =>
    q
      .select({
        id: previews.id,
        template: previews.template,
        tenantId: previews.tenantId,
        ttl: previews.ttl,
        expiresAt: previews.expiresAt,
      })
      .from(previews)
      .where(and(eq(previews.tenantId, sql.placeholder('tenantId')), eq(previews.id, sql.placeholder('id')))),
  'cta_preview',
);

/** The nudge preview for an app; null for an unknown or expired id, or a preview of another tenant. */
export async function previewFor({ db, clock }: Host, tenantId: string, id: string | null) {
  if (id === null || !isPreviewId.test(id)) return null;
  const [row] = await rowOf(db.q, { tenantId, id });
  if (!row || isExpired(row, clock.now())) return null;
  return { id: row.id, template: row.template, tenantId: row.tenantId, ttl: row.ttl };
}

const isExpired = ({ expiresAt }: Pick<PreviewRow, 'expiresAt'>, now: number) =>
  expiresAt !== null && now >= expiresAt;

/**
 * Stores a preview and deletes the tenant's expired ones. An id becomes free when its preview expires.
 * @throws Fault PREVIEW_EXISTS.
 */
export async function insertPreview(q: Query, preview: PreviewRow): Promise<void> {
  const ofTenant = eq(previews.tenantId, preview.tenantId);
  await q.delete(previews).where(and(ofTenant, lte(previews.expiresAt, preview.createdAt)));
  const [known] = await q
    .select({ id: previews.id })
    .from(previews)
    .where(and(ofTenant, eq(previews.id, preview.id)));
  if (known) {
    throw fail.PREVIEW_EXISTS(`The tenant "${preview.tenantId}" has a preview "${preview.id}" already.`, {
      cause: 'id',
    });
  }
  await q.insert(previews).values(preview);
}

/** An unexpired preview. @throws Fault PREVIEW_NOT_FOUND. */
export async function previewNamed(q: Query, tenantId: string, id: string, now: number): Promise<PreviewRow> {
  const [row] = await q
    .select()
    .from(previews)
    .where(and(eq(previews.tenantId, tenantId), eq(previews.id, id)));
  if (!row || isExpired(row, now)) {
    throw fail.PREVIEW_NOT_FOUND(`The tenant "${tenantId}" has no preview "${id}", or it has expired.`);
  }
  return row;
}

/** Replaces the template and the lifetime of a preview. */
export async function replacePreview(q: Query, preview: PreviewRow): Promise<void> {
  const { tenantId, id, template, ttl, expiresAt } = preview;
  await q
    .update(previews)
    .set({ template, ttl, expiresAt })
    .where(and(eq(previews.tenantId, tenantId), eq(previews.id, id)));
}

export async function deletePreview(q: Query, { tenantId, id }: PreviewRow): Promise<void> {
  await q.delete(previews).where(and(eq(previews.tenantId, tenantId), eq(previews.id, id)));
}

/** One page of the unexpired previews of a tenant, oldest first and without their templates. */
export async function pageOfPreviews(q: Query, tenantId: string, { limit, offset }: Page, now: number) {
  const where = and(
    eq(previews.tenantId, tenantId),
    or(isNull(previews.expiresAt), gt(previews.expiresAt, now)),
  );
  const { template: _template, ...summary } = getTableColumns(previews);
  const rows = await q
    .select(summary)
    .from(previews)
    .where(where)
    .orderBy(asc(previews.createdAt), asc(previews.id))
    .limit(limit)
    .offset(offset);
  return { total: await countOf(q, previews, where), rows };
}
