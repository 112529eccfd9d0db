import { roleIn, type Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { firstOrganization } from '../../auth/index.ts';
import { fail } from '../base/errors.ts';
import { defaultTenant } from '../base/parameters.ts';
import { insertTenant, tenantNamed, tenantToChange, type TenantRow } from './tenant-store.ts';

/**
 * The rights of an actor in a tenant. `publish` is for changes that reach the users of apps at once or cannot be undone. Administrators,
 * and owners of a token with the scope {@link publishScope}, may publish; members draft and edit.
 */
export type TenantRight = 'read' | 'write' | 'publish' | 'admin';

/** The token scope that lets a member who is not an administrator publish. */
export const publishScope = 'cta:publish';

/**
 * Checks a right of an actor in a tenant of an organization.
 * @returns `hidden` when the actor must not learn that the tenant exists.
 * @throws Fault FORBIDDEN.
 */
export const mayIn = (actor: Actor, orgId: number, right: TenantRight) =>
  right === 'publish' ? roleIn(actor, orgId, 'admin', publishScope) : roleIn(actor, orgId, right);

/** The organization of a tenant; undefined when the tenant does not exist. */
export const ownerOf = async (q: Query, tenantId: string): Promise<number | undefined> =>
  (await tenantNamed(q, tenantId))?.orgId;

const unknownTenant = (tenantId: string) => fail.TENANT_NOT_FOUND(`There is no tenant "${tenantId}".`);

/** A tenant; `default` is that of the first organization, also before its first write. */
async function tenantOrDefault(q: Query, tenantId: string): Promise<TenantRow | undefined> {
  const known = await tenantNamed(q, tenantId);
  if (known || tenantId !== defaultTenant) return known;
  const orgId = await firstOrganization(q);
  return orgId === undefined
    ? undefined
    : { tenantId, orgId, version: 0, createdAt: 0, killedAt: null, delivery: null };
}

/**
 * The tenant, if the actor has this right in it.
 * @throws Fault TENANT_NOT_FOUND (also for a tenant of another organization), FORBIDDEN.
 */
export async function tenantFor(
  q: Query,
  actor: Actor,
  tenantId: string,
  right: TenantRight,
  find = tenantOrDefault,
) {
  const tenant = await find(q, tenantId);
  if (!tenant || mayIn(actor, tenant.orgId, right) === 'hidden') throw unknownTenant(tenantId);
  return tenant;
}

export interface TenantClaim {
  readonly tenantId: string;
  /** The organization that will own a new tenant. */
  readonly orgId: number | undefined;
}

/**
 * The tenant of a first or further write. `default` belongs to the first organization. Any other new tenant is bound by the first write of
 * an administrator, to `orgId` or else to the first organization that the actor administers: a member's typo in a name must not take that
 * name from other organizations. Needs the `q` of a transaction.
 * @throws Fault TENANT_NOT_FOUND, TENANT_OF_OTHER_ORGANIZATION, ORGANIZATION_NOT_FOUND, FORBIDDEN.
 */
export async function claimTenant(
  q: Query,
  actor: Actor,
  { tenantId, orgId }: TenantClaim,
  now: number,
): Promise<TenantRow> {
  const known = await tenantToChange(q, tenantId);
  const owner = known?.orgId ?? (tenantId === defaultTenant ? await firstOrganization(q) : undefined);
  if (owner !== undefined) {
    if (roleIn(actor, owner, 'write') === 'hidden') throw unknownTenant(tenantId);
    if (orgId !== undefined && orgId !== owner) {
      throw fail.TENANT_OF_OTHER_ORGANIZATION(
        `The tenant "${tenantId}" belongs to organization ${owner}, not to ${orgId}.`,
        { cause: 'orgId' },
      );
    }
    if (known) return known;
    // Another first write may have created it meanwhile, and then its organization decides.
    return (await insertTenant(q, tenantId, owner, now)) ?? claimTenant(q, actor, { tenantId, orgId }, now);
  }
  // The same error as for a tenant of another organization: an actor who may not create a tenant must not learn which exist.
  if (firstAdministered(actor) === undefined) throw unknownTenant(tenantId);
  const created = await insertTenant(q, tenantId, ownerFor(actor, orgId), now);
  return created ?? claimTenant(q, actor, { tenantId, orgId }, now);
}

/** Creates a tenant. @throws Fault TENANT_EXISTS, ORGANIZATION_NOT_FOUND, FORBIDDEN. */
export async function reserveTenant(q: Query, actor: Actor, { tenantId, orgId }: TenantClaim, now: number) {
  const owner = ownerFor(actor, orgId);
  const isTaken =
    (await tenantNamed(q, tenantId)) !== undefined ||
    (tenantId === defaultTenant && owner !== (await firstOrganization(q)));
  const created = isTaken ? undefined : await insertTenant(q, tenantId, owner, now);
  // The same error for every owner: the caller must not learn whose tenant it is.
  if (!created) throw fail.TENANT_EXISTS(`There is a tenant "${tenantId}" already.`, { cause: 'tenantId' });
  return created;
}

function ownerFor(actor: Actor, orgId: number | undefined): number {
  const owner = orgId ?? firstAdministered(actor);
  if (owner !== undefined && roleIn(actor, owner, 'admin') === 'allowed') return owner;
  throw fail.ORGANIZATION_NOT_FOUND(`There is no organization ${owner ?? ''} that you administer.`, {
    cause: 'orgId',
  });
}

const firstAdministered = (actor: Actor): number | undefined =>
  [...actor.roles]
    .filter(([, role]) => role === 'admin')
    .map(([orgId]) => orgId)
    .sort((left, right) => left - right)[0];
