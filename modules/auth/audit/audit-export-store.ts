import { and, asc, desc, eq, gt, lt, lte, or } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { audit, auditExports } from '../base/schema.ts';

export type ExportRow = typeof auditExports.$inferSelect;

/** The name of a target in the database: an address may contain a secret. */
const targetHash = (target: string): string => new Bun.CryptoHasher('sha256').update(target).digest('hex');

export async function exportRow(q: Query, target: string): Promise<ExportRow | undefined> {
  const [row] = await q
    .select()
    .from(auditExports)
    .where(eq(auditExports.target, targetHash(target)));
  return row;
}

/**
 * Takes the export to a target for this process, or keeps it. A new target begins with the oldest entry that exists.
 * @param lease `latest`: no lease of another process ends later, unless its clock was ahead.
 * @returns its row; undefined while another process has it.
 */
export async function takeExport(
  q: Query,
  target: string,
  {
    by,
    now,
    until,
    latest,
  }: { readonly by: string; readonly now: number; readonly until: number; readonly latest: number },
): Promise<ExportRow | undefined> {
  const hash = targetHash(target);
  await q
    .insert(auditExports)
    .values({ target: hash, cursor: 0, sequence: 0, publicJwks: [], leaseUntil: 0 })
    .onConflictDoNothing();
  const free = or(
    eq(auditExports.leaseBy, by),
    lt(auditExports.leaseUntil, now),
    gt(auditExports.leaseUntil, latest),
  );
  const [row] = await q
    .update(auditExports)
    .set({ leaseBy: by, leaseUntil: until })
    .where(and(eq(auditExports.target, hash), free))
    .returning();
  return row;
}

/** Changes the row while this process has the export and nobody exported a batch meanwhile. @returns whether it did. */
export async function changeExport(
  q: Query,
  { target, sequence, leaseBy }: Pick<ExportRow, 'target' | 'sequence' | 'leaseBy'>,
  change: Partial<ExportRow>,
): Promise<boolean> {
  const mine = and(
    eq(auditExports.target, target),
    eq(auditExports.sequence, sequence),
    eq(auditExports.leaseBy, leaseBy ?? ''),
  );
  const changed = await q
    .update(auditExports)
    .set(change)
    .where(mine)
    .returning({ target: auditExports.target });
  return changed.length > 0;
}

/** Gives the export to a target back, if this process has it. */
export async function freeExport(q: Query, target: string, by: string): Promise<void> {
  await q
    .update(auditExports)
    .set({ leaseBy: null, leaseUntil: 0 })
    .where(and(eq(auditExports.target, targetHash(target)), eq(auditExports.leaseBy, by)));
}

/** Entries after a cursor up to a last one, the oldest first. */
export const entriesAfter = (q: Query, cursor: number, last: number, limit: number) =>
  q
    .select()
    .from(audit)
    .where(and(gt(audit.id, cursor), lte(audit.id, last)))
    .orderBy(asc(audit.id))
    .limit(limit);

/** The newest entry; 0: there is none. */
export async function newestEntry(q: Query): Promise<number> {
  const [row] = await q.select({ id: audit.id }).from(audit).orderBy(desc(audit.id)).limit(1);
  return row?.id ?? 0;
}

/** The private keys of exports, as they are wrapped. */
export async function exportKeys(q: Query) {
  const rows = await q.select().from(auditExports);
  return rows.flatMap(({ target, publicJwks, privateWrapped }) => {
    const kid = publicJwks.at(-1)?.['kid'];
    return privateWrapped !== null && typeof kid === 'string' ? [{ target, kid, privateWrapped }] : [];
  });
}

export async function writeExportKey(q: Query, target: string, privateWrapped: string): Promise<void> {
  await q.update(auditExports).set({ privateWrapped }).where(eq(auditExports.target, target));
}

/** The next private key is made anew: the master key that wraps the present one is lost. */
export const forgetExportKeys = (q: Query) => q.update(auditExports).set({ privateWrapped: null });

/** Until which entry a target has the log; 0: it has nothing. */
export async function exportedUpTo(q: Query, target: string): Promise<number> {
  return (await exportRow(q, target))?.cursor ?? 0;
}
