import { and, asc, countDistinct, eq, inArray } from 'drizzle-orm';
import type { Role } from '../../../core/actor.ts';
import type { Query } from '../../../core/db/db.ts';
import { members, users } from '../schema.ts';

/** A person as other members of an organization may see them: nothing of how they sign in. */
export interface Member {
  readonly id: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly status: 'active' | 'disabled';
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
  /** Only of the organizations that were asked for. */
  readonly roles: ReadonlyArray<{ readonly orgId: number; readonly role: Role }>;
}

const shown = {
  id: users.id,
  name: users.name,
  email: users.email,
  status: users.status,
  createdAt: users.createdAt,
  lastSignInAt: users.lastSignInAt,
};

/** One page of the members of some organizations, each once, in the order of their ids, and how many there are. */
export async function pageOfMembers(
  q: Query,
  orgIds: readonly number[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly rows: readonly Member[] }> {
  if (orgIds.length === 0) return { total: 0, rows: [] };
  const ofThese = inArray(members.orgId, [...orgIds]);
  const [counted] = await q
    .select({ total: countDistinct(members.userId) })
    .from(members)
    .where(ofThese);
  const page = await q
    .selectDistinct({ userId: members.userId })
    .from(members)
    .where(ofThese)
    .orderBy(asc(members.userId))
    .limit(limit)
    .offset(offset);
  const rows = await membersBy(
    q,
    orgIds,
    page.map(({ userId }) => userId),
  );
  return { total: counted?.total ?? 0, rows };
}

/** A member of at least one of these organizations; null for everybody else, known or not. */
export async function memberOf(q: Query, orgIds: readonly number[], userId: number): Promise<Member | null> {
  if (orgIds.length === 0) return null;
  const [found] = await membersBy(q, orgIds, [userId]);
  return found ?? null;
}

async function membersBy(
  q: Query,
  orgIds: readonly number[],
  userIds: readonly number[],
): Promise<readonly Member[]> {
  if (userIds.length === 0) return [];
  const rows = await q
    .select({ ...shown, orgId: members.orgId, role: members.role })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(inArray(members.userId, [...userIds]), inArray(members.orgId, [...orgIds])))
    .orderBy(asc(users.id), asc(members.orgId));
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((ofUser) => {
    const [first] = ofUser;
    if (!first) return [];
    const { orgId: _, role: __, ...person } = first;
    return [{ ...person, roles: ofUser.map(({ orgId, role }) => ({ orgId, role })) }];
  });
}
