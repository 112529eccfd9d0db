import { and, eq, isNull, sql, type SQL } from 'drizzle-orm';
import { isoTime } from '../../core/clock.ts';
import { prepared, type Query } from '../../core/db/db.ts';
import type { Host } from '../../core/host.ts';
import { record } from './audit.ts';
import { deny } from './errors.ts';
import { accessTokens, users } from './schema.ts';
import { rolesOf } from './users.ts';

/** Recognisable, so that secret scanners find one that was committed by mistake. */
export const personalTokenPrefix = 'trv_';

export const hashOf = (secret: string): string => new Bun.CryptoHasher('sha256').update(secret).digest('hex');

/** What a token may do besides what its user may. */
export interface TokenScope {
  readonly toolsets: readonly string[] | null;
  readonly readOnly: boolean;
  readonly orgId: number | null;
}

/**
 * `testmgmt`, `read-only`, `org:7` … as a scope. An empty list allows what the user may.
 * @returns the scope, or the word that means nothing.
 */
export function parseScopes(words: readonly string[]): TokenScope | { readonly unknown: string } {
  const toolsets: string[] = [];
  let readOnly = false;
  let orgId: number | null = null;
  for (const word of words) {
    const organization = /^org:([1-9]\d{0,14})$/.exec(word)?.[1];
    if (word === 'read-only') readOnly = true;
    else if (organization) orgId = Number(organization);
    else if (/^[a-z][a-z0-9_-]{0,30}$/.test(word)) toolsets.push(word);
    else return { unknown: word };
  }
  return { toolsets: toolsets.length > 0 ? toolsets : null, readOnly, orgId };
}

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
      toolsets: given.scope.toolsets,
      readOnly: given.scope.readOnly,
      orgId,
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
}

// Looked up by the hash of a 256-bit secret: the comparison inside the index tells nothing that helps to guess it.
const byHash = prepared<{ hash: string }, Found>(
  (q) =>
    q
      .select({ token: accessTokens, userStatus: users.status })
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
  const { token, userStatus } = found;
  const now = host.clock.now();
  const over = token.expiresAt !== null && token.expiresAt <= now;
  if (over || token.revokedAt !== null || userStatus !== 'active') return null;
  if (token.lastUsedAt === null || now - token.lastUsedAt > lastUsedResolutionMs) {
    await host.db.tx(async (q) => {
      await q.update(accessTokens).set({ lastUsedAt: now }).where(eq(accessTokens.id, token.id));
    });
  }
  return token;
}

/** The words that `trivet token create --scopes` would take for this scope. */
export const scopeWords = ({ toolsets, readOnly, orgId }: TokenScope): string[] => [
  ...(toolsets ?? []),
  ...(readOnly ? ['read-only'] : []),
  ...(orgId === null ? [] : [`org:${orgId}`]),
];

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

/** Ends the one live token that fits. @returns its id, or null when there is none. */
export async function revokePersonalToken(host: Host, which: SQL | undefined): Promise<number | null> {
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
