import { eq, sql } from 'drizzle-orm';
import { forUpdate } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { tenants } from '../base/schema.ts';

export type TenantRow = typeof tenants.$inferSelect;

export async function tenantNamed(q: Query, tenantId: string): Promise<TenantRow | undefined> {
  const [tenant] = await q.select().from(tenants).where(eq(tenants.tenantId, tenantId));
  return tenant;
}

/** Like {@link tenantNamed}, for a transaction that writes to the tenant: such transactions run one after the other. */
export async function tenantToChange(q: Query, tenantId: string): Promise<TenantRow | undefined> {
  const [tenant] = await forUpdate(q.select().from(tenants).where(eq(tenants.tenantId, tenantId)));
  return tenant;
}

/** Creates a tenant. @returns undefined when another transaction has created it meanwhile. */
export async function insertTenant(
  q: Query,
  tenantId: string,
  orgId: number,
  now: number,
): Promise<TenantRow | undefined> {
  const [tenant] = await q
    .insert(tenants)
    .values({ tenantId, orgId, version: 1, createdAt: now })
    .onConflictDoNothing()
    .returning();
  return tenant;
}

/** Raises the version, which makes every process read the tenant's catalogue again. */
export async function raiseVersion(q: Query, tenantId: string): Promise<void> {
  await q
    .update(tenants)
    .set({ version: sql`${tenants.version} + 1` })
    .where(eq(tenants.tenantId, tenantId));
}

/** Hides all CTAs of a tenant from a time on (epoch milliseconds); null shows them again. */
export async function killTenant(q: Query, tenantId: string, killedAt: number | null): Promise<void> {
  await q.update(tenants).set({ killedAt }).where(eq(tenants.tenantId, tenantId));
}

/** Sets the limits across all CTAs of a tenant; null: none. */
export async function writeDelivery(
  q: Query,
  tenantId: string,
  delivery: TenantRow['delivery'],
): Promise<void> {
  await q.update(tenants).set({ delivery }).where(eq(tenants.tenantId, tenantId));
}
