import { expect, test } from 'bun:test';
import { noteText } from './restore-words.ts';

const note = { sessions: 2, tokens: 1, members: 3, sessionsEnded: 0, tokensRevoked: 0 };
const has = 'It has 3 members, 2 sessions and 1 access token, as they were at the backup.';
const who = 'list-members and trivet token list show who there is.';

/** @see With its own flags a restore said that revoked tokens were valid again, and that people stayed signed in. */
test.each([
  [
    { endSessions: false, revokeTokens: false },
    note,
    [
      'Whoever was active since the backup stays signed in.',
      `Tokens that were revoked, and members who were removed, since then are valid again. --revoke-tokens and --end-sessions end them; ${who}`,
    ],
  ],
  [
    { endSessions: true, revokeTokens: true },
    { ...note, sessionsEnded: 2, tokensRevoked: 1 },
    [
      '2 sessions were ended: everybody signs in again.',
      '1 access token was revoked.',
      `Members who were removed since then are valid again. ${who}`,
    ],
  ],
  [
    { endSessions: true, revokeTokens: false },
    { ...note, sessions: 0 },
    [
      '0 sessions were ended: everybody signs in again.',
      `Tokens that were revoked, and members who were removed, since then are valid again. --revoke-tokens ends them; ${who}`,
    ],
  ],
  [
    { endSessions: false, revokeTokens: true },
    {
      ...note,
      tokensRevoked: 1,
      tokensBack: [{ tokenId: 7, name: 'ci', userId: 2 }],
      membersBack: [{ orgId: 1, userId: 4, role: 'admin' }],
    },
    [
      'Whoever was active since the backup stays signed in.',
      '1 access token was revoked.',
      'Came back: access token 7 "ci" of user 2 (revoked now)',
      'Came back: user 4 as admin of organization 1',
    ],
  ],
  [
    { endSessions: true, revokeTokens: false },
    {
      ...note,
      sessionsEnded: 60,
      tokensBack: [],
      tokensBackCount: 0,
      membersBack: [],
      membersBackCount: 0,
      usersBack: [{ userId: 5 }],
      usersBackCount: 1,
      invitationsBack: [{ invitationId: 3, orgId: 1, role: 'admin' }],
      invitationsBackCount: 1,
      shareLinksBack: [{ shareLinkId: 9, projectId: 2 }],
      shareLinksBackCount: 3,
      sessionsBack: [{ sessionId: 'abc', userId: 6 }],
      sessionsBackCount: 60,
    },
    [
      '60 sessions were ended: everybody signs in again.',
      'Came back: user 5, who was disabled, merged or erased',
      'Came back: invitation 3 to organization 1 as admin, which was revoked or redeemed (revoke-invitation ends it)',
      'Came back: link 9 to a report of project 2, which was revoked (revoke-share-link ends it)',
      'Came back: session abc of user 6 (ended now)',
      'Came back: 61 more',
    ],
  ],
])('%j', (choice, restored, lines) => {
  const first = has.replace('2 sessions', `${restored.sessions} sessions`);
  expect(noteText(restored, choice)).toBe(`${[first, ...lines].join('\n')}\n`);
});
