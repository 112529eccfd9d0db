import { equalsText } from '../../../core/db/query/text-match.ts';
import { and, asc, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { forUpdate } from '../../../core/db/query/columns.ts';
import type { IdTokenUser } from '../providers/id-token.ts';
import { users } from '../base/schema.ts';

/** The issuer of users that the owner of the data directory created. */
export const localIssuer = 'local';

/** The issuer of users without any identity, and the provider of their sessions. No provider may have this name. */
export const guestIssuer = 'guest';

/** Whether somebody uses an app without having signed in. */
export const isGuest = ({ issuer }: Pick<UserRow, 'issuer'>): boolean => issuer === guestIssuer;

export type UserRow = typeof users.$inferSelect;

export async function userById(q: Query, userId: number): Promise<UserRow | undefined> {
  const [user] = await q.select().from(users).where(eq(users.id, userId));
  return user;
}

/** The names of users, else their addresses; who has neither is absent. */
export async function namesOfUsers(q: Query, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  const distinct = [...new Set(ids)];
  for (let at = 0; at < distinct.length; at += namesAtOnce) {
    const rows = await q
      .select({ id: users.id, name: users.name, email: users.email })
      .from(users)
      .where(inArray(users.id, distinct.slice(at, at + namesAtOnce)));
    for (const { id, name, email } of rows) {
      const shown = name ?? email;
      if (shown !== null) found.set(id, shown);
    }
  }
  return found;
}

const namesAtOnce = 500;

/** A user whom the owner of the data directory created; for a merged one, the account that stayed. */
export async function localUserNamed(q: Query, subject: string): Promise<UserRow | undefined> {
  const [user] = await localByName(q, { subject });
  return user && user.mergedInto !== null ? userById(q, user.mergedInto) : user;
}

const localByName = prepared<{ subject: string }, UserRow>(
  (q) =>
    q
      .select()
      .from(users)
      .where(and(eq(users.issuer, localIssuer), eq(users.subject, sql.placeholder('subject')))),
  'auth_local_user',
);

/** Locks a user whose identities change. */
export async function userToChange(q: Query, userId: number): Promise<UserRow | undefined> {
  const [user] = await forUpdate(q.select().from(users).where(eq(users.id, userId)));
  return user;
}

export async function updateUser(q: Query, userId: number, change: Partial<UserRow>): Promise<void> {
  await q.update(users).set(change).where(eq(users.id, userId));
}

/** What an ID token says of a person. */
export const profileOf = ({ email, emailVerified, name, givenName, familyName, picture }: IdTokenUser) => ({
  email,
  emailVerified,
  name,
  givenName,
  familyName,
  picture,
});

/** Users who sign in with a verified e-mail address, at most ten. Addresses differ in case from one provider to the next. */
export const usersWithAddress = (q: Query, email: string): Promise<readonly UserRow[]> =>
  Promise.resolve(
    q
      .select()
      .from(users)
      .where(
        and(
          equalsText(users.email, email),
          eq(users.emailVerified, true),
          ne(users.issuer, localIssuer),
          isNull(users.mergedInto),
        ),
      )
      .orderBy(asc(users.id))
      .limit(10),
  );

/** @returns whether the user exists. */
export async function writeUserStatus(q: Query, userId: number, status: UserRow['status']): Promise<boolean> {
  const changed = q.update(users).set({ status }).where(eq(users.id, userId));
  return (await changed.returning({ id: users.id })).length > 0;
}

type NewUser = Pick<UserRow, 'issuer' | 'subject' | 'provider'> & Partial<UserRow>;

export async function insertUser(q: Query, now: number, given: NewUser): Promise<UserRow> {
  const user = await insertUserOnce(q, now, given);
  if (!user) throw new Error('the user was not stored');
  return user;
}

/** Like {@link insertUser}; undefined when there is one of this issuer and subject. */
export async function insertUserOnce(q: Query, now: number, given: NewUser): Promise<UserRow | undefined> {
  const [user] = await q
    .insert(users)
    .values({ emailVerified: false, status: 'active', createdAt: now, ...given })
    .onConflictDoNothing()
    .returning();
  return user;
}
