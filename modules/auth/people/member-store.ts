import { equalsText } from '../../../core/db/query/text-match.ts';
import {
  and,
  asc,
  countDistinct,
  eq,
  inArray,
  isNotNull,
  ne,
  notInArray,
  sql,
  type SQL,
  type SQLWrapper,
} from 'drizzle-orm';
import { roles, type Role } from '../../../core/base/actor.ts';
import { countOf, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { amongSelected } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { formerMembers, identities, members, users } from '../base/schema.ts';

/** What other members of an organization may see of a user: nothing about sign-in. */
export interface Member {
  readonly id: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly status: 'active' | 'disabled';
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
  /** Only in the requested organizations. */
  readonly roles: ReadonlyArray<{ readonly orgId: number; readonly role: Role }>;
}

const memberColumns = {
  id: users.id,
  name: users.name,
  email: users.email,
  status: users.status,
  createdAt: users.createdAt,
  lastSignInAt: users.lastSignInAt,
};

/** One page of the members of some organizations, each once, ordered by id, and how many there are. */
export async function pageOfMembers(
  q: Query,
  orgIds: readonly number[],
  { limit, offset }: Page,
): Promise<CountedPage<Member>> {
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
  const userIds = page.map(({ userId }) => userId);
  return { total: counted?.total ?? 0, rows: await membersBy(q, orgIds, userIds) };
}

/** One page of the names of those who have left all of some organizations, ordered by id. Who was erased has none and is absent. */
export async function pageOfFormerMembers(
  q: Query,
  orgIds: readonly number[],
  { limit, offset }: Page,
): Promise<CountedPage<{ readonly userId: number; readonly name: string }>> {
  if (orgIds.length === 0) return { total: 0, rows: [] };
  const name = sql<string>`coalesce(${users.name}, ${users.email})`;
  const left = and(
    amongSelected(users.id, formerMemberIds(q, orgIds)),
    notInArray(users.id, memberIds(q, orgIds)),
    isNotNull(name),
  );
  const rows = await q
    .select({ userId: users.id, name })
    .from(users)
    .where(left)
    .orderBy(asc(users.id))
    .limit(limit)
    .offset(offset);
  return { total: await countOf(q, users, left), rows };
}

/** One page of the members of one organization with their roles there, ordered by id, and how many there are. */
export async function pageOfOrganization(q: Query, orgId: number, { limit, offset }: Page) {
  const here = eq(members.orgId, orgId);
  const rows = await q
    .select({
      userId: users.id,
      name: users.name,
      email: users.email,
      role: members.role,
      groupRole: members.groupRole,
      status: users.status,
      provider: users.provider,
      memberSince: members.createdAt,
      lastSignInAt: users.lastSignInAt,
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(here)
    .orderBy(asc(users.id))
    .limit(limit)
    .offset(offset);
  return { total: await countOf(q, members, here), rows };
}

/** A member of at least one of these organizations; null for any other user, also one that does not exist. */
export async function memberOf(q: Query, orgIds: readonly number[], userId: number): Promise<Member | null> {
  if (orgIds.length === 0) return null;
  const [found] = await membersBy(q, orgIds, [userId]);
  return found ?? null;
}

/** The ids of some organizations, or SQL that selects them. */
type OrganizationIds = readonly number[] | SQL;

const inOrganizations = (of: typeof members | typeof formerMembers, orgIds: OrganizationIds): SQL =>
  inArray(of.orgId, 'getSQL' in orgIds ? orgIds : [...orgIds]);

/**
 * A select of the ids of the members of some organizations with an e-mail address, whatever its case. Several people may have one address: it
 * identifies nobody (docs/contract.md).
 */
const membersWith = (q: Query, orgIds: OrganizationIds, email: string) =>
  q
    .select({ id: users.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(inOrganizations(members, orgIds), equalsText(users.email, email)));

/** Selects of the ids of the members of some organizations, and of those who were members once, also if they are again. */
const memberIds = (q: Query, orgIds: OrganizationIds) =>
  q.select({ id: members.userId }).from(members).where(inOrganizations(members, orgIds));
const formerMemberIds = (q: Query, orgIds: OrganizationIds) =>
  q.select({ id: formerMembers.userId }).from(formerMembers).where(inOrganizations(formerMembers, orgIds));

/** A condition: the user is or was a member of one of these organizations. */
const isEverIn = (q: Query, orgIds: OrganizationIds): SQL =>
  amongSelected(users.id, memberIds(q, orgIds).unionAll(formerMemberIds(q, orgIds) as never));

/**
 * A select of the ids of those who are or were members of some organizations, with this e-mail address or this name, whatever its case: what
 * somebody did who has left is searched for, too.
 */
export const peopleEverCalled = (q: Query, orgIds: OrganizationIds, text: string) =>
  q
    .select({ id: users.id })
    .from(users)
    .where(and(isEverIn(q, orgIds), equalsText(text.includes('@') ? users.email : users.name, text)));

/** Whether somebody is or was a member of one of these organizations. */
export async function wasEverMember(q: Query, orgIds: readonly number[], userId: number): Promise<boolean> {
  if (orgIds.length === 0) return false;
  const known = and(eq(users.id, userId), isEverIn(q, orgIds));
  const [found] = await q.select({ id: users.id }).from(users).where(known);
  return found !== undefined;
}

/** A condition: the value is the id of somebody who is a member of the organization now. */
export const isMember = (orgId: SQL | number, userId: SQLWrapper): SQL =>
  sql`exists (select 1 from auth_members m where m.org_id = ${orgId} and m.user_id = ${userId})`;

/**
 * A condition: an active user is a member of the organization, and has been since a time. What somebody made ends with their membership: when
 * they join again, it stays ended.
 * @param role that they have now; unless given, any.
 */
export const isMemberSince = (
  orgId: SQLWrapper,
  userId: SQLWrapper,
  since: SQLWrapper,
  role?: Role,
): SQL => sql`exists (select 1 from auth_members m join auth_users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = ${userId} and m.created_at <= ${since} and u.status = 'active'
    ${role === undefined ? sql`` : sql`and m.role = ${role}`})`;

const notBefore = (joinedAt: SQL, since: SQLWrapper): SQL =>
  sql`case when ${joinedAt} > ${since} then ${joinedAt} else ${since} end`;

/**
 * A time for {@link isMemberSince} of what a user makes, or takes over from an account that is merged into theirs: not before they are a
 * member themselves, although the clock may have been set back since.
 */
export const sinceMember = (orgId: SQLWrapper | number, userId: number, since: SQLWrapper | number): SQL =>
  notBefore(
    sql`(select m.created_at from auth_members m where m.org_id = ${orgId} and m.user_id = ${userId})`,
    timeOf(since),
  );

/** Like {@link sinceMember}, in every organization of the user. */
export const sinceLastMember = (userId: number, since: number): SQL =>
  notBefore(sql`(select max(m.created_at) from auth_members m where m.user_id = ${userId})`, timeOf(since));

// PostgreSQL would take a parameter for a text.
const timeOf = (since: SQLWrapper | number): SQLWrapper =>
  typeof since === 'number' ? sql`cast(${since} as bigint)` : since;

/** A member of one organization, and the role there. */
type MemberOfOne = Pick<Member, 'id' | 'name' | 'email' | 'status'> & { readonly role: Role };

/** Those of some users who are members of an organization, by id. */
export async function membersAmong(
  q: Query,
  orgId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, MemberOfOne>> {
  const known = new Map<number, MemberOfOne>();
  const distinct = [...new Set(userIds)];
  for (let at = 0; at < distinct.length; at += 500) {
    const rows = await q
      .select({
        id: users.id,
        name: users.name,
        email: users.email,
        status: users.status,
        role: members.role,
      })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(eq(members.orgId, orgId), inArray(members.userId, distinct.slice(at, at + 500))));
    for (const row of rows) known.set(row.id, row);
  }
  return known;
}

/** The maximum people in one response. An address usually belongs to one person. */
const mostFound = 100;

/** How a person is looked up: by an address, or by the key of the identity provider. */
export type PersonKey = { readonly email: string } | { readonly issuer: string; readonly subject: string };

/** The members of some organizations who have this address (whatever its case) or this key, at most 100, ordered by id. */
export async function membersByKey(
  q: Query,
  orgIds: readonly number[],
  key: PersonKey,
): Promise<readonly Member[]> {
  if (orgIds.length === 0) return [];
  const found = await ('email' in key
    ? membersWith(q, orgIds, key.email).limit(10 * mostFound)
    : idsByIdentity(q, key));
  const ids = [...new Set(found.map(({ id }) => id))].toSorted((a, b) => a - b);
  return membersBy(q, orgIds, ids.slice(0, mostFound));
}

/** Also a user whom a server of the version before has stored, without an identity. */
const idsByIdentity = (q: Query, { issuer, subject }: { issuer: string; subject: string }) =>
  q
    .select({ id: identities.userId })
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
    .unionAll(
      q
        .select({ id: users.id })
        .from(users)
        .where(and(eq(users.issuer, issuer), eq(users.subject, subject))) as never,
    );

async function membersBy(q: Query, orgIds: readonly number[], userIds: readonly number[]) {
  if (userIds.length === 0) return [];
  const rows = await q
    .select({ ...memberColumns, orgId: members.orgId, role: members.role })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(inArray(members.userId, [...userIds]), inArray(members.orgId, [...orgIds])))
    .orderBy(asc(users.id), asc(members.orgId));
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((ofUser) => {
    const [first] = ofUser;
    if (!first) return [];
    const { orgId: _, role: __, ...user } = first;
    return [{ ...user, roles: ofUser.map(({ orgId, role }) => ({ orgId, role })) }];
  });
}

const membershipsOf = prepared<{ userId: number }, { orgId: number; role: Role }>(
  (q) =>
    q
      .select({ orgId: members.orgId, role: members.role })
      .from(members)
      .where(eq(members.userId, sql.placeholder('userId'))),
  'auth_memberships_of',
);

/** A row of a user that is joined with the memberships: null in the only row of a user without any. */
export interface OptionalMembership {
  readonly orgId: number | null;
  readonly role: Role | null;
}

/** The role by organization id, of the joined rows of one user. */
export const rolesIn = (rows: readonly OptionalMembership[]): ReadonlyMap<number, Role> =>
  new Map(
    rows.flatMap(({ orgId, role }) => (orgId === null || role === null ? [] : [[orgId, role] as const])),
  );

/** The role of a user by organization id. */
export async function rolesOf(q: Query, userId: number): Promise<ReadonlyMap<number, Role>> {
  return new Map((await membershipsOf(q, { userId })).map(({ orgId, role }) => [orgId, role]));
}

/** The role that groups at a provider give a member; null: none. */
export async function groupRoleOf(q: Query, orgId: number, userId: number): Promise<Role | null> {
  const here = and(eq(members.orgId, orgId), eq(members.userId, userId));
  const [found] = await q.select({ groupRole: members.groupRole }).from(members).where(here);
  return found?.groupRole ?? null;
}

/** The roles that a user was given by hand, by organization id. */
export async function membershipsByHand(q: Query, userId: number): Promise<ReadonlyMap<number, Role>> {
  const held = await q.select().from(members).where(eq(members.userId, userId));
  return new Map(
    held.flatMap(({ orgId, role, groupRole, handRole }) => {
      const byHand = groupRole === null ? role : handRole;
      return byHand === null ? [] : [[orgId, byHand] as const];
    }),
  );
}

/** Adds a member, or changes the role that was given to one by hand. A higher role that groups give stays. */
export async function setRole(q: Query, orgId: number, userId: number, role: Role, now: number) {
  const higher = roles.slice(roles.indexOf(role) + 1);
  const kept = higher.length === 0 ? sql`false` : inArray(members.groupRole, higher);
  await q
    .insert(members)
    .values({ orgId, userId, role, createdAt: now })
    .onConflictDoUpdate({
      target: [members.orgId, members.userId],
      set: {
        role: sql`case when ${kept} then ${members.groupRole} else ${role} end`,
        handRole: sql`case when ${members.groupRole} is null then null else ${role} end`,
      },
    });
}

export async function removeMember(q: Query, orgId: number, userId: number): Promise<void> {
  await q.insert(formerMembers).values({ orgId, userId }).onConflictDoNothing();
  await q.delete(members).where(and(eq(members.orgId, orgId), eq(members.userId, userId)));
}

/** Whether an organization has another administrator who can sign in. */
export async function hasOtherAdmin(q: Query, orgId: number, userId: number): Promise<boolean> {
  const others = and(eq(members.orgId, orgId), eq(members.role, 'admin'), ne(members.userId, userId));
  const [other] = await q
    .select({ id: members.userId })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(others, eq(users.status, 'active')))
    .limit(1);
  return other !== undefined;
}
