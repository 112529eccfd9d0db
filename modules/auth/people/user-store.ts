import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Actor, Role } from '../../../core/actor.ts';
import { prepared, type Query } from '../../../core/db/db.ts';
import type { Host } from '../../../core/host.ts';
import { deny } from '../errors.ts';
import type { Identified } from '../providers/id-token.ts';
import { members, organizations, users } from '../schema.ts';

/** The issuer of people whom the owner of the machine made by hand. */
export const localIssuer = 'local';
const ownerSubject = 'owner';

export type User = typeof users.$inferSelect;

/** The first start creates one organization and its owner; every later one finds them. */
export async function ensureOwner(host: Host): Promise<void> {
  const [known] = await host.db.q.select({ id: organizations.id }).from(organizations).limit(1);
  if (known) return;
  await host.db.tx(async (q) => {
    const [meanwhile] = await q.select({ id: organizations.id }).from(organizations).limit(1);
    if (meanwhile) return;
    const now = host.clock.now();
    const [organization] = await q
      .insert(organizations)
      .values({ name: 'My organization', createdAt: now })
      .returning();
    const owner = await insertUser(q, now, {
      issuer: localIssuer,
      subject: ownerSubject,
      provider: localIssuer,
      name: 'Owner',
    });
    if (organization) await setRole(q, organization.id, owner.id, 'admin', now);
  });
}

export async function insertUser(
  q: Query,
  now: number,
  given: Pick<User, 'issuer' | 'subject' | 'provider'> & Partial<User>,
): Promise<User> {
  const [user] = await q
    .insert(users)
    .values({ emailVerified: false, status: 'active', createdAt: now, ...given })
    .returning();
  if (!user) throw new Error('the user was not stored');
  return user;
}

/** Makes the user a member, or changes the role. */
export async function setRole(
  q: Query,
  orgId: number,
  userId: number,
  role: Role,
  now: number,
): Promise<void> {
  await q
    .insert(members)
    .values({ orgId, userId, role, createdAt: now })
    .onConflictDoUpdate({ target: [members.orgId, members.userId], set: { role } });
}

/**
 * The user behind a verified ID token, keyed on (issuer, subject) alone; the profile is what the provider said last. Of a
 * disabled user nothing is changed.
 */
export async function signInUser(
  q: Query,
  identified: Identified,
  provider: string,
  now: number,
): Promise<User> {
  const profile = {
    email: identified.email,
    emailVerified: identified.emailVerified,
    name: identified.name,
    givenName: identified.givenName,
    familyName: identified.familyName,
    picture: identified.picture,
  };
  const { issuer, subject } = identified;
  const [known] = await q
    .select()
    .from(users)
    .where(and(eq(users.issuer, issuer), eq(users.subject, subject)));
  if (!known) return insertUser(q, now, { issuer, subject, provider, ...profile, lastSignInAt: now });
  if (known.status !== 'active') return known;
  const changed = { ...profile, lastSignInAt: now };
  await q.update(users).set(changed).where(eq(users.id, known.id));
  return { ...known, ...changed };
}

const membershipsOf = prepared<{ userId: number }, { orgId: number; role: Role }>(
  (q) =>
    q
      .select({ orgId: members.orgId, role: members.role })
      .from(members)
      .where(eq(members.userId, sql.placeholder('userId'))),
  'auth_memberships_of',
);

/** Organization → role of one user. */
export async function rolesOf(q: Query, userId: number): Promise<ReadonlyMap<number, Role>> {
  return new Map((await membershipsOf(q, { userId })).map(({ orgId, role }) => [orgId, role]));
}

/** Whoever owns the data directory acts as its owner; with an e-mail address, as that person. */
export async function localPerson(q: Query, email: string | undefined): Promise<User> {
  if (email === undefined) {
    const [owner] = await q
      .select()
      .from(users)
      .where(and(eq(users.issuer, localIssuer), eq(users.subject, ownerSubject)));
    if (!owner) throw deny.UNKNOWN_USER('The owner of this data directory is missing.');
    return owner;
  }
  const found = await q
    .select()
    .from(users)
    .where(and(eq(users.email, email), eq(users.status, 'active')))
    .orderBy(asc(users.id))
    .limit(2);
  const [first, second] = found;
  if (!first) {
    throw deny.UNKNOWN_USER('No active user has that e-mail address.', {
      tip: 'Make one with "trivet token create --email …", or leave out --as to act as the owner.',
    });
  }
  if (second) {
    // An address proves nothing about who is who, so with two accounts there is nothing to choose by.
    throw deny.ACCESS_DENIED('Several users have that e-mail address.', {
      cause: 'ambiguous',
      tip: 'Make a token for one of them and use --url with it.',
    });
  }
  return first;
}

/** The organizations of an actor, in a stable order. */
export async function organizationsOf(
  q: Query,
  roles: ReadonlyMap<number, Role>,
): Promise<ReadonlyArray<typeof organizations.$inferSelect>> {
  if (roles.size === 0) return [];
  return q
    .select()
    .from(organizations)
    .where(inArray(organizations.id, [...roles.keys()]))
    .orderBy(asc(organizations.id));
}

/** The organization that the first start made: whoever administers it administers the installation. */
export async function firstOrganization(q: Query): Promise<number | undefined> {
  const [first] = await q
    .select({ id: organizations.id })
    .from(organizations)
    .orderBy(asc(organizations.id))
    .limit(1);
  return first?.id;
}

/** Whether the actor administers the installation, and so everybody who signs in. */
export async function administersAll(q: Query, actor: Actor): Promise<boolean> {
  const first = await firstOrganization(q);
  return first !== undefined && actor.roles.get(first) === 'admin';
}

/**
 * Whether the actor may act on the account of a user, which reaches into every organization of that user: an administrator
 * of the installation, or of all the organizations the user is in.
 */
export async function administers(q: Query, actor: Actor, userId: number): Promise<boolean> {
  const theirs = [...(await rolesOf(q, userId)).keys()];
  const allOfThem = theirs.length > 0 && theirs.every((orgId) => actor.roles.get(orgId) === 'admin');
  return allOfThem || (await administersAll(q, actor));
}
