import { eq, sql } from 'drizzle-orm';
import { roleIn, type Actor } from '../../../core/actor.ts';
import type { Query } from '../../../core/db/db.ts';
import { fail } from '../../../core/errors.ts';
import { firstOrganization } from '../../auth/index.ts';
import { refuse } from '../errors.ts';
import { tenants } from '../schema.ts';

export type Tenant = typeof tenants.$inferSelect;

async function tenantNamed(q: Query, tenantId: string): Promise<Tenant | undefined> {
  const [tenant] = await q.select().from(tenants).where(eq(tenants.tenantId, tenantId));
  return tenant;
}

/** The organization of a tenant; undefined when there is none. */
export const ownerOf = async (q: Query, tenantId: string): Promise<number | undefined> =>
  (await tenantNamed(q, tenantId))?.orgId;

const unknownTenant = (tenantId: string) => refuse.TENANT_NOT_FOUND(`There is no tenant "${tenantId}".`);

/**
 * The tenant, if the actor may do this in it.
 * @throws Fault TENANT_NOT_FOUND (also for another organization's), FORBIDDEN.
 */
export async function tenantFor(
  q: Query,
  actor: Actor,
  tenantId: string,
  right: 'read' | 'write' | 'publish' | 'admin',
): Promise<Tenant> {
  const tenant = await tenantNamed(q, tenantId);
  if (!tenant || mayIn(actor, tenant.orgId, right) === 'hidden') throw unknownTenant(tenantId);
  return tenant;
}

/** What a token carries whose owner is no administrator and may decide what apps get all the same. */
export const publishGrant = 'cta:publish';

/**
 * `publish`: what changes what the users of apps get at once, or cannot be taken back. It is for administrators and for whom they
 * gave the grant; members draft and edit.
 * @throws Fault FORBIDDEN.
 */
export const mayIn = (actor: Actor, orgId: number, right: 'read' | 'write' | 'publish' | 'admin') =>
  right === 'publish' ? roleIn(actor, orgId, 'admin', publishGrant) : roleIn(actor, orgId, right);

/** The tenant of clients that name none. */
const defaultTenant = 'default';

interface Claim {
  readonly tenantId: string;
  readonly orgId: number | undefined;
}

/**
 * The tenant for a first or further write. `default` belongs to the first organization; another one that is new is bound by the
 * first write of an administrator, to `orgId` or else to the first organization that the actor administers: a member's typo in a
 * name must not take that name from everybody else. Needs the `q` of a transaction.
 * @throws Fault TENANT_NOT_FOUND, TENANT_OF_OTHER_ORGANIZATION, NOT_FOUND (the organization), FORBIDDEN.
 */
export async function claimTenant(
  q: Query,
  actor: Actor,
  { tenantId, orgId }: Claim,
  now: number,
): Promise<Tenant> {
  const known = await tenantNamed(q, tenantId);
  const owner = known?.orgId ?? (tenantId === defaultTenant ? await firstOrganization(q) : undefined);
  if (owner !== undefined) {
    if (roleIn(actor, owner, 'write') === 'hidden') throw unknownTenant(tenantId);
    if (orgId !== undefined && orgId !== owner) {
      throw refuse.TENANT_OF_OTHER_ORGANIZATION(
        `The tenant "${tenantId}" belongs to organization ${owner}, not to ${orgId}.`,
        { cause: 'orgId' },
      );
    }
    return known ?? insertTenant(q, tenantId, owner, now);
  }
  // As for a tenant of others: who may not make one learns nothing about which there are.
  if (firstAdministered(actor) === undefined) throw unknownTenant(tenantId);
  return insertTenant(q, tenantId, ownerFor(actor, orgId), now);
}

/** Makes a tenant. @throws Fault TENANT_EXISTS, NOT_FOUND (the organization), FORBIDDEN. */
export async function reserveTenant(
  q: Query,
  actor: Actor,
  { tenantId, orgId }: Claim,
  now: number,
): Promise<Tenant> {
  const owner = ownerFor(actor, orgId);
  const isTaken =
    (await tenantNamed(q, tenantId)) !== undefined ||
    (tenantId === defaultTenant && owner !== (await firstOrganization(q)));
  // The same answer whoever has the name: whose it is must not be found out.
  if (isTaken) throw refuse.TENANT_EXISTS(`There is a tenant "${tenantId}" already.`, { cause: 'tenantId' });
  return insertTenant(q, tenantId, owner, now);
}

function ownerFor(actor: Actor, orgId: number | undefined): number {
  const owner = orgId ?? firstAdministered(actor);
  if (owner !== undefined && roleIn(actor, owner, 'admin') === 'allowed') return owner;
  throw fail.NOT_FOUND(`There is no organization ${owner ?? ''} that you administer.`, {
    cause: 'orgId',
    tip: 'Use get-orgs-list to see the organizations you belong to.',
  });
}

async function insertTenant(q: Query, tenantId: string, orgId: number, now: number): Promise<Tenant> {
  const [made] = await q.insert(tenants).values({ tenantId, orgId, version: 1, createdAt: now }).returning();
  if (!made) throw new Error('the tenant was not stored');
  return made;
}

const firstAdministered = (actor: Actor): number | undefined =>
  [...actor.roles]
    .filter(([, role]) => role === 'admin')
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
