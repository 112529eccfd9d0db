import { eq, sql } from 'drizzle-orm';
import { roleIn, type Actor } from '../../core/actor.ts';
import type { Query } from '../../core/db/db.ts';
import { fail } from '../../core/errors.ts';
import { refuse } from './errors.ts';
import { tenants } from './schema.ts';

export type Tenant = typeof tenants.$inferSelect;

async function tenantNamed(q: Query, tenantId: string): Promise<Tenant | undefined> {
  const [tenant] = await q.select().from(tenants).where(eq(tenants.tenantId, tenantId));
  return tenant;
}

const unknownTenant = (tenantId: string) => refuse.TENANT_NOT_FOUND(`There is no tenant "${tenantId}".`);

/**
 * The tenant, if the actor may do this in it.
 * @throws Fault TENANT_NOT_FOUND (also for another organization's), FORBIDDEN.
 */
export async function tenantFor(
  q: Query,
  actor: Actor,
  tenantId: string,
  right: 'read' | 'write' | 'admin',
): Promise<Tenant> {
  const tenant = await tenantNamed(q, tenantId);
  if (!tenant || roleIn(actor, tenant.orgId, right) === 'hidden') throw unknownTenant(tenantId);
  return tenant;
}

/**
 * The tenant for a first or further write. One that nobody has written to yet is made for `orgId`, or else for the
 * first organization in which the actor may write. Needs the `q` of a transaction.
 * @throws Fault TENANT_NOT_FOUND, TENANT_OF_OTHER_ORGANIZATION, NOT_FOUND (the organization), FORBIDDEN.
 */
export async function claimTenant(
  q: Query,
  actor: Actor,
  { tenantId, orgId }: { readonly tenantId: string; readonly orgId: number | undefined },
  now: number,
): Promise<Tenant> {
  const known = await tenantNamed(q, tenantId);
  if (known) {
    if (roleIn(actor, known.orgId, 'write') === 'hidden') throw unknownTenant(tenantId);
    if (orgId !== undefined && orgId !== known.orgId) {
      throw refuse.TENANT_OF_OTHER_ORGANIZATION(
        `The tenant "${tenantId}" belongs to organization ${known.orgId}, not to ${orgId}.`,
        { cause: 'orgId' },
      );
    }
    return known;
  }
  const owner = orgId ?? firstWritable(actor);
  if (owner === undefined || roleIn(actor, owner, 'write') === 'hidden') {
    throw fail.NOT_FOUND(`There is no organization ${owner ?? ''} that you may write to.`, {
      cause: 'orgId',
      tip: 'Use get-orgs-list to see the organizations you belong to.',
    });
  }
  const [made] = await q
    .insert(tenants)
    .values({ tenantId, orgId: owner, version: 1, createdAt: now })
    .returning();
  if (!made) throw new Error('the tenant was not stored');
  return made;
}

const firstWritable = (actor: Actor): number | undefined =>
  [...actor.roles]
    .filter(([, role]) => role !== 'reader')
    .map(([orgId]) => orgId)
    .sort((left, right) => left - right)[0];

/** Tells every process that what clients see of this tenant has changed. In the transaction of the change. */
export async function raiseVersion(q: Query, tenantId: string): Promise<void> {
  await q
    .update(tenants)
    .set({ version: sql`${tenants.version} + 1` })
    .where(eq(tenants.tenantId, tenantId));
}

/** Hides all CTAs of a tenant since a time, or with null no more. */
export async function killTenant(q: Query, tenantId: string, killedAt: number | null): Promise<void> {
  await q.update(tenants).set({ killedAt }).where(eq(tenants.tenantId, tenantId));
}
