// Made by npm run generate from the declarations of the operations: do not edit.
import type { OperationFile } from '../../../core/module/module.ts';
import type { CallsOf } from '../../../core/tools/operation-types.ts';

/** The files that have the tools of this module, in the order that clients see. A command loads those that it runs. */
export const toolFiles = [
  {
    load: () => import('../administration/account-operations.ts'),
    tools: [{ name: 'merge-users', toolset: 'auth', effect: 'update' }, { name: 'erase-user', toolset: 'auth', effect: 'delete' }],
  },
  {
    load: () => import('../administration/audit-operations.ts'),
    tools: [{ name: 'list-audit', toolset: 'auth', effect: 'read' }],
  },
  {
    load: () => import('../administration/claim-operations.ts'),
    tools: [{ name: 'get-account', toolset: 'auth', effect: 'read' }, { name: 'set-user-claims', toolset: 'auth', effect: 'update' }],
  },
  {
    load: () => import('../administration/installation-operations.ts'),
    tools: [{ name: 'list-signing-keys', toolset: 'auth', effect: 'read' }, { name: 'list-identity-providers', toolset: 'auth', effect: 'read' }],
  },
  {
    load: () => import('../administration/invitation-operations.ts'),
    tools: [{ name: 'invite-user', toolset: 'auth', effect: 'create' }, { name: 'list-invitations', toolset: 'auth', effect: 'read' }, { name: 'revoke-invitation', toolset: 'auth', effect: 'delete' }, { name: 'accept-invitation', toolset: 'auth', effect: 'update' }],
  },
  {
    load: () => import('../administration/member-operations.ts'),
    tools: [{ name: 'list-members', toolset: 'auth', effect: 'read' }, { name: 'remove-member', toolset: 'auth', effect: 'delete' }],
  },
  {
    load: () => import('../administration/organization-operations.ts'),
    tools: [{ name: 'create-organization', toolset: 'auth', effect: 'create' }],
  },
  {
    load: () => import('../administration/person-operations.ts'),
    tools: [{ name: 'get-user', toolset: 'auth', effect: 'read' }],
  },
  {
    load: () => import('../administration/token-operations.ts'),
    tools: [{ name: 'create-access-token', toolset: 'auth', effect: 'create' }, { name: 'list-access-tokens', toolset: 'auth', effect: 'read' }, { name: 'revoke-access-token', toolset: 'auth', effect: 'delete' }],
  },
  {
    load: () => import('../administration/user-operations.ts'),
    tools: [{ name: 'set-user-status', toolset: 'auth', effect: 'update' }, { name: 'set-user-role', toolset: 'auth', effect: 'update' }],
  },
  {
    load: () => import('../sessions/session-operations.ts'),
    tools: [{ name: 'list-sessions', toolset: 'auth', effect: 'read' }, { name: 'revoke-session', toolset: 'auth', effect: 'delete' }],
  },
  {
    load: () => import('../letters/letter-operations.ts'),
    tools: [{ name: 'get-letter-settings', toolset: 'auth', effect: 'read' }, { name: 'set-letter-setting', toolset: 'auth', effect: 'update' }],
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
