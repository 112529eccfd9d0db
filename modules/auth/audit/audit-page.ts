import { and, asc, desc, gt, lte, type SQL } from 'drizzle-orm';
import { countRows } from '../../../core/db/columns.ts';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { audit } from '../schema.ts';

/** How many entries one statement looks at: a few milliseconds. */
const window = 20_000;

/**
 * One page of the entries that match, the newest first, and how many match. The record grows with every write and a filter may fit
 * none of a million entries, so it is looked through in windows of ids; one statement over all of it took over 100 ms.
 */
export async function pageOfAudit(
  q: Query,
  matching: SQL | undefined,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  signal: AbortSignal,
) {
  // Two statements: each is one step in the index, both in one would read every entry.
  const [newest] = await q.select({ id: audit.id }).from(audit).orderBy(desc(audit.id)).limit(1);
  const [oldest] = await q.select({ id: audit.id }).from(audit).orderBy(asc(audit.id)).limit(1);
  const rows: Array<typeof audit.$inferSelect> = [];
  let total = 0;
  if (!newest || !oldest) return { total, rows };
  for (let high = newest.id; high >= oldest.id; high -= window) {
    const here = and(matching, lte(audit.id, high), gt(audit.id, high - window));
    const [counted] = await q.select({ total: countRows() }).from(audit).where(here);
    const found = counted?.total ?? 0;
    if (rows.length < limit && total + found > offset) {
      const part = await q
        .select()
        .from(audit)
        .where(here)
        .orderBy(desc(audit.id))
        .limit(limit - rows.length)
        .offset(Math.max(0, offset - total));
      rows.push(...part);
    }
    total += found;
    if (turnIsOver()) await nextTurn(signal);
  }
  return { total, rows };
}
