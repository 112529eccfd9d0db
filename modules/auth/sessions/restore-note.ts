import { roles, type Role } from '../../../core/base/actor.ts';
import { backInPages, backOf, restoredAtOnce, type Back } from '../../../core/db/query/came-back.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import type { RestoreChoice, RestoreNote } from '../../../core/module/module.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { closedInvitationsOf, openInvitationsAfter } from '../people/invitation-store.ts';
import {
  allLiveTokens,
  allMembers,
  closedUsersAfter,
  countLiveSessions,
  endAllSessions,
  endedOf,
  liveSessionsAfter,
  noteRestore,
  openUsersOf,
  revokeAllTokens,
} from './restore-store.ts';

/** What the restored database allows, and the previous one did not any more. */
interface CameBack {
  readonly tokens: Back<{ tokenId: number; name: string; userId: number }>;
  readonly members: Back<{ orgId: number; userId: number; role: Role }>;
  readonly sessions: Back<{ sessionId: string; userId: number }>;
  readonly users: Back<{ userId: number }>;
  readonly invitations: Back<{ invitationId: number; orgId: number; role: Role }>;
}

/**
 * Records that a database was restored, and reports what reappeared: what was revoked, ended or taken from somebody since the backup.
 * @param before the previous data, if readable.
 */
export async function noteRestored(
  host: Host,
  { endSessions, revokeTokens }: RestoreChoice,
  before: Host | undefined,
): Promise<RestoreNote> {
  const now = host.clock.now();
  const [tokens, members] = [await allLiveTokens(host.db.q, now), await allMembers(host.db.q)];
  const back = before && (await cameBack(host.db.q, before.db.q, { now, tokens, members }));
  const sessions = await countLiveSessions(host.db.q, now);
  const ended = await host.db.tx(async (q) => {
    await noteRestore(q, now);
    await writeAuditEntry(q, now, { event: 'restored', surface: 'cli' });
    return {
      sessionsEnded: endSessions ? await endAllSessions(q, now) : 0,
      tokensRevoked: revokeTokens ? await revokeAllTokens(q, now) : 0,
    };
  });
  return {
    sessions,
    tokens: tokens.length,
    members: members.length,
    ...(back && {
      tokensBack: back.tokens.first,
      tokensBackCount: back.tokens.count,
      membersBack: back.members.first,
      membersBackCount: back.members.count,
      sessionsBack: back.sessions.first,
      sessionsBackCount: back.sessions.count,
      usersBack: back.users.first,
      usersBackCount: back.users.count,
      invitationsBack: back.invitations.first,
      invitationsBackCount: back.invitations.count,
    }),
    ...ended,
  };
}

/** @param now decides which tokens and sessions are live in both. */
async function cameBack(
  q: Query,
  before: Query,
  {
    now,
    tokens,
    members,
  }: {
    readonly now: number;
    readonly tokens: Awaited<ReturnType<typeof allLiveTokens>>;
    readonly members: Awaited<ReturnType<typeof allMembers>>;
  },
): Promise<CameBack> {
  const known = new Set((await allLiveTokens(before, now)).map(({ tokenId }) => tokenId));
  const placeOf = ({ orgId, userId }: { readonly orgId: number; readonly userId: number }) =>
    `${orgId} ${userId}`;
  const roleThen = new Map((await allMembers(before)).map((one) => [placeOf(one), one.role]));
  const hadLess = (one: (typeof members)[number]) => {
    const then = roleThen.get(placeOf(one));
    return then === undefined || roles.indexOf(then) < roles.indexOf(one.role);
  };
  return {
    tokens: backOf(tokens.filter(({ tokenId }) => !known.has(tokenId))),
    members: backOf(members.filter(hadLess)),
    sessions: await sessionsBack(q, before, now),
    users: await usersBack(q, before),
    invitations: await invitationsBack(q, before, now),
  };
}

const sessionsBack = (q: Query, before: Query, now: number): Promise<CameBack['sessions']> =>
  backInPages(
    '',
    (after) => liveSessionsAfter(q, now, after),
    ({ sessionId }) => sessionId,
    async (ids, page) => {
      const ended = await endedOf(before, ids);
      return page.filter(({ sessionId }) => ended.has(sessionId));
    },
  );

const usersBack = (q: Query, before: Query): Promise<CameBack['users']> =>
  backInPages(
    0,
    (after) => closedUsersAfter(before, after),
    ({ userId }) => userId,
    (ids) => openUsersOf(q, ids),
  );

const invitationsBack = (q: Query, before: Query, now: number): Promise<CameBack['invitations']> =>
  backInPages(
    0,
    (after) => openInvitationsAfter(q, now, { after, limit: restoredAtOnce }),
    ({ invitationId }) => invitationId,
    async (ids, page) => {
      const closed = await closedInvitationsOf(before, ids, now);
      return page
        .filter(({ invitationId, codeHash }) => closed.get(invitationId) === codeHash)
        .map(({ invitationId, orgId, role }) => ({ invitationId, orgId, role }));
    },
  );
