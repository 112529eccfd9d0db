import { and, asc, eq, gt, gte, inArray, lte, type SQL } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctas, type CtaRow } from '../base/schema.ts';

/** Ids read by one statement, from the index alone: 1 ms. */
const idsAtOnce = 2_000;
const maxChunk = 500;

/** The ids of a tenant's CTAs, oldest first. Only ids, because a rule has up to 256 KiB and a tenant may have any number of CTAs. */
export async function ctaIdsOf(q: Query, tenantId: string): Promise<readonly number[]> {
  const ids: number[] = [];
  for (;;) {
    const part = await q
      .select({ id: ctas.id })
      .from(ctas)
      .where(and(eq(ctas.tenantId, tenantId), gt(ctas.id, ids.at(-1) ?? 0)))
      .orderBy(asc(ctas.id))
      .limit(idsAtOnce);
    for (const { id } of part) ids.push(id);
    if (part.length < idsAtOnce) return ids;
    if (turnIsOver()) await nextTurn();
  }
}

/** The CTAs of a tenant whose ids are between the first and the last of these. */
export const amongThese = (tenantId: string, ids: readonly number[]): SQL | undefined =>
  and(eq(ctas.tenantId, tenantId), gte(ctas.id, ids[0] ?? 0), lte(ctas.id, ids.at(-1) ?? 0));

/**
 * Splits a list whose items differ in cost (a rule has 200 bytes or 256 KiB) into chunks. Chunks grow while they take less than a
 * millisecond and shrink above three. Yields to other requests between chunks.
 * @param first the size of the first chunk: the number of items that take at most 5 ms.
 */
export async function* paceChunks<T>(items: readonly T[], first: number): AsyncGenerator<readonly T[]> {
  let size = first;
  for (let at = 0; at < items.length;) {
    const part = items.slice(at, at + size);
    at += size;
    const began = performance.now();
    yield part;
    const took = performance.now() - began;
    if (took < 1) size = Math.min(2 * size, maxChunk);
    else if (took > 3) size = Math.max(1, Math.floor(size / 2));
    if (turnIsOver()) await nextTurn();
  }
}

/** The whole CTAs of one page of a tenant, oldest first, read one by one, because together their rules may have 128 MiB. */
export async function* wholeCtas(q: Query, ids: readonly number[]): AsyncGenerator<CtaRow> {
  for await (const part of paceChunks(ids, 1)) {
    const rows = await q
      .select()
      .from(ctas)
      .where(inArray(ctas.id, [...part]))
      .orderBy(asc(ctas.id));
    yield* rows;
  }
}

/** `CTA "1", "2" and 3 more`, for an error message. */
export function ctaNames(ids: readonly number[]): string {
  const first = ids.slice(0, 10).map((id) => `"${id}"`);
  const rest = ids.length - first.length;
  return `CTA ${first.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
