import { coreErrors, defineErrors, type FaultKind } from '../../../core/base/errors.ts';

export const authErrors = {
  UNSUPPORTED_RESPONSE_TYPE: { status: 400, tip: 'Use "token", "id_token" or both, separated by a space.' },
  UNSUPPORTED_GRANT_TYPE: {
    status: 400,
    tip: 'Use "authorization_code", "id_token" or one of the urn:ietf:params:oauth:grant-type values.',
  },
  UNKNOWN_ID_PROVIDER: {
    status: 400,
    tip: 'Use the name of a provider in the [providers] table of the configuration.',
  },
  INVALID_ID_TOKEN: { status: 401, tip: 'Get a fresh ID token from the identity provider.' },
  GUESTS_DISABLED: {
    status: 403,
    tip: 'Start the server with --guests, or sign the person in with an identity provider.',
  },
  IDENTITY_IN_USE: {
    status: 409,
    tip: 'A guest may send onConflict "switch" and goes on as that user. Otherwise sign in with that identity.',
  },
  TOO_MANY_IDENTITIES: { status: 409, tip: 'Remove one first: DELETE /v1/auth/identities/{id}.' },
  LAST_IDENTITY: { status: 409, tip: 'Link another identity first: POST /v1/auth/link.' },
  IDENTITY_NOT_FOUND: { status: 404, tip: 'List the identities with GET /v1/auth/identities.' },
  INVALID_REFRESH_TOKEN: { status: 401, tip: 'Sign in again with an ID token.' },
  ACCESS_DENIED: { status: 403, tip: 'Ask an administrator for access.' },
  ID_PROVIDER_UNAVAILABLE: {
    status: 503,
    tip: 'Try again later: the keys of the identity provider are not available.',
  },
  AUTH_NOT_CONFIGURED: {
    status: 503,
    tip: 'Configure a provider in the [providers] table of --config, or start with --dev on loopback.',
  },
  KEYS_UNREADABLE: {
    status: 503,
    tip:
      'Give Trivet the master key of this database: copy master.key from its first data directory, or name it with ' +
      '--master-key-file or TRIVET_MASTER_KEY_FILE. A process reads it when it starts: after a change of the file, restart it. If it is lost: trivet keys list, then trivet keys rotate --drop KID for ' +
      'each active or next key; all users must then sign in again.',
  },
  LAST_ADMIN: {
    status: 409,
    tip: 'Make another user an administrator first, with invite-user or set-user-role.',
  },
  ROLE_OF_GROUP: {
    status: 409,
    tip: 'Change the groups of the person at the identity provider, or [providers.NAME.groups] of the configuration. set-user-status locks somebody out at once.',
  },
  UNKNOWN_TOKEN: { status: 404, tip: 'List your tokens with list-access-tokens.' },
  LETTERS_OFF: {
    status: 409,
    tip: 'Leave out email and hand the link over, or start the server with --smtp-url (docs/team.md, Letters).',
  },
  INVITATION_NOT_FOUND: { status: 404, tip: 'List the open invitations with list-invitations.' },
  INVALID_INVITATION: {
    status: 403,
    tip: 'Ask an administrator to run invite-user again: a code works once and expires.',
  },
} as const satisfies Record<string, FaultKind>;

/** Creates the errors of this module and of the kernel: `throw fail.INVALID_ID_TOKEN('The ID token is not valid.')`. */
export const fail = defineErrors({ ...coreErrors, ...authErrors });
