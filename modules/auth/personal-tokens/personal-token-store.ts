import { and, eq, inArray, isNull, ne, or, sql, type SQL } from 'drizzle-orm';
import { isoTime } from '../../../core/clock.ts';
import { prepared, type Query } from '../../../core/db/db.ts';
import type { Host } from '../../../core/host.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { endedAtOnce, record, recordAll } from '../audit/audit-store.ts';
import { deny } from '../errors.ts';
import { accessTokens, users } from '../schema.ts';
import { scopeWords, type TokenScope } from './token-scope.ts';
import { localIssuer, rolesOf } from '../people/user-store.ts';

/** Recognisable, so that secret scanners find one that was committed by mistake. */
export const personalTokenPrefix = 'trv_';

/** What made a token: `trivet token create`, or else the session that this is the id of. */
export const madeOnMachine = 'machine';

export const hashOf = (secret: string): string => new Bun.CryptoHasher('sha256').update(secret).digest('hex');

/**
 * Stores a new token of a user.
 * @returns the token itself: it is shown once and kept as a hash.
 * @throws Fault UNKNOWN_ORGANIZATION when the scope names one that the user is not a member of.
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
    throw deny.UNKNOWN_ORGANIZATION(`The user is not a member of an organization ${orgId}.`, {
      cause: 'scopes',
    });
  }
  const token = `${personalTokenPrefix}${Buffer.from(host.random(32)).toString('base64url')}`;
  const [row] = await q
    .insert(accessTokens)
    .values({
      userId: given.userId,
      name: given.name,
      hash: hashOf(token),
      ...given.scope,
      madeWith: given.madeWith,
      createdAt: host.clock.now(),
      expiresAt: given.expiresAt,
    })
    .returning({ id: accessTokens.id });
  if (!row) throw new Error('the token was not stored');
  return { token, tokenId: row.id };
}

interface Found {
  readonly token: typeof accessTokens.$inferSelect;
  readonly userStatus: 'active' | 'disabled';
  readonly issuer: string;
}

// Looked up by the hash of a 256-bit secret: the comparison inside the index tells nothing that helps to guess it.
const byHash = prepared<{ hash: string }, Found>(
  (q) =>
    q
      .select({ token: accessTokens, userStatus: users.status, issuer: users.issuer })
      .from(accessTokens)
      .innerJoin(users, eq(users.id, accessTokens.userId))
      .where(eq(accessTokens.hash, sql.placeholder('hash'))),
  'auth_token_by_hash',
);

/** How exact "last used" is: a write per call would cost more than it tells. */
const lastUsedResolutionMs = 60_000;

/** The stored row of a live token, or null. */
export async function verifyPersonalToken(host: Host, secret: string): Promise<Found['token'] | null> {
  const [found] = await byHash(host.db.q, { hash: hashOf(secret) });
  if (!found) return null;
  const { token, userStatus, issuer } = found;
  const now = host.clock.now();
  const over = token.expiresAt !== null && token.expiresAt <= now;
  if (over || token.revokedAt !== null || userStatus !== 'active') return null;
  if (token.lastUsedAt === null || now - token.lastUsedAt > lastUsedResolutionMs) {
    await host.db.tx(async (q) => {
      await q.update(accessTokens).set({ lastUsedAt: now }).where(eq(accessTokens.id, token.id));
    });
  }
  // Version 0.1 did not keep what made a token; people who have no session got theirs on the machine.
  return { ...token, madeWith: token.madeWith ?? (issuer === localIssuer ? madeOnMachine : null) };
}

/** A token as it is listed: never itself, nor its hash. */
export const tokenRecord = (token: typeof accessTokens.$inferSelect) => ({
  tokenId: token.id,
  name: token.name,
  scopes: scopeWords(token),
  createdAt: isoTime(token.createdAt),
  expiresAt: isoTime(token.expiresAt),
  lastUsedAt: isoTime(token.lastUsedAt),
});

/** The condition that names a token by itself. */
export const tokenIs = (secret: string) => eq(accessTokens.hash, hashOf(secret));

/**
 * Ends the live tokens of a user, inside the transaction that ends the rest.
 * @param which `session`: those that a session made; they must not outlive what made them.
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
    const some = q.select({ id: accessTokens.id }).from(accessTokens).where(live).limit(endedAtOnce);
    const ended = await q
      .update(accessTokens)
      .set({ revokedAt: now })
      .where(inArray(accessTokens.id, some))
      .returning({ id: accessTokens.id });
    await recordAll(
      q,
      now,
      ended.map(({ id }) => ({ event: 'access_token_revoked', userId, cause: String(id) })),
    );
    all += ended.length;
    if (ended.length < endedAtOnce) return all;
    if (turnIsOver()) await nextTurn();
  }
}

/** Ends the one live token that fits. @returns its id, or null when there is none. */
export async function revokePersonalToken(
  host: Pick<Host, 'db' | 'clock'>,
  which: SQL | undefined,
): Promise<number | null> {
  const now = host.clock.now();
  return host.db.tx(async (q) => {
    const [revoked] = await q
      .update(accessTokens)
      .set({ revokedAt: now })
      .where(and(which, isNull(accessTokens.revokedAt)))
      .returning({ id: accessTokens.id, userId: accessTokens.userId });
    if (!revoked) return null;
    await record(q, now, {
      event: 'access_token_revoked',
      userId: revoked.userId,
      cause: String(revoked.id),
    });
    return revoked.id;
  });
}
