import {
  and,
  asc,
  desc,
  eq,
  inArray,
  isNull,
  ne,
  notInArray,
  or,
  sql,
  type SQL,
  type SQLWrapper,
} from 'drizzle-orm';
import type { Role } from '../../../core/base/actor.ts';
import { countedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { maxPerStatement, writeAuditEntries, writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { noteUse } from '../base/last-use.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { rolesIn, rolesOf, sinceLastMember, type OptionalMembership } from '../people/member-store.ts';
import { localIssuer } from '../people/user-store.ts';
import { accessTokens, members, users } from '../base/schema.ts';
import type { TokenScope } from './token-scope.ts';

/** Lets secret scanners detect a token that was committed by mistake. */
export const personalTokenPrefix = 'trv_';

/** `madeWith` of a token of `trivet token create` on the local machine; any other value is the id of a session. */
export const madeOnMachine = 'machine';

interface NewToken {
  readonly userId: number;
  readonly name: string;
  readonly scope: TokenScope;
  readonly expiresAt: number | null;
  /** The id of the session that creates it, or {@link madeOnMachine}. */
  readonly madeWith: string;
}

/**
 * Stores a new token of a user.
 * @returns the row and the token itself, which is shown once and stored as a hash.
 * @throws Fault ORGANIZATION_NOT_FOUND when the scope names an organization that the user is not a member of.
 */
export async function createPersonalToken(host: Host, q: Query, { scope, ...given }: NewToken) {
  const { orgId, projectId, toolsets, readToolsets, ...others } = scope;
  if (orgId !== null && !(await rolesOf(q, given.userId)).has(orgId)) {
    throw fail.ORGANIZATION_NOT_FOUND(`The user is not a member of organization ${orgId}.`, {
      cause: 'scopes',
    });
  }
  const ofProject = projectId === null ? null : { projectId, toolsets, readToolsets };
  const limits = ofProject ? { toolsets: [], ofProject } : { toolsets, readToolsets };
  const now = host.clock.now();
  const createdAt = ofProject ? sinceLastMember(given.userId, now) : now;
  const token = `${personalTokenPrefix}${Buffer.from(host.random(32)).toString('base64url')}`;
  const [row] = await q
    .insert(accessTokens)
    .values({ ...given, ...others, orgId, ...limits, hash: secretHash(token), createdAt })
    .returning();
  if (!row) throw new Error('the token was not stored');
  return { token, row };
}

type TokenRow = typeof accessTokens.$inferSelect;

/** The scope of a stored token. */
export const scopeOfToken = ({
  toolsets,
  readToolsets,
  grants,
  readOnly,
  orgId,
  ofProject,
}: TokenRow): TokenScope => ({
  grants,
  readOnly,
  orgId,
  ...(ofProject ?? { projectId: null, toolsets, readToolsets }),
});

interface FoundToken extends OptionalMembership {
  readonly token: TokenRow;
  readonly userStatus: 'active' | 'disabled';
  readonly issuer: string;
  readonly memberSince: number | null;
}

// The key is the hash of a 256-bit secret: the timing of the comparison in the index does not help to guess the secret.
const byHash = prepared<{ hash: string }, FoundToken>(
  (q) =>
    q
      .select({
        token: accessTokens,
        userStatus: users.status,
        issuer: users.issuer,
        orgId: members.orgId,
        role: members.role,
        memberSince: members.createdAt,
      })
      .from(accessTokens)
      .innerJoin(users, eq(users.id, accessTokens.userId))
      .leftJoin(members, eq(members.userId, users.id))
      .where(eq(accessTokens.hash, sql.placeholder('hash'))),
  'auth_token_by_hash',
);

/** The precision of `lastUsedAt`: a write per call would cost too much. */
const lastUsedResolutionMs = 60_000;

interface VerifiedToken {
  readonly token: TokenRow;
  readonly scope: TokenScope;
  /** The roles of its user by organization id. */
  readonly roles: ReadonlyMap<number, Role>;
}

/** The stored row of a live token, or null. One read. */
export async function verifyPersonalToken(host: Host, secret: string): Promise<VerifiedToken | null> {
  const rows = await byHash(host.db.q, { hash: secretHash(secret) });
  const [found] = rows;
  if (!found) return null;
  const { token, userStatus, issuer } = found;
  const now = host.clock.now();
  const isExpired = token.expiresAt !== null && token.expiresAt <= now;
  if (isExpired || token.revokedAt !== null || userStatus !== 'active') return null;
  const isNoted = token.lastUsedAt !== null && now - token.lastUsedAt <= lastUsedResolutionMs;
  if (!isNoted) {
    await noteUse(host, async (q) => {
      await q.update(accessTokens).set({ lastUsedAt: now }).where(eq(accessTokens.id, token.id));
    });
  }
  // Version 0.1 did not store what created a token. Users without sessions got theirs on the local machine.
  const madeWith = token.madeWith ?? (issuer === localIssuer ? madeOnMachine : null);
  // A token for one project ends with the membership that it was made in: a new one does not bring it back.
  const counting = token.ofProject
    ? rows.filter(({ memberSince }) => memberSince !== null && memberSince <= token.createdAt)
    : rows;
  return { token: { ...token, madeWith }, scope: scopeOfToken(token), roles: rolesIn(counting) };
}

/**
 * Revokes the live tokens of a user, in the transaction that revokes the sessions.
 * @param which `session`: only tokens that a session created; `notMadeWith`: of these only those that none of these sessions created; `orgId`:
 * only those for this organization alone.
 * @returns how many.
 */
export async function revokeTokensOf(
  q: Query,
  userId: number,
  now: number,
  which: 'all' | 'session' | { readonly orgId: number } | { readonly notMadeWith: SQLWrapper },
): Promise<number> {
  const live = and(eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt), thoseTokens(which));
  for (let all = 0; ;) {
    const some = q.select({ id: accessTokens.id }).from(accessTokens).where(live).limit(maxPerStatement);
    const ended = await q
      .update(accessTokens)
      .set({ revokedAt: now })
      .where(inArray(accessTokens.id, some))
      .returning({ id: accessTokens.id });
    const entry = { event: 'access_token_revoked', userId } as const;
    const entries = ended.map(({ id }) => ({ ...entry, cause: String(id) }));
    await writeAuditEntries(q, now, entries);
    all += ended.length;
    if (ended.length < maxPerStatement) return all;
    if (turnIsOver()) await nextTurn();
  }
}

function thoseTokens(which: Parameters<typeof revokeTokensOf>[3]): SQL | undefined {
  if (which === 'all') return undefined;
  const { madeWith, orgId } = accessTokens;
  if (typeof which === 'object' && 'orgId' in which) return eq(orgId, which.orgId);
  const bySession = ne(madeWith, madeOnMachine);
  // Version 0.1 did not store what created a token.
  if (which === 'session') return or(isNull(madeWith), bySession);
  return or(isNull(madeWith), and(bySession, notInArray(madeWith, which.notMadeWith)));
}

/** A live token by its id, of any user or of one user, or by the token itself. */
type TokenKey = { readonly id: number; readonly userId?: number } | { readonly secret: string };

/** Revokes a live token. @param by for the audit log: how it was asked. @returns its id, or null when it does not exist. */
export async function revokePersonalToken(
  host: Pick<Host, 'db' | 'clock'>,
  key: TokenKey,
  by: { readonly surface?: 'cli'; readonly address?: string } = {},
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
    const { id, userId } = revoked;
    await writeAuditEntry(q, now, { event: 'access_token_revoked', userId, cause: String(id), ...by });
    return id;
  });
}

/** One page of the tokens of a user that were not revoked, the newest first, and how many there are. */
export function pageOfTokens(q: Query, userId: number, page: Page) {
  const where = and(eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt));
  return countedPage(q, accessTokens, { where, orderBy: [desc(accessTokens.id)] }, page);
}

/** Every token that was not revoked, with the e-mail address of its user; only those of one address if it is given. */
export const tokensOfAll = (q: Query, email: string | undefined) =>
  q
    .select({ token: accessTokens, email: users.email })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.userId))
    .where(and(isNull(accessTokens.revokedAt), email === undefined ? undefined : eq(users.email, email)))
    .orderBy(asc(accessTokens.id));
