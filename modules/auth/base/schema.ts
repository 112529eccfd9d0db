import { sql } from 'drizzle-orm';
import type { JWK } from 'jose';
import type { Role } from '../../../core/base/actor.ts';
import {
  bool,
  id,
  index,
  int,
  json,
  primaryKey,
  table,
  text,
  time,
  uniqueIndex,
} from '../../../core/db/query/columns.ts';
import type { AuditedIds, WriteChanges } from '../../../core/base/write-entry.ts';

/** What a token for one project may use there, as `toolsets` and `read_toolsets` have it for other tokens. */
interface TokenOfProject {
  readonly projectId: number;
  readonly toolsets: readonly string[] | null;
  readonly readToolsets: readonly string[] | null;
}

/**
 * Users. Issuer and subject are the identity whose profile a user shows, or a word of our own: `local`, `guest`, `erased`, `unlinked`.
 * Sign-ins look into {@link identities}. An e-mail address is data: it never links two accounts.
 */
export const users = table(
  'auth_users',
  {
    id: id('id'),
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    provider: text('provider').notNull(),
    email: text('email'),
    emailVerified: bool('email_verified').notNull(),
    name: text('name'),
    givenName: text('given_name'),
    familyName: text('family_name'),
    picture: text('picture'),
    status: text('status').$type<'active' | 'disabled'>().notNull(),
    createdAt: time('created_at').notNull(),
    lastSignInAt: time('last_sign_in_at'),
    /** The account into which this one was merged: its sign-ins are sign-ins to that one. */
    mergedInto: int('merged_into'),
    /** Claims that an administrator set, for the tokens of the user; null: none. */
    claims: json<Claims>('claims'),
  },
  (t) => [
    uniqueIndex('auth_users_identity').on(t.issuer, t.subject),
    index('auth_users_email').on(t.email),
    index('auth_users_merged')
      .on(t.mergedInto)
      .where(sql`merged_into is not null`),
  ],
);

/** Claims of tokens by name, beyond our own. */
export type Claims = Readonly<Record<string, unknown>>;

/** The identities at identity providers with which users sign in. A user has several after linking, and none as a guest. */
export const identities = table(
  'auth_identities',
  {
    id: id('id'),
    // No reference: the row of a guest that was never used is deleted, and a server of the version before does not know this table.
    userId: int('user_id').notNull(),
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    provider: text('provider').notNull(),
    createdAt: time('created_at').notNull(),
    /** What of the last sign-in gives roles by the settings of the provider (providers/group-mapping.ts); null: nothing ever did. */
    groups: json<readonly string[]>('groups'),
    /** When that sign-in was. */
    groupsAt: time('groups_at'),
  },
  (t) => [
    uniqueIndex('auth_identities_subject').on(t.issuer, t.subject),
    index('auth_identities_user').on(t.userId),
    // A job looks for those whose groups count no longer.
    index('auth_identities_groups')
      .on(t.groupsAt)
      .where(sql`groups_at is not null`),
  ],
);

export const organizations = table('auth_organizations', {
  id: id('id'),
  name: text('name').notNull(),
  createdAt: time('created_at').notNull(),
});

export const members = table(
  'auth_members',
  {
    orgId: int('org_id')
      .notNull()
      .references(() => organizations.id),
    userId: int('user_id')
      .notNull()
      .references(() => users.id),
    /** What the member may do: the higher one of the two below, if groups give one. */
    role: text('role').$type<Role>().notNull(),
    createdAt: time('created_at').notNull(),
    /** The role that groups at a provider give; null: none, and `role` was given by hand. */
    groupRole: text('group_role').$type<Role>(),
    /** Beside a role of groups: the one that was given by hand; null: groups alone made the member. */
    handRole: text('hand_role').$type<Role>(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.userId] }), index('auth_members_user').on(t.userId)],
);

/** Who was a member once, also if they are again: other members see their name beside what they did, and nothing else of them. */
export const formerMembers = table(
  'auth_former_members',
  {
    orgId: int('org_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: int('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.userId] })],
);

/** Single-use codes with which a signed-in user becomes a member. Only the hash of a code is stored. */
export const invitations = table(
  'auth_invitations',
  {
    id: id('id'),
    orgId: int('org_id')
      .notNull()
      .references(() => organizations.id),
    kind: text('kind').$type<'setup' | 'invitation'>().notNull(),
    role: text('role').$type<Role>().notNull(),
    codeHash: text('code_hash').notNull(),
    /** Where the link was sent, for those who look through the open ones; null without a letter, and once it has ended. */
    address: text('address'),
    createdBy: int('created_by').references(() => users.id),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
    redeemedBy: int('redeemed_by').references(() => users.id),
    redeemedAt: time('redeemed_at'),
  },
  (t) => [uniqueIndex('auth_invitations_code').on(t.codeHash)],
);

/** One row per sign-in. The refresh token names it and a generation; no token is stored. */
export const sessions = table(
  'auth_sessions',
  {
    id: text('id').primaryKey(),
    userId: int('user_id')
      .notNull()
      .references(() => users.id),
    provider: text('provider').notNull(),
    clientId: text('client_id').notNull(),
    audience: json<readonly string[]>('audience').notNull(),
    generation: int('generation').notNull(),
    rotatedAt: time('rotated_at').notNull(),
    /** How often the previous generation was presented inside the grace window. */
    graceUses: int('grace_uses').notNull(),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
    lastUsedAt: time('last_used_at').notNull(),
    revokedAt: time('revoked_at'),
    revokedReason: text('revoked_reason'),
    userAgent: text('user_agent'),
    address: text('address'),
    /** Scopes of an OAuth client, separated by spaces; null: everything that the user may do. */
    scope: text('scope'),
    /** The identity that signed in; null: none did, it was new then, or a version without identities stored the session. */
    identityId: int('identity_id'),
    /** Claims that the settings of the provider copy from its ID token; null: none. */
    claims: json<Claims>('claims'),
    /** The session at the provider (`sid`), with which the provider ends this one; null: it named none. */
    providerSid: text('provider_sid'),
  },
  (t) => [
    index('auth_sessions_standing').on(t.userId, t.revokedAt),
    index('auth_sessions_expiry').on(t.expiresAt),
    index('auth_sessions_provider_sid')
      .on(t.providerSid)
      .where(sql`provider_sid is not null`),
    // A job deletes guests whose session has ended.
    index('auth_sessions_guests')
      .on(t.expiresAt)
      .where(sql`provider = 'guest'`),
  ],
);

/** Sessions that ended before their time, for services that verify access tokens by themselves. */
export const revocations = table(
  'auth_revocations',
  {
    id: id('id'),
    sessionId: text('session_id').notNull(),
    userId: int('user_id').notNull(),
    at: time('at').notNull(),
    reason: text('reason').notNull(),
    /** Its place in the feed; null until somebody reads: rows become visible in another order than that of their ids. */
    position: int('position'),
  },
  (t) => [
    uniqueIndex('auth_revocations_position').on(t.position),
    index('auth_revocations_new')
      .on(t.id)
      .where(sql`position is null`),
    index('auth_revocations_at').on(t.at),
  ],
);

/** The last place of the feed of revocations that was given. One row. */
export const revocationPositions = table('auth_revocation_positions', {
  id: int('id').primaryKey(),
  position: int('position').notNull(),
});

/**
 * Sign-ins by browser. One row from the consent of a person, or the request of a device, to the session. No secret is stored: codes and
 * states are hashed, and the values sent to the provider are derived from the state, which only the browser has.
 */
export const oauthRequests = table(
  'auth_oauth_requests',
  {
    id: text('id').primaryKey(),
    /** null: a person follows a link (an invitation, the link of the first start). */
    clientId: text('client_id'),
    /** null: a device, which polls with its code. */
    redirectUri: text('redirect_uri'),
    /** The state of the client. */
    state: text('state'),
    challenge: text('challenge'),
    scope: text('scope'),
    resources: json<readonly string[]>('resources').notNull(),
    /** SHA-256 of the cookie of the browser; null: no browser has entered the code of the device. */
    browserHash: text('browser_hash'),
    provider: text('provider'),
    /** SHA-256 of the state that the provider sends back. */
    upstreamState: text('upstream_state'),
    /** SHA-256 of the authorization code, of the device code or of the code of a sign-in link. */
    codeHash: text('code_hash'),
    userCodeHash: text('user_code_hash'),
    pollAfter: time('poll_after'),
    pollSeconds: int('poll_seconds'),
    // No references: the rows live for an hour, and a server of the previous version does not know them.
    invitationId: int('invitation_id'),
    userId: int('user_id'),
    status: text('status').$type<OauthStatus>().notNull(),
    sessionId: text('session_id'),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    uniqueIndex('auth_oauth_requests_state').on(t.upstreamState),
    uniqueIndex('auth_oauth_requests_code').on(t.codeHash),
    uniqueIndex('auth_oauth_requests_user_code').on(t.userCodeHash),
    index('auth_oauth_requests_expiry').on(t.expiresAt),
  ],
);

export type OauthStatus = 'asked' | 'at_provider' | 'granted' | 'used' | 'denied';

/** Personal access tokens (`trv_…`), stored as SHA-256. */
export const accessTokens = table(
  'auth_access_tokens',
  {
    id: id('id'),
    userId: int('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    hash: text('hash').notNull(),
    /** null: every toolset. */
    toolsets: json<readonly string[]>('toolsets'),
    /** Toolsets that it may only read with. */
    readToolsets: json<readonly string[]>('read_toolsets'),
    /** Scopes other than toolsets: `admin`, `cta:publish`; null: none. */
    grants: json<readonly string[]>('grants'),
    readOnly: bool('read_only').notNull(),
    /** null: every organization of the user. */
    orgId: int('org_id').references(() => organizations.id),
    /**
     * A token for one project: the toolsets are here, and `toolsets` above is empty, so that a server of a version that does not know
     * projects allows it nothing.
     */
    ofProject: json<TokenOfProject>('of_project'),
    /** The session that created it, or `machine` for `trivet token create`; null: created by version 0.1. */
    madeWith: text('made_with'),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at'),
    lastUsedAt: time('last_used_at'),
    revokedAt: time('revoked_at'),
  },
  (t) => [
    uniqueIndex('auth_access_tokens_hash').on(t.hash),
    index('auth_access_tokens_live').on(t.userId, t.revokedAt),
  ],
);

/** When the database was restored, or a restore was detected: from then on it may lack tokens that were issued. */
export const restores = table('auth_restores', {
  id: id('id'),
  at: time('at').notNull(),
});

/** Keys that sign our tokens; the private key is wrapped by the master key. */
export const signingKeys = table('auth_signing_keys', {
  kid: text('kid').primaryKey(),
  algorithm: text('algorithm').notNull(),
  publicJwk: json<Record<string, unknown>>('public_jwk').notNull(),
  privateWrapped: text('private_wrapped').notNull(),
  status: text('status').$type<'next' | 'active' | 'retired'>().notNull(),
  createdAt: time('created_at').notNull(),
  /** Since when it has its status; null: since it was created. */
  statusSince: time('status_since'),
});

/** The last good key set of each provider. With it users can sign in after a restart during an outage of the provider. */
export const providerKeys = table('auth_provider_keys', {
  issuer: text('issuer').primaryKey(),
  keys: json<readonly JWK[]>('keys').notNull(),
  fetchedAt: time('fetched_at').notNull(),
});

/**
 * ID tokens of providers with `singleUse` that were used to sign in, and logout tokens (by issuer and `jti`). The key is the SHA-256 of the signed part: the signature has
 * several valid spellings (ECDSA: s and n − s), which would bypass a hash of the whole token.
 */
export const usedIdTokens = table(
  'auth_used_id_tokens',
  {
    hash: text('hash').primaryKey(),
    /** When the token would be rejected as expired anyway. */
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('auth_used_id_tokens_expiry').on(t.expiresAt)],
);

/** Shows whether a master key belongs to this database, without revealing the key. One row. */
export const masterKeyChecks = table('auth_master_key_checks', {
  id: int('id').primaryKey(),
  fingerprint: text('fingerprint').notNull(),
  createdAt: time('created_at').notNull(),
  /** While it is replaced: the next key, wrapped by the one before it, for servers that still have that one. */
  successorWrapped: text('successor_wrapped'),
  /** The key before, wrapped by the present one, until the replacement is finished: what it signed is still accepted. */
  previousWrapped: text('previous_wrapped'),
  /** When the present key replaced the one before. */
  replacedAt: time('replaced_at'),
});

/** The audit log, append-only. It contains ids and words, never a token. */
export const audit = table(
  'auth_audit',
  {
    id: id('id'),
    at: time('at').notNull(),
    event: text('event').notNull(),
    userId: int('user_id'),
    actorId: int('actor_id'),
    sessionId: text('session_id'),
    provider: text('provider'),
    cause: text('cause'),
    address: text('address'),
    /** For the event `operation`: its name, the ids of its records (other events have some, too), surface and credential. */
    operation: text('operation'),
    ids: json<AuditedIds>('ids'),
    surface: text('surface'),
    credential: text('credential'),
    /** For a write in a project: the keys for finding it, and the changes. */
    projectId: int('project_id'),
    runId: int('run_id'),
    changes: json<WriteChanges>('changes'),
    /** By which the rows of the write are marked; null: they are not. */
    writeId: int('write_id'),
    /** The program of an agent, by its own word; null: no agent, or an unknown one. */
    client: text('client'),
  },
  (t) => [
    index('auth_audit_user').on(t.userId, t.id),
    index('auth_audit_project')
      .on(t.projectId, t.id)
      .where(sql`project_id is not null`),
    index('auth_audit_run')
      .on(t.runId, t.id)
      .where(sql`run_id is not null`),
  ],
);

/** Where the audit log is exported to (`--audit-export`), one row for each target that there ever was, by the SHA-256 of its address. */
export const auditExports = table('auth_audit_exports', {
  target: text('target').primaryKey(),
  /** The last exported entry; 0: none. */
  cursor: int('cursor').notNull(),
  /** The last exported batch; 0: none. */
  sequence: int('sequence').notNull(),
  /** SHA-256 of the header of that batch; null: there is none. */
  previous: text('previous'),
  /** The last entry of the batch that is under way: a repeated batch is the same batch. */
  pendingTo: int('pending_to'),
  /** The public keys that batches were signed with, the present one last. */
  publicJwks: json<ReadonlyArray<Readonly<Record<string, unknown>>>>('public_jwks').notNull(),
  /** The private key of the last one, wrapped by the master key; null: the next batch makes a new one. */
  privateWrapped: text('private_wrapped'),
  /** The process that exports, until then. */
  leaseBy: text('lease_by'),
  leaseUntil: time('lease_until').notNull(),
  /** When a batch last arrived; null: never. */
  exportedAt: time('exported_at'),
  /** Since when every attempt has failed, and with what; null: the last one did not. */
  failingSince: time('failing_since'),
  failure: text('failure'),
});

/** The records by which an audit entry can be found if there may be thousands, e.g. tests. */
export const auditRecords = table(
  'auth_audit_records',
  { kind: text('kind').notNull(), recordId: int('record_id').notNull(), auditId: int('audit_id').notNull() },
  (t) => [
    primaryKey({ columns: [t.kind, t.recordId, t.auditId] }),
    // Old entries are deleted by their id.
    index('auth_audit_records_entry').on(t.auditId),
  ],
);
