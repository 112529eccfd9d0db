import { and, eq, inArray, isNotNull, or } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { deleteIdentitiesOf, moveIdentities } from './identity-store.ts';
import { audit, accessTokens, sessions, users } from '../base/schema.ts';

/** The issuer of an erased account: nobody can sign in with it. */
const erasedIssuer = 'erased';

/** Whether an account exists and was not merged. */
export const isOwnAccount = (user: {
  readonly issuer: string;
  readonly mergedInto: number | null;
}): boolean => user.mergedInto === null && user.issuer !== erasedIssuer;

/** Makes one account, and those that were merged into it before, part of another, with every identity. */
export async function bindAccount(q: Query, from: number, to: number): Promise<void> {
  await q
    .update(users)
    .set({ mergedInto: to })
    .where(or(eq(users.id, from), eq(users.mergedInto, from)));
  await moveIdentities(q, from, to);
}

/** An account and those that were merged into it. */
export async function accountsOf(q: Query, userId: number): Promise<readonly number[]> {
  const rows = await q
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, userId), eq(users.mergedInto, userId)));
  return rows.map(({ id }) => id);
}

/** Removes personal data from accounts. Their ids stay, because records refer to them. */
export async function eraseProfiles(q: Query, userIds: readonly number[]): Promise<void> {
  for (const id of userIds) {
    await q
      .update(users)
      .set({
        issuer: erasedIssuer,
        subject: String(id),
        provider: erasedIssuer,
        email: null,
        emailVerified: false,
        name: null,
        givenName: null,
        familyName: null,
        picture: null,
        status: 'disabled',
        claims: null,
      })
      .where(eq(users.id, id));
    // After the user, as a sign-in locks them.
    await deleteIdentitiesOf(q, id);
  }
  await q
    .update(accessTokens)
    .set({ name: erasedIssuer })
    .where(inArray(accessTokens.userId, [...userIds]));
}

/** More than are revoked at once: each statement passes over the rows that are done. */
const tracesAtOnce = 200;

/**
 * Removes addresses, browsers, claims and sessions at providers of accounts from sessions and the audit log, in chunks.
 * @returns whether there may be more.
 */
export async function eraseTraces(q: Query, userIds: readonly number[]): Promise<boolean> {
  const ofSessions = q
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        inArray(sessions.userId, [...userIds]),
        or(
          isNotNull(sessions.address),
          isNotNull(sessions.userAgent),
          isNotNull(sessions.claims),
          isNotNull(sessions.providerSid),
        ),
      ),
    )
    .limit(tracesAtOnce);
  const inSessions = await q
    .update(sessions)
    .set({ address: null, userAgent: null, claims: null, providerSid: null })
    .where(inArray(sessions.id, ofSessions))
    .returning({ id: sessions.id });
  const ofAudit = q
    .select({ id: audit.id })
    .from(audit)
    .where(and(inArray(audit.userId, [...userIds]), isNotNull(audit.address)))
    .limit(tracesAtOnce);
  const inAudit = await q
    .update(audit)
    .set({ address: null })
    .where(inArray(audit.id, ofAudit))
    .returning({ id: audit.id });
  return inSessions.length === tracesAtOnce || inAudit.length === tracesAtOnce;
}
