import { and, asc, eq, ne, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import type { IdTokenUser } from '../providers/id-token.ts';
import { users } from '../schema.ts';

/** The issuer of users that the owner of the data directory created. */
export const localIssuer = 'local';
export type UserRow = typeof users.$inferSelect;

export async function userById(q: Query, userId: number): Promise<UserRow | undefined> {
  const [user] = await q.select().from(users).where(eq(users.id, userId));
  return user;
}

/** Issuer and subject are the key of a user. */
export async function userBySubject(q: Query, issuer: string, subject: string): Promise<UserRow | undefined> {
  const [user] = await q
    .select()
    .from(users)
    .where(and(eq(users.issuer, issuer), eq(users.subject, subject)));
  return user;
}

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
export async function writeStatus(q: Query, userId: number, status: UserRow['status']): Promise<boolean> {
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
 * Creates or finds the user of a verified ID token by issuer and subject alone, and replaces the profile by that of the token. A
 * disabled user is not changed.
 */
export async function signInUser(q: Query, identified: IdTokenUser, provider: string, now: number) {
  const profile = {
    email: identified.email,
    emailVerified: identified.emailVerified,
    name: identified.name,
    givenName: identified.givenName,
    familyName: identified.familyName,
    picture: identified.picture,
  };
  const { issuer, subject } = identified;
  const known = await userBySubject(q, issuer, subject);
  if (!known) return insertUser(q, now, { issuer, subject, provider, ...profile, lastSignInAt: now });
  if (known.status !== 'active') return known;
  const changed = { ...profile, lastSignInAt: now };
  await q.update(users).set(changed).where(eq(users.id, known.id));
  return { ...known, ...changed };
}
