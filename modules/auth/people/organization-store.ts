import { asc, inArray } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { organizations } from '../base/schema.ts';
import { setRole } from './member-store.ts';

/** The organization that the first start created: its administrators administer the installation. */
export async function firstOrganization(q: Query): Promise<number | undefined> {
  const [first] = await q
    .select({ id: organizations.id })
    .from(organizations)
    .orderBy(asc(organizations.id))
    .limit(1);
  return first?.id;
}

/** The organizations of an actor, in a stable order. */
export async function organizationsOf(q: Query, roles: Actor['roles']) {
  if (roles.size === 0) return [];
  return q
    .select()
    .from(organizations)
    .where(inArray(organizations.id, [...roles.keys()]))
    .orderBy(asc(organizations.id));
}

/** Creates an organization with a user as its administrator. */
export async function insertOrganization(
  q: Query,
  { name, adminId, now }: { readonly name: string; readonly adminId: number; readonly now: number },
) {
  const [organization] = await q.insert(organizations).values({ name, createdAt: now }).returning();
  if (!organization) throw new Error('the organization was not stored');
  await setRole(q, organization.id, adminId, 'admin', now);
  return organization;
}
