import { counted } from '../../base/counted-noun.ts';
import type { RestoreChoice, RestoreNote } from '../../module/module.ts';

/** @example countedWere(1, 'session') // 1 session was */
const countedWere = (count: number, noun: string) =>
  `${counted(count, noun)} ${count === 1 ? 'was' : 'were'}`;

/** Describes who can sign in now, for a person. */
export function noteText(note: RestoreNote, { endSessions, revokeTokens }: RestoreChoice): string {
  const { sessions, tokens, members, tokensBack, membersBack, sessionsEnded, tokensRevoked } = note;
  const { sessionsBack = [], usersBack = [], invitationsBack = [], shareLinksBack = [] } = note;
  const lines = [
    `It has ${counted(members, 'member')}, ${counted(sessions, 'session')} and ${counted(tokens, 'access token')}, as they were at the backup.`,
    endSessions
      ? `${countedWere(sessionsEnded, 'session')} ended: everybody signs in again.`
      : 'Whoever was active since the backup stays signed in.',
    ...(revokeTokens ? [`${countedWere(tokensRevoked, 'access token')} revoked.`] : []),
  ];
  if (tokensBack === undefined || membersBack === undefined) {
    const back = revokeTokens
      ? 'Members who were removed'
      : 'Tokens that were revoked, and members who were removed,';
    const flags = [...(revokeTokens ? [] : ['--revoke-tokens']), ...(endSessions ? [] : ['--end-sessions'])];
    const ends =
      flags.length === 0 ? '' : `${flags.join(' and ')} ${flags.length > 1 ? 'end' : 'ends'} them; `;
    lines.push(
      `${back} since then are valid again. ${ends}list-members and trivet token list show who there is.`,
    );
  } else {
    const revoked = revokeTokens ? ' (revoked now)' : '';
    for (const { tokenId, name, userId } of tokensBack)
      lines.push(`Came back: access token ${tokenId} "${name}" of user ${userId}${revoked}`);
    for (const { orgId, userId, role } of membersBack)
      lines.push(`Came back: user ${userId} as ${role} of organization ${orgId}`);
    for (const { userId } of usersBack)
      lines.push(`Came back: user ${userId}, who was disabled, merged or erased`);
    for (const { invitationId, orgId, role } of invitationsBack)
      lines.push(
        `Came back: invitation ${invitationId} to organization ${orgId} as ${role}, which was revoked or redeemed (revoke-invitation ends it)`,
      );
    for (const { shareLinkId, projectId } of shareLinksBack)
      lines.push(
        `Came back: link ${shareLinkId} to a report of project ${projectId}, which was revoked (revoke-share-link ends it)`,
      );
    const ended = endSessions ? ' (ended now)' : '';
    for (const { sessionId, userId } of sessionsBack)
      lines.push(`Came back: session ${sessionId} of user ${userId}${ended}`);
    const all = [
      note.tokensBackCount,
      note.membersBackCount,
      note.usersBackCount,
      note.invitationsBackCount,
      note.shareLinksBackCount,
      note.sessionsBackCount,
    ];
    const shown = [tokensBack, membersBack, usersBack, invitationsBack, shareLinksBack, sessionsBack].flat()
      .length;
    const more = all.reduce<number>((sum, count) => sum + (count ?? 0), 0) - shown;
    if (more > 0) lines.push(`Came back: ${more} more`);
  }
  return `${lines.join('\n')}\n`;
}
