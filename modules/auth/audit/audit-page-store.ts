import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, lte, or, sql, type SQL } from 'drizzle-orm';
import { countOf, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { audit, members } from '../base/schema.ts';

/** The maximum entries that one statement reads: a few milliseconds. */
const windowSize = 20_000;

/**
 * One page of the matching entries, the newest first, and how many match. The log grows with every write and a filter may match
 * none of a million entries, so the log is read in windows of ids: one statement over all of it took over 100 ms.
 */
export async function pageOfAudit(q: Query, filter: AuditFilter, page: Page, signal: AbortSignal) {
  const { limit, offset } = page;
  const matching = conditionOf(q, filter);
  // Two statements, each a single index step: one statement for both would read every entry.
  const [newest] = await q.select({ id: audit.id }).from(audit).orderBy(desc(audit.id)).limit(1);
  const [oldest] = await q.select({ id: audit.id }).from(audit).orderBy(asc(audit.id)).limit(1);
  const rows: Array<typeof audit.$inferSelect> = [];
  let total = 0;
  if (!newest || !oldest) return { total, rows };
  for (let high = newest.id; high >= oldest.id; high -= windowSize) {
    const here = and(matching, lte(audit.id, high), gt(audit.id, high - windowSize));
    const found = await countOf(q, audit, here);
    if (rows.length < limit && total + found > offset) {
      const chunk = await q
        .select()
        .from(audit)
        .where(here)
        .orderBy(desc(audit.id))
        .limit(limit - rows.length)
        .offset(Math.max(0, offset - total));
      rows.push(...chunk);
    }
    total += found;
    if (turnIsOver()) await nextTurn(signal);
  }
  return { total, rows };
}

/** The entries to list; undefined: any. Times are epoch milliseconds. */
interface AuditFilter {
  /** Only entries of the caller and of members of the organizations that the caller administers; null: all entries. */
  readonly visibleTo: { readonly userId: number; readonly adminOf: readonly number[] } | null;
  readonly userId: number | undefined;
  readonly event: string | undefined;
  readonly operation: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

function conditionOf(q: Query, filter: AuditFilter): SQL | undefined {
  const { visibleTo, userId, event, operation, since, until } = filter;
  return and(
    visibleTo === null
      ? undefined
      : or(
          eq(audit.userId, visibleTo.userId),
          inArray(audit.userId, membersOf(q, visibleTo.adminOf)),
          madeBy(eq(audit.actorId, visibleTo.userId)),
          madeBy(inArray(audit.actorId, membersOf(q, visibleTo.adminOf))),
        ),
    userId === undefined ? undefined : or(eq(audit.userId, userId), madeBy(eq(audit.actorId, userId))),
    event === undefined ? undefined : eq(audit.event, event),
    operation === undefined ? undefined : eq(audit.operation, operation),
    since === undefined ? undefined : gte(audit.at, since),
    until === undefined ? undefined : lt(audit.at, until),
  );
}

/** An invitation concerns no user yet: its entry is one of whoever made or revoked it. */
const madeBy = (isActor: SQL): SQL | undefined => and(isNull(audit.userId), isActor);

const membersOf = (q: Query, orgIds: readonly number[]) =>
  q
    .select({ id: members.userId })
    .from(members)
    .where(orgIds.length > 0 ? inArray(members.orgId, [...orgIds]) : sql`1 = 0`);
