import type { Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { rolesOf } from './member-store.ts';
import { firstOrganization } from './organization-store.ts';

/** Whether the actor administers the installation, and thus every user. */
export async function administersAll(q: Query, actor: Actor): Promise<boolean> {
  const first = await firstOrganization(q);
  return first !== undefined && actor.roles.get(first) === 'admin';
}

/**
 * Whether the actor may change the account of a user, which affects every organization of that user: an administrator of the
 * installation or of all these organizations.
 */
export async function administers(q: Query, actor: Actor, userId: number): Promise<boolean> {
  const theirs = [...(await rolesOf(q, userId)).keys()];
  const allOfThem = theirs.length > 0 && theirs.every((orgId) => actor.roles.get(orgId) === 'admin');
  return allOfThem || (await administersAll(q, actor));
}

/** @throws Fault FORBIDDEN unless the actor administers the installation. @param what e.g. "see its keys". */
export async function requireAdministersAll(q: Query, actor: Actor, what: string): Promise<void> {
  if (await administersAll(q, actor)) return;
  throw fail.FORBIDDEN(`Only administrators of the first organization ${what}.`, { cause: 'role' });
}
