import { and, asc, eq, ne, sql } from 'drizzle-orm';
import { later, prepared, type Query } from '../../../core/db/query/db.ts';
import type { IdTokenUser } from '../providers/id-token.ts';
import { users } from '../base/schema.ts';

/** The issuer of users that the owner of the data directory created. */
export const localIssuer = 'local';
export type UserRow = typeof users.$inferSelect;

export async function userById(q: Query, userId: number): Promise<UserRow | undefined> {
  const [user] = await q.select().from(users).where(eq(users.id, userId));
  return user;
}

/** The user who signs in with an identity: issuer and subject. The identity of a merged account belongs to the other one. */
export async function userBySubject(q: Query, issuer: string, subject: string): Promise<UserRow | undefined> {
  const [user] = await bySubject(q, { issuer, subject });
  return user && user.mergedInto !== null ? userById(q, user.mergedInto) : user;
}

const bySubject = prepared<{ issuer: string; subject: string }, UserRow>(
  (q) =>
    q
      .select()
      .from(users)
      .where(and(eq(users.issuer, sql.placeholder('issuer')), eq(users.subject, sql.placeholder('subject')))),
  'auth_user_by_subject',
);

/** Users who sign in with a verified e-mail address, at most ten. Addresses differ in case from one provider to the next. */
export const usersWithAddress = (q: Query, email: string): Promise<readonly UserRow[]> =>
  Promise.resolve(
    q
      .select()
      .from(users)
      .where(
        and(
          sql`lower(${users.email}) = ${email.toLowerCase()}`,
          eq(users.emailVerified, true),
          ne(users.issuer, localIssuer),
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

export async function insertUser(
  q: Query,
  now: number,
  given: Pick<UserRow, 'issuer' | 'subject' | 'provider'> & Partial<UserRow>,
): Promise<UserRow> {
  const [user] = await q
    .insert(users)
    .values({ emailVerified: false, status: 'active', createdAt: now, ...given })
    .returning();
  if (!user) throw new Error('the user was not stored');
  return user;
}

/**
 * Creates or finds the user of a verified ID token by issuer and subject alone, and updates the profile from the token. A disabled user is
 * not changed.
 * @param known the user of that issuer and subject, as this transaction has read it.
 */
export async function signInUser(
  q: Query,
  identified: IdTokenUser,
  {
    known,
    provider,
    now,
  }: { readonly known: UserRow | undefined; readonly provider: string; readonly now: number },
): Promise<UserRow> {
  const profile = {
    email: identified.email,
    emailVerified: identified.emailVerified,
    name: identified.name,
    givenName: identified.givenName,
    familyName: identified.familyName,
    picture: identified.picture,
  };
  const { issuer, subject } = identified;
  // The profile of a merged account does not replace that of the other: otherwise each sign-in could change the displayed name.
  const isMerged = known !== undefined && (known.issuer !== issuer || known.subject !== subject);
  const changed = isMerged ? { lastSignInAt: now } : { ...profile, lastSignInAt: now };
  if (!known) {
    const [created] = await q
      .insert(users)
      .values({ issuer, subject, provider, status: 'active', createdAt: now, ...profile, lastSignInAt: now })
      .onConflictDoNothing()
      .returning();
    if (created) return created;
  }
  // Two first sign-ins of a user may be concurrent: the slower one finds the user created by the other.
  const user = known ?? (await userBySubject(q, issuer, subject));
  if (!user) throw new Error('the user was not stored');
  if (user.status !== 'active') return user;
  await later(q, q.update(users).set(changed).where(eq(users.id, user.id)));
  return { ...user, ...changed };
}
