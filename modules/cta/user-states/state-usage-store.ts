import { asc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { tenantStateUsage, tenants } from '../base/schema.ts';

/** The amount of stored user state of a tenant. */
export interface Usage {
  readonly states: number;
  /** Size of the JSON texts, in UTF-8. */
  readonly bytes: number;
}

export const noUsage: Usage = { states: 0, bytes: 0 };

export async function readUsage(q: Query, tenantId: string): Promise<Usage> {
  const [row] = await q
    .select({ states: tenantStateUsage.states, bytes: tenantStateUsage.bytes })
    .from(tenantStateUsage)
    .where(eq(tenantStateUsage.tenantId, tenantId));
  return row ?? noUsage;
}

/** Adds to the stored usage, which other processes may have changed meanwhile. */
export async function addUsage(q: Query, tenantId: string, { states, bytes }: Usage): Promise<void> {
  await q
    .insert(tenantStateUsage)
    .values({ tenantId, states, bytes, countedAt: null })
    .onConflictDoUpdate({
      target: tenantStateUsage.tenantId,
      set: {
        states: sql`${tenantStateUsage.states} + ${states}`,
        bytes: sql`${tenantStateUsage.bytes} + ${bytes}`,
      },
    });
}

/** Replaces the stored usage by the result of a full count. */
export async function writeCountedUsage(
  q: Query,
  tenantId: string,
  { states, bytes }: Usage,
  countedAt: number,
): Promise<void> {
  const counted = { states, bytes, countedAt };
  await q
    .insert(tenantStateUsage)
    .values({ tenantId, ...counted })
    .onConflictDoUpdate({ target: tenantStateUsage.tenantId, set: counted });
}

/** The tenant whose last full count is the oldest and before this time; undefined when there is none. */
export async function tenantToCount(q: Query, countedBefore: number): Promise<string | undefined> {
  const [due] = await q
    .select({ tenantId: tenants.tenantId })
    .from(tenants)
    .leftJoin(tenantStateUsage, eq(tenantStateUsage.tenantId, tenants.tenantId))
    .where(or(isNull(tenantStateUsage.countedAt), lt(tenantStateUsage.countedAt, countedBefore)))
    .orderBy(asc(sql`coalesce(${tenantStateUsage.countedAt}, 0)`))
    .limit(1);
  return due?.tenantId;
}
