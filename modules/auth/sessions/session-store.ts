import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  ne,
  or,
  sql,
  type SQL,
  type SQLWrapper,
} from 'drizzle-orm';
import { forUpdate } from '../../../core/db/query/columns.ts';
import { countOf, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { later, prepared, type Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { maxPerStatement } from '../audit/audit-store.ts';
import { rolesIn, type OptionalMembership } from '../people/member-store.ts';
import { guestIssuer, isGuest, type UserRow } from '../people/user-store.ts';
import { noteEnded, type RevokedReason } from './ended-session-store.ts';
import { members, sessions, users } from '../base/schema.ts';

export type SessionRow = typeof sessions.$inferSelect;

/** The columns that every request with an access token reads. */
interface LiveSession {
  readonly userId: number;
  readonly userStatus: 'active' | 'disabled';
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

const byId = prepared<{ id: string }, LiveSession>(
  (q) =>
    q
      .select({
        userId: sessions.userId,
        userStatus: users.status,
        expiresAt: sessions.expiresAt,
        revokedAt: sessions.revokedAt,
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(eq(sessions.id, sql.placeholder('id'))),
  'auth_session_by_id',
);

const isLive = (session: LiveSession, now: number): boolean =>
  session.revokedAt === null && session.expiresAt > now && session.userStatus === 'active';

/** The session if it is live: not revoked, not ended, its user active. One read. */
export async function liveSession(q: Query, id: string, now: number): Promise<LiveSession | null> {
  const [session] = await byId(q, { id });
  return session && isLive(session, now) ? session : null;
}

const byIdWithRoles = prepared<
  { id: string },
  LiveSession &
    OptionalMembership &
    Pick<SessionRow, 'scope' | 'clientId' | 'lastUsedAt'> &
    Pick<UserRow, 'issuer'>
>(
  (q) =>
    q
      .select({
        userId: sessions.userId,
        userStatus: users.status,
        issuer: users.issuer,
        expiresAt: sessions.expiresAt,
        revokedAt: sessions.revokedAt,
        scope: sessions.scope,
        clientId: sessions.clientId,
        lastUsedAt: sessions.lastUsedAt,
        orgId: members.orgId,
        role: members.role,
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .leftJoin(members, eq(members.userId, users.id))
      .where(eq(sessions.id, sql.placeholder('id'))),
  'auth_session_with_roles',
);

/** Like {@link liveSession}, with its scope and the roles of its user by organization id. One read. */
export async function liveSessionWithRoles(q: Query, id: string, now: number) {
  const rows = await byIdWithRoles(q, { id });
  const [session] = rows;
  if (!session || !isLive(session, now)) return null;
  const { userId, scope, clientId, lastUsedAt } = session;
  return { userId, isGuest: isGuest(session), scope, clientId, lastUsedAt, roles: rolesIn(rows) };
}

const isLiveRow = (id: string, now: number) =>
  and(eq(sessions.id, id), isNull(sessions.revokedAt), gt(sessions.expiresAt, now));

/** Locks a session. @returns whether it is live. */
export async function holdSession(q: Query, id: string, now: number): Promise<boolean> {
  const live = q.select({ id: sessions.id }).from(sessions).where(isLiveRow(id, now));
  return (await forUpdate(live)).length > 0;
}

const sessionWithUser = (lock: <S extends object>(select: S) => S, name: string) =>
  prepared<{ id: string }, { session: SessionRow; user: UserRow }>(
    (q) =>
      lock(
        q
          .select({ session: sessions, user: users })
          .from(sessions)
          .innerJoin(users, eq(users.id, sessions.userId))
          .where(eq(sessions.id, sql.placeholder('id'))),
      ),
    name,
  );

const withUser = sessionWithUser((select) => select, 'auth_session_whole');
const lockedWithUser = sessionWithUser((select) => forUpdate(select, sessions), 'auth_session_to_change');

/** A session with its user, live or not. */
export async function sessionById(q: Query, id: string) {
  const [row] = await withUser(q, { id });
  return row;
}

/** Like {@link sessionById}, and locks the session for a transaction that changes it. */
export async function sessionToChange(q: Query, id: string) {
  const [row] = await lockedWithUser(q, { id });
  return row;
}

/** Stores a new session. @returns its row. */
export async function insertSession(
  q: Query,
  session: Omit<SessionRow, 'revokedAt' | 'revokedReason'>,
): Promise<SessionRow> {
  await later(q, q.insert(sessions).values(session));
  return { ...session, revokedAt: null, revokedReason: null };
}

export async function updateSession(q: Query, id: string, change: Partial<SessionRow>): Promise<void> {
  await q.update(sessions).set(change).where(eq(sessions.id, id));
}

const advanceRow = prepared<Rotated & { id: string }, never>(
  (q) =>
    q
      .update(sessions)
      .set({
        generation: sql`${sql.placeholder('generation')}`,
        rotatedAt: sql`${sql.placeholder('rotatedAt')}`,
        graceUses: sql`${sql.placeholder('graceUses')}`,
        lastUsedAt: sql`${sql.placeholder('lastUsedAt')}`,
      })
      .where(eq(sessions.id, sql.placeholder('id'))),
  'auth_advance_session',
);

type Rotated = Pick<SessionRow, 'generation' | 'rotatedAt' | 'graceUses' | 'lastUsedAt'>;

/** Stores a new generation of a session, and its new end if it has one. */
export const advanceSession = (
  q: Query,
  id: string,
  { expiresAt, ...rotated }: Rotated & { readonly expiresAt?: number },
): Promise<unknown> =>
  expiresAt === undefined
    ? advanceRow(q, { ...rotated, id })
    : updateSession(q, id, { ...rotated, expiresAt });

/** Revokes a session of this user if it is live. @returns its id, or nothing. */
export async function revokeSession(
  q: Query,
  { id, userId }: { readonly id: string; readonly userId: number },
  now: number,
  reason: RevokedReason,
): Promise<string[]> {
  const ended = await q
    .update(sessions)
    .set({ revokedAt: now, revokedReason: reason })
    .where(and(eq(sessions.userId, userId), isLiveRow(id, now)))
    .returning({ id: sessions.id, userId: sessions.userId });
  await noteEnded(q, ended, { now, reason });
  return ended.map((session) => session.id);
}

/**
 * Revokes every live session of a user, in chunks: a user may have thousands.
 * @param onRevoked gets the ids of each chunk.
 * @returns how many.
 */
export async function revokeSessionsOf(
  q: Query,
  userId: number,
  { now, reason }: { readonly now: number; readonly reason: RevokedReason },
  onRevoked: (ids: readonly string[]) => Promise<void>,
): Promise<number> {
  const live = and(eq(sessions.userId, userId), isNull(sessions.revokedAt));
  return revokeThose(q, live, { now, reason }, onRevoked);
}

/**
 * Revokes what is left of the sessions of a user who was disabled: the version before listed them as ended, and left them. They are not
 * listed again.
 */
export async function revokeListedSessionsOf(q: Query, userId: number, now: number): Promise<void> {
  await q
    .update(sessions)
    .set({ revokedAt: now, revokedReason: 'user_disabled' })
    .where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt)));
}

async function revokeThose(
  q: Query,
  live: SQL | undefined,
  { now, reason }: { readonly now: number; readonly reason: RevokedReason },
  onRevoked: (ids: readonly string[]) => Promise<void>,
): Promise<number> {
  for (let all = 0; ;) {
    // One that has expired has ended already: services are told of those that end before their time.
    const unexpired = and(live, gt(sessions.expiresAt, now));
    const some = q.select({ id: sessions.id }).from(sessions).where(unexpired).limit(maxPerStatement);
    const ended = await q
      .update(sessions)
      .set({ revokedAt: now, revokedReason: reason })
      .where(inArray(sessions.id, some))
      .returning({ id: sessions.id, userId: sessions.userId });
    await noteEnded(q, ended, { now, reason });
    await onRevoked(ended.map((session) => session.id));
    all += ended.length;
    if (ended.length < maxPerStatement) return all;
    if (turnIsOver()) await nextTurn();
  }
}

/**
 * Revokes the live sessions that an identity opened, except one. A session without identity, which is the first one of a user or of a
 * version without identities, counts for every identity of its provider.
 * @returns how many.
 */
export async function revokeSessionsOfIdentity(
  q: Query,
  given: {
    readonly userId: number;
    readonly identityId: number;
    readonly provider: string;
    readonly except: string;
  },
  { now, reason }: { readonly now: number; readonly reason: RevokedReason },
  onRevoked: (ids: readonly string[]) => Promise<void>,
): Promise<number> {
  const opened = or(
    eq(sessions.identityId, given.identityId),
    and(isNull(sessions.identityId), eq(sessions.provider, given.provider)),
  );
  const live = and(eq(sessions.userId, given.userId), isNull(sessions.revokedAt), opened);
  return revokeThose(q, and(live, ne(sessions.id, given.except)), { now, reason }, onRevoked);
}

/** SQL of the ids of the sessions of a user, ended ones too, that are not of an identity as {@link revokeSessionsOfIdentity} counts them. */
export function sessionsBesideIdentity(
  q: Query,
  { userId, identityId, provider, except }: Parameters<typeof revokeSessionsOfIdentity>[1],
): SQLWrapper {
  const ofAnother = or(
    and(isNotNull(sessions.identityId), ne(sessions.identityId, identityId)),
    and(isNull(sessions.identityId), ne(sessions.provider, provider)),
    eq(sessions.id, except),
  );
  return q
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), ofAnother));
}

/** A person, or one session of a person, at identity providers of these names: what a logout there ends. */
interface ProviderSession {
  readonly providers: readonly string[];
  /** The session at the provider; null: every session of the identity. */
  readonly sid: string | null;
  /** Whose identity it is; null: the logout names only the session. */
  readonly identity: { readonly userId: number; readonly identityId: number } | null;
}

/**
 * The live sessions here that belong to it. A session that knows no session of the provider (an older version stored it, or the ID token
 * named none) counts for every one of its identity.
 */
function ofProviderSession({ providers, sid, identity }: ProviderSession): SQL | undefined {
  const opened =
    identity === null
      ? undefined
      : and(
          eq(sessions.userId, identity.userId),
          or(eq(sessions.identityId, identity.identityId), isNull(sessions.identityId)),
          sid === null ? undefined : isNull(sessions.providerSid),
        );
  const which = sid === null ? (opened ?? sql`false`) : or(eq(sessions.providerSid, sid), opened);
  return and(inArray(sessions.provider, [...providers]), isNull(sessions.revokedAt), which);
}

/** The users who have live sessions that a logout at a provider ends. */
export async function usersOfProviderSession(q: Query, ended: ProviderSession): Promise<readonly number[]> {
  const found = await q
    .selectDistinct({ userId: sessions.userId })
    .from(sessions)
    .where(ofProviderSession(ended));
  return found.map(({ userId }) => userId);
}

/** Revokes the sessions of a user that a logout at a provider ends. @returns how many. */
export const revokeProviderSessions = (
  q: Query,
  userId: number,
  ended: ProviderSession,
  now: number,
  onRevoked: (ids: readonly string[]) => Promise<void>,
): Promise<number> =>
  revokeThose(
    q,
    and(eq(sessions.userId, userId), ofProviderSession(ended)),
    { now, reason: 'provider_logout' },
    onRevoked,
  );

const manySessions = 5_000;

/** Settings in seconds: how long a session that nobody uses can still be continued. */
interface IdleTimes {
  readonly 'refresh-idle': number;
  readonly 'guest-keep': number;
}

/** The live sessions of a user, the most recently used first. One whose refresh token expired unused has ended. */
export async function pageOfSessions(
  q: Query,
  userId: number,
  { now, idle }: { readonly now: number; readonly idle: IdleTimes },
  { limit, offset }: Page,
): Promise<CountedPage<SessionRow>> {
  const usedSince = (seconds: number) => gt(sessions.lastUsedAt, now - seconds * 1000);
  const live = and(
    eq(sessions.userId, userId),
    isNull(sessions.revokedAt),
    gt(sessions.expiresAt, now),
    // As long as a refresh token lives (refresh-token.ts).
    or(
      and(ne(sessions.provider, guestIssuer), usedSince(idle['refresh-idle'])),
      and(eq(sessions.provider, guestIssuer), usedSince(idle['guest-keep'])),
    ),
  );
  const total = await countOf(q, sessions, live);
  // The count and the page each read every session of the user.
  if (total > manySessions) await nextTurn();
  // Sorts ids only: for 100,000 sessions that takes a third of the time.
  const order = [desc(sessions.lastUsedAt), asc(sessions.id)] as const;
  // A page in the second half is read from the end, because the engine keeps the first (offset + limit) rows while sorting.
  const fromEnd = offset > total / 2;
  const onPage = Math.max(0, Math.min(limit, total - offset));
  const ids = await q
    .select({ id: sessions.id })
    .from(sessions)
    .where(live)
    .orderBy(...(fromEnd ? ([asc(sessions.lastUsedAt), desc(sessions.id)] as const) : order))
    .limit(fromEnd ? onPage : limit)
    .offset(fromEnd ? Math.max(0, total - offset - onPage) : offset);
  if (ids.length === 0) return { total, rows: [] };
  const onThisPage = inArray(
    sessions.id,
    ids.map(({ id }) => id),
  );
  const rows = await q
    .select()
    .from(sessions)
    .where(onThisPage)
    .orderBy(...order);
  return { total, rows };
}
