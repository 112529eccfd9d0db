import { UsageError } from '../../../core/errors.ts';
import { and, asc, eq, ne, sql } from 'drizzle-orm';
import type { Role } from '../../../core/actor.ts';
import type { Query } from '../../../core/db/db.ts';
import { deny } from '../errors.ts';
import { users } from '../schema.ts';
import { firstOrganization, insertUser, localIssuer, rolesOf, setRole, type User } from './user-store.ts';

interface RoleWish {
  /** Set it; not given: keep what is there. */
  readonly role: Role | undefined;
  /** Of somebody who was no member. */
  readonly newcomer: Role;
}

interface TokenOwner {
  readonly user: User;
  readonly orgId: number;
  readonly role: Role | null;
  readonly roleBefore: Role | undefined;
}

/**
 * Whose token `trivet token create` makes: the person with a number, or the local user of an address.
 * @throws UsageError when the address is also that of people who sign in: a second person of one address would go on when the
 * first one is disabled. Fault UNKNOWN_USER, ACCESS_DENIED.
 */
export async function tokenOwner(
  q: Query,
  { email, userId }: { readonly email: string | undefined; readonly userId: number | undefined },
  wish: RoleWish,
  now: number,
): Promise<TokenOwner> {
  if (userId !== undefined) return personOf(q, { userId, email }, wish, now);
  if (email === undefined) throw new Error('neither address nor number');
  const others = await q
    .select({ id: users.id, provider: users.provider, status: users.status })
    .from(users)
    .where(
      and(
        // Addresses differ in case from one provider to the next.
        sql`lower(${users.email}) = ${email.toLowerCase()}`,
        eq(users.emailVerified, true),
        ne(users.issuer, localIssuer),
      ),
    )
    .orderBy(asc(users.id))
    .limit(10);
  if (others.length > 0) throw severalPeople(email, others);
  return localUser(q, email, wish, now);
}

function severalPeople(
  email: string,
  others: ReadonlyArray<{ readonly id: number; readonly provider: string; readonly status: string }>,
): UsageError {
  const choices = others.map(
    ({ id, provider, status }) =>
      `--user-id ${id} (signs in with ${provider}${status === 'active' ? '' : ', disabled'})`,
  );
  return new UsageError(
    `--email: ${email} is the address of somebody who signs in. A token of a second person with this address would stay when the ` +
      `first one is disabled. Name the person: ${choices.join(', or ')}. For a pipeline, use an address of its own.`,
  );
}

/** A person by number. The membership changes only when a role is given. */
async function personOf(
  q: Query,
  { userId, email }: { readonly userId: number; readonly email: string | undefined },
  { role }: RoleWish,
  now: number,
): Promise<TokenOwner> {
  const [user] = await q.select().from(users).where(eq(users.id, userId));
  if (!user) throw deny.UNKNOWN_USER(`There is no user ${userId}.`);
  if (email !== undefined && user.email?.toLowerCase() !== email.toLowerCase())
    throw new UsageError(
      `--user-id: user ${userId} does not have the address of --email. Leave one of them out.`,
    );
  requireActive(user);
  const orgId = await requireOrganization(q);
  const roleBefore = (await rolesOf(q, userId)).get(orgId);
  if (role !== undefined && role !== roleBefore) await setRole(q, orgId, userId, role, now);
  return { user, orgId, role: role ?? roleBefore ?? null, roleBefore };
}

/**
 * The local user of an e-mail address in the first organization, made when there is none (`trivet token create`).
 */
export async function localUser(
  q: Query,
  email: string,
  { role, newcomer }: RoleWish,
  now: number,
): Promise<TokenOwner> {
  const subject = email.toLowerCase();
  const orgId = await requireOrganization(q);
  const [known] = await q
    .select()
    .from(users)
    .where(and(eq(users.issuer, localIssuer), eq(users.subject, subject)));
  if (known) requireActive(known);
  const user =
    known ??
    (await insertUser(q, now, { issuer: localIssuer, subject, provider: localIssuer, email, name: email }));
  const before = (await rolesOf(q, user.id)).get(orgId);
  const granted = role ?? before ?? newcomer;
  if (granted !== before) await setRole(q, orgId, user.id, granted, now);
  return { user, orgId, role: granted, roleBefore: before };
}

function requireActive({ status }: User): void {
  if (status !== 'active') throw deny.ACCESS_DENIED('This user is disabled.', { cause: 'disabled' });
}

async function requireOrganization(q: Query): Promise<number> {
  const orgId = await firstOrganization(q);
  if (orgId === undefined) throw new Error('there is no organization');
  return orgId;
}
