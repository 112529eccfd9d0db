import { and, asc, count, eq, ne, sql } from 'drizzle-orm';
import { forUpdate } from '../../../core/db/query/columns.ts';
import { later, prepared, together, type Query } from '../../../core/db/query/db.ts';
import { identities, users } from '../base/schema.ts';
import { userById, userToChange, type UserRow } from './user-store.ts';

/** What an identity provider calls a person: issuer and subject of its ID tokens. */
export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

type IdentityRow = typeof identities.$inferSelect;

/** The user who signs in with an identity. */
export interface KnownUser {
  readonly user: UserRow;
  readonly identityId: number;
}

/** {@link KnownUser}, whose identity may be so new that nobody has read its id. */
export interface SignedInUser {
  readonly user: UserRow;
  readonly identityId: number | null;
}

/** Locks both, the user first: an identity may be about to be removed, or to become one of another user. */
const byKey = prepared<{ issuer: string; subject: string }, KnownUser>(
  (q) =>
    forUpdate(
      q
        .select({ user: users, identityId: identities.id })
        .from(users)
        .innerJoin(identities, eq(identities.userId, users.id))
        .where(
          and(
            eq(identities.issuer, sql.placeholder('issuer')),
            eq(identities.subject, sql.placeholder('subject')),
          ),
        ),
    ),
  'auth_user_by_identity',
);

const byUsersRow = prepared<{ issuer: string; subject: string }, UserRow>(
  (q) =>
    forUpdate(
      q
        .select()
        .from(users)
        .where(
          and(eq(users.issuer, sql.placeholder('issuer')), eq(users.subject, sql.placeholder('subject'))),
        ),
    ),
  'auth_user_by_subject',
);

/**
 * The user who signs in with an identity, locked: an account that is erased, merged or disabled meanwhile gets no profile and no session any
 * more. Undefined for an unknown identity. A user whom a server of the version before has stored has no
 * identity yet: it is added.
 */
export async function userByIdentity(
  q: Query,
  key: IdentityKey,
  now: number,
): Promise<KnownUser | undefined> {
  const { issuer, subject } = key;
  // Started together: PostgreSQL answers both in one round trip.
  const [[known], [stored]] = await together([
    byKey(q, { issuer, subject }),
    byUsersRow(q, { issuer, subject }),
  ]);
  if (known) return { ...known, user: await keptUserToChange(q, known.user) };
  if (!stored) return undefined;
  const user = await keptUserToChange(q, stored);
  await insertIdentity(q, user.id, { ...key, provider: stored.provider }, now);
  const [added] = await byKey(q, { issuer, subject });
  return added && { ...added, user: await keptUserToChange(q, added.user) };
}

/** Like {@link keptUser}, and locks it. It may become part of a third one while this transaction waits for it. */
async function keptUserToChange(q: Query, user: UserRow): Promise<UserRow> {
  const kept = user.mergedInto === null ? undefined : await userToChange(q, user.mergedInto);
  return kept ? keptUserToChange(q, kept) : user;
}

/** The account that stayed, for one that was merged. */
export const keptUser = async (q: Query, user: UserRow): Promise<UserRow> =>
  user.mergedInto === null ? user : ((await userById(q, user.mergedInto)) ?? user);

/** Adds an identity to a user. @returns its id; null when a user has it already. */
export async function insertIdentity(
  q: Query,
  userId: number,
  { issuer, subject, provider }: IdentityKey & { readonly provider: string },
  now: number,
): Promise<number | null> {
  const [added] = await q
    .insert(identities)
    .values({ userId, issuer, subject, provider, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: identities.id });
  return added?.id ?? null;
}

/** Adds the identity of a new user, without waiting. If somebody else adds it at the same moment, the transaction fails. */
export const insertFirstIdentity = (
  q: Query,
  userId: number,
  { issuer, subject, provider }: IdentityKey & { readonly provider: string },
  now: number,
): Promise<void> =>
  later(q, q.insert(identities).values({ userId, issuer, subject, provider, createdAt: now }));

/** The identities of a user, the oldest first. */
export const identitiesOfUser = (q: Query, userId: number): Promise<readonly IdentityRow[]> =>
  Promise.resolve(
    q.select().from(identities).where(eq(identities.userId, userId)).orderBy(asc(identities.id)),
  );

export async function countIdentities(q: Query, userId: number): Promise<number> {
  const [found] = await q
    .select({ identities: count() })
    .from(identities)
    .where(eq(identities.userId, userId));
  return found?.identities ?? 0;
}

/** Makes every identity of one user one of another. */
export async function moveIdentities(q: Query, from: number, to: number): Promise<void> {
  await q.update(identities).set({ userId: to }).where(eq(identities.userId, from));
}

export async function deleteIdentitiesOf(q: Query, userId: number): Promise<void> {
  await q.delete(identities).where(eq(identities.userId, userId));
}

/** The issuer of an account whose identity was taken away: nobody signs in with it. */
const unlinkedIssuer = 'unlinked';

/** The rows of users must not name an identity that they no longer have: {@link userByIdentity} would add it again. */
async function freeUsersRows(q: Query, { issuer, subject }: IdentityKey, except?: number): Promise<void> {
  const named = and(eq(users.issuer, issuer), eq(users.subject, subject));
  const found = await q
    .select({ id: users.id })
    .from(users)
    .where(except === undefined ? named : and(named, ne(users.id, except)));
  for (const { id } of found)
    await q
      .update(users)
      .set({ issuer: unlinkedIssuer, subject: String(id) })
      .where(eq(users.id, id));
}

/** Takes an identity from a user. If the user showed its profile, the oldest of the others is shown from its next sign-in on. */
export async function removeIdentity(q: Query, user: UserRow, identity: IdentityRow): Promise<void> {
  await q.delete(identities).where(eq(identities.id, identity.id));
  await freeUsersRows(q, identity);
  if (user.issuer !== identity.issuer || user.subject !== identity.subject) return;
  const [next] = await identitiesOfUser(q, user.id);
  if (!next) return;
  await freeUsersRows(q, next, user.id);
  const { issuer, subject, provider } = next;
  // Nobody vouches for the address any more: neither tokens nor letters may take it for that of the user.
  const shown = { issuer, subject, provider, emailVerified: false };
  await q.update(users).set(shown).where(eq(users.id, user.id));
}
