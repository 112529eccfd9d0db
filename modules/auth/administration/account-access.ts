import type { Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { isOwnAccount } from '../people/account-store.ts';
import { administersAll } from '../people/administrator.ts';
import { userById, type UserRow } from '../people/user-store.ts';

/** An account that exists and was not merged. @throws Fault USER_NOT_FOUND, also for an actor who does not administer the installation. */
export async function ownAccountOf(q: Query, actor: Actor, userId: number): Promise<UserRow> {
  const user = (await administersAll(q, actor)) ? await userById(q, userId) : undefined;
  if (!user || !isOwnAccount(user)) throw fail.USER_NOT_FOUND(`There is no user ${userId}.`);
  return user;
}
