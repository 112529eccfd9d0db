import type { Worst } from './freeze-world.ts';

/* The worst input of each operation on people, sessions and tokens. */

const page = { limit: 500 };
const far = { limit: 500, offset: 1_000_000 };

export const worstAccounts = {
  'invite-user': { args: () => ({ orgId: 1, role: 'member' }) },
  'list-invitations': { args: () => ({ orgId: 1, ...far }) },
  'revoke-invitation': { args: () => ({ orgId: 1, invitationId: 999_999 }), refused: true },
  'accept-invitation': { args: () => ({ code: 'x'.repeat(100) }), refused: true },
  'list-sessions': { args: ({ userId }) => ({ userId, ...page }) },
  'revoke-session': { args: () => ({ sessionId: 'nothing' }), refused: true },
  'create-access-token': { args: (_w, n) => ({ name: `t${n}`, scopes: ['auth'] }), refused: true },
  'list-access-tokens': { args: () => page },
  'revoke-access-token': { args: () => ({ tokenId: 999_999 }), refused: true },
  'get-user': { args: () => ({ email: `${'x'.repeat(300)}@example.org` }), refused: true },
  'set-user-status': { args: () => ({ userId: 999_999, status: 'active' }), refused: true },
  'set-user-role': { args: () => ({ orgId: 1, userId: 999_999, role: 'member' }), refused: true },
  'list-members': { args: () => ({ orgId: 1, ...far }) },
  'remove-member': { args: () => ({ orgId: 1, userId: 999_999 }), refused: true },
  'merge-users': { args: () => ({ userId: 999_998, duplicateId: 999_999 }), refused: true },
  'get-account': { args: () => ({ userId: 1 }) },
  'set-user-claims': { args: () => ({ userId: 1, claims: { a: 'x'.repeat(990) } }) },
  'erase-user': { args: () => ({ userId: 999_999 }), refused: true },
  'list-audit': { args: () => far },
  'list-signing-keys': { args: () => far },
  'list-identity-providers': { args: () => ({}) },
  'get-server-settings': { args: () => far },
  'get-server-health': { args: () => ({}) },
  'get-letter-settings': { args: () => ({}) },
  'set-letter-setting': { args: () => ({ kind: 'newly-failing', isOn: false }) },
  'create-organization': { args: (_w, n) => ({ orgName: `organization ${n}` }) },
} as const satisfies Readonly<Record<string, Worst>>;
