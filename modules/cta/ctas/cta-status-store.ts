import { and, asc, eq, lte, or } from 'drizzle-orm';
import { countedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { clockStatusChanges, statusAt, type CtaStatus, type StatusChange } from '../rules/lifecycle.ts';
import { ctas, statusChanges, type CtaRow } from '../base/schema.ts';

/**
 * Changes the status of a CTA and records it, after the changes that the clock has made by then. Without `to`, it records only those. The
 * caller checks whether the change is legal. `by` is null for the clock.
 * @returns null, and writes nothing, when the CTA was changed since it was read.
 */
export async function writeCtaStatus(
  q: Query,
  cta: CtaRow,
  to: CtaStatus | null,
  { by, now }: { readonly by: number | null; readonly now: number },
): Promise<CtaRow | null> {
  const byClock = clockStatusChanges(cta, now);
  const asked: StatusChange[] = to === null ? [] : [{ from: statusAt(cta, now), to, at: now }];
  const status = [...byClock, ...asked].at(-1)?.to;
  if (status === undefined) return null;
  const [written] = await q
    .update(ctas)
    .set({ status, updatedAt: now })
    // The version is compared too: an edit may have postponed the start since the CTA was read.
    .where(and(eq(ctas.id, cta.id), eq(ctas.status, cta.status), eq(ctas.version, cta.version)))
    .returning();
  if (!written) return null;
  await q
    .insert(statusChanges)
    .values([
      ...byClock.map((change) => ({ ctaId: cta.id, ...change, by: null })),
      ...asked.map((change) => ({ ctaId: cta.id, ...change, by })),
    ]);
  return written;
}

/** The CTAs whose stored status is out of date by the clock. This reads two ranges of an index, however many CTAs there are. */
export async function overdueCtas(q: Query, now: number, limit: number): Promise<CtaRow[]> {
  const starts = and(eq(ctas.status, 'SCHEDULED'), lte(ctas.startTime, now));
  const ends = and(eq(ctas.status, 'LIVE'), lte(ctas.endTime, now));
  return q.select().from(ctas).where(or(starts, ends)).orderBy(asc(ctas.id)).limit(limit);
}

/** One page of the status changes of a CTA, oldest first, and their total. */
export function pageOfStatusChanges(q: Query, ctaId: number, page: Page) {
  const selection = { where: eq(statusChanges.ctaId, ctaId), orderBy: [asc(statusChanges.id)] };
  return countedPage(q, statusChanges, selection, page);
}
