import type { Host } from '../../../core/host/host.ts';
import type { RestoreChoice, RestoreNote } from '../../../core/module/module.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import {
  allLiveTokens,
  allMembers,
  countLiveSessions,
  endAllSessions,
  noteRestore,
  revokeAllTokens,
} from './restore-store.ts';

/** The maximum number of tokens and members to list. */
const named = 50;

/**
 * Records that a database was restored, and reports what reappeared: members removed and tokens revoked since the backup.
 * @param before the previous data, if readable: whatever it lacks has reappeared.
 */
export async function noteRestored(
  host: Host,
  { endSessions, revokeTokens }: RestoreChoice,
  before: Host | undefined,
): Promise<RestoreNote> {
  const now = host.clock.now();
  const [tokens, members] = [await allLiveTokens(host.db.q, now), await allMembers(host.db.q)];
  const [tokensThen, membersThen] = before
    ? [await allLiveTokens(before.db.q, now), await allMembers(before.db.q)]
    : [undefined, undefined];
  const known = new Set(tokensThen?.map(({ tokenId }) => tokenId));
  const tokensBack = tokensThen && tokens.filter(({ tokenId }) => !known.has(tokenId));
  const placeOf = ({ orgId, userId }: { readonly orgId: number; readonly userId: number }) =>
    `${orgId} ${userId}`;
  const knownMembers = new Set(membersThen?.map(placeOf));
  const membersBack = membersThen && members.filter((one) => !knownMembers.has(placeOf(one)));
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
    ...(tokensBack && { tokensBack: tokensBack.slice(0, named), tokensBackCount: tokensBack.length }),
    ...(membersBack && { membersBack: membersBack.slice(0, named), membersBackCount: membersBack.length }),
    ...ended,
  };
}
