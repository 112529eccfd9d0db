// Made by npm run generate from the declarations of the operations: do not edit.
import type { OperationFile } from '../../../core/module/module.ts';
import type { CallsOf } from '../../../core/tools/operation-types.ts';

/** The files that have the tools of this module, in the order that clients see. A command loads those that it runs. */
export const toolFiles = [
  {
    load: () => import('../administration/account-operations.ts'),
    tools: [{ name: 'merge-users', toolset: 'auth' }, { name: 'erase-user', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/audit-operations.ts'),
    tools: [{ name: 'list-audit', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/claim-operations.ts'),
    tools: [{ name: 'get-account', toolset: 'auth' }, { name: 'set-user-claims', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/installation-operations.ts'),
    tools: [{ name: 'list-signing-keys', toolset: 'auth' }, { name: 'list-identity-providers', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/invitation-operations.ts'),
    tools: [{ name: 'invite-user', toolset: 'auth' }, { name: 'list-invitations', toolset: 'auth' }, { name: 'revoke-invitation', toolset: 'auth' }, { name: 'accept-invitation', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/member-operations.ts'),
    tools: [{ name: 'list-members', toolset: 'auth' }, { name: 'remove-member', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/organization-operations.ts'),
    tools: [{ name: 'create-organization', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/person-operations.ts'),
    tools: [{ name: 'get-user', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/token-operations.ts'),
    tools: [{ name: 'create-access-token', toolset: 'auth' }, { name: 'list-access-tokens', toolset: 'auth' }, { name: 'revoke-access-token', toolset: 'auth' }],
  },
  {
    load: () => import('../administration/user-operations.ts'),
    tools: [{ name: 'set-user-status', toolset: 'auth' }, { name: 'set-user-role', toolset: 'auth' }],
  },
  {
    load: () => import('../sessions/session-operations.ts'),
    tools: [{ name: 'list-sessions', toolset: 'auth' }, { name: 'revoke-session', toolset: 'auth' }],
  },
  {
    load: () => import('../letters/letter-operations.ts'),
    tools: [{ name: 'get-letter-settings', toolset: 'auth' }, { name: 'set-letter-setting', toolset: 'auth' }],
  },
] as const satisfies readonly OperationFile[];

export type ToolName = (typeof toolFiles)[number]['tools'][number]['name'];

/** Every tool of this module with the types of its input and its output. */
export type Calls = CallsOf<typeof import('../administration/account-operations.ts')> &
  CallsOf<typeof import('../administration/audit-operations.ts')> &
  CallsOf<typeof import('../administration/claim-operations.ts')> &
  CallsOf<typeof import('../administration/installation-operations.ts')> &
  CallsOf<typeof import('../administration/invitation-operations.ts')> &
  CallsOf<typeof import('../administration/member-operations.ts')> &
  CallsOf<typeof import('../administration/organization-operations.ts')> &
  CallsOf<typeof import('../administration/person-operations.ts')> &
  CallsOf<typeof import('../administration/token-operations.ts')> &
  CallsOf<typeof import('../administration/user-operations.ts')> &
  CallsOf<typeof import('../sessions/session-operations.ts')> &
  CallsOf<typeof import('../letters/letter-operations.ts')>;
