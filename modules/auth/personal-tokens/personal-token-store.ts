import { and, asc, desc, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import { countedPage, type Page } from '../../../core/db/counted-page.ts';
import { prepared, type Query } from '../../../core/db/db.ts';
import type { Host } from '../../../core/host.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { maxPerStatement, writeAuditEntry, writeAuditEntries } from '../audit/audit-store.ts';
import { fail } from '../errors.ts';
import { accessTokens, users } from '../schema.ts';
import type { TokenScope } from './token-scope.ts';
import { localIssuer } from '../people/user-store.ts';
import { rolesOf } from '../people/member-store.ts';
import { secretHash } from '../keys/secret-hash.ts';

/** Recognisable, so that secret scanners find one that was committed by mistake. */
export const personalTokenPrefix = 'trv_';

/** What made a token: `trivet token create` on the local machine; any other value is the id of a session. */
export const madeOnMachine = 'machine';

/**
 * Stores a new token of a user.
 * @returns the token itself: it is shown once and kept as a hash.
 * @throws Fault ORGANIZATION_NOT_FOUND when the scope names one that the user is not a member of.
 */
export async function createPersonalToken(
  host: Host,
  q: Query,
  given: {
    readonly userId: number;
    readonly name: string;
    readonly scope: TokenScope;
    readonly expiresAt: number | null;
    /** The session that asks for it, or the machine. */
    readonly madeWith: string;
  },
): Promise<{ readonly token: string; readonly tokenId: number }> {
  const { orgId } = given.scope;
  if (orgId !== null && !(await rolesOf(q, given.userId)).has(orgId)) {
    throw fail.ORGANIZATION_NOT_FOUND(`The user is not a member of organization ${orgId}.`, {
      cause: 'scopes',
    });
  }
  const token = `${personalTokenPrefix}${Buffer.from(host.random(32)).toString('base64url')}`;
  const [row] = await q
    .insert(accessTokens)
    .values({
      userId: given.userId,
      name: given.name,
      hash: secretHash(token),
      ...given.scope,
      madeWith: given.madeWith,
      createdAt: host.clock.now(),
      expiresAt: given.expiresAt,
    })
    .returning({ id: accessTokens.id });
  if (!row) throw new Error('the token was not stored');
  return { token, tokenId: row.id };
}

interface FoundToken {
  readonly token: typeof accessTokens.$inferSelect;
  readonly userStatus: 'active' | 'disabled';
  readonly issuer: string;
}

// Looked up by the hash of a 256-bit secret: the comparison inside the index reveals nothing that helps to guess it.
const byHash = prepared<{ hash: string }, FoundToken>(
  (q) =>
    q
      .select({ token: accessTokens, userStatus: users.status, issuer: users.issuer })
      .from(accessTokens)
      .innerJoin(users, eq(users.id, accessTokens.userId))
      .where(eq(accessTokens.hash, sql.placeholder('hash'))),
  'auth_token_by_hash',
);

/** The precision of "last used": a write per call would cost more than it is worth. */
const lastUsedResolutionMs = 60_000;

/** The stored row of a live token, or null. */
export async function verifyPersonalToken(host: Host, secret: string): Promise<FoundToken['token'] | null> {
  const [found] = await byHash(host.db.q, { hash: secretHash(secret) });
  if (!found) return null;
  const { token, userStatus, issuer } = found;
  const now = host.clock.now();
  const isExpired = token.expiresAt !== null && token.expiresAt <= now;
  if (isExpired || token.revokedAt !== null || userStatus !== 'active') return null;
  if (token.lastUsedAt === null || now - token.lastUsedAt > lastUsedResolutionMs) {
    await host.db.tx(async (q) => {
      await q.update(accessTokens).set({ lastUsedAt: now }).where(eq(accessTokens.id, token.id));
    });
  }
  // Version 0.1 did not store what made a token; users without sessions got theirs on the local machine.
  return { ...token, madeWith: token.madeWith ?? (issuer === localIssuer ? madeOnMachine : null) };
}

/**
 * Revokes the live tokens of a user, in the transaction that revokes the sessions.
 * @param which `session`: only tokens made by a session; they must not outlive what made them.
 * @returns how many.
 */
export async function revokeTokensOf(
  q: Query,
  userId: number,
  now: number,
  which: 'all' | 'session',
): Promise<number> {
  const bySession = or(isNull(accessTokens.madeWith), ne(accessTokens.madeWith, madeOnMachine));
  const live = and(
    eq(accessTokens.userId, userId),
    isNull(accessTokens.revokedAt),
    which === 'all' ? undefined : bySession,
  );
  for (let all = 0; ;) {
    const some = q.select({ id: accessTokens.id }).from(accessTokens).where(live).limit(maxPerStatement);
    const ended = await q
      .update(accessTokens)
      .set({ revokedAt: now })
      .where(inArray(accessTokens.id, some))
      .returning({ id: accessTokens.id });
    await writeAuditEntries(
      q,
      now,
      ended.map(({ id }) => ({ event: 'access_token_revoked', userId, cause: String(id) })),
    );
    all += ended.length;
    if (ended.length < maxPerStatement) return all;
    if (turnIsOver()) await nextTurn();
  }
}

/** One live token: by its id, of any user or of one, or by itself. */
type TokenKey = { readonly id: number; readonly userId?: number } | { readonly secret: string };

/** Revokes a live token. @returns its id, or null when there is none. */
export async function revokePersonalToken(
  host: Pick<Host, 'db' | 'clock'>,
  key: TokenKey,
): Promise<number | null> {
  const now = host.clock.now();
  const named =
    'secret' in key
      ? eq(accessTokens.hash, secretHash(key.secret))
      : and(
          eq(accessTokens.id, key.id),
          key.userId === undefined ? undefined : eq(accessTokens.userId, key.userId),
        );
  return host.db.tx(async (q) => {
    const [revoked] = await q
      .update(accessTokens)
      .set({ revokedAt: now })
      .where(and(named, isNull(accessTokens.revokedAt)))
      .returning({ id: accessTokens.id, userId: accessTokens.userId });
    if (!revoked) return null;
    await writeAuditEntry(q, now, {
      event: 'access_token_revoked',
      userId: revoked.userId,
      cause: String(revoked.id),
    });
    return revoked.id;
  });
}

/** One page of the tokens of a user that were not revoked, the newest first, and how many there are. */
export const pageOfTokens = (q: Query, userId: number, page: Page) =>
  countedPage(
    q,
    accessTokens,
    {
      where: and(eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt)),
      orderBy: [desc(accessTokens.id)],
    },
    page,
  );

/** Every token that was not revoked, with the e-mail address of its user; of one address if it is given. */
export const tokensOfAll = (q: Query, email: string | undefined) =>
  q
    .select({ token: accessTokens, email: users.email })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.userId))
    .where(and(isNull(accessTokens.revokedAt), email === undefined ? undefined : eq(users.email, email)))
    .orderBy(asc(accessTokens.id));
