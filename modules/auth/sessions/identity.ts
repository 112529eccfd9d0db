import type { Actor, Role } from '../../../core/base/actor.ts';
import { agentName } from '../../../core/base/agent-name.ts';
import type { Host } from '../../../core/host/host.ts';
import type { Identity } from '../../../core/module/module.ts';
import { writeOperationEntry } from '../audit/audit-store.ts';
import { endLink } from '../keys/letter-end-link.ts';
import { rolesOf } from '../people/member-store.ts';
import { localUser } from '../people/owner-store.ts';
import {
  madeOnMachine,
  personalTokenPrefix,
  verifyPersonalToken,
} from '../personal-tokens/personal-token-store.ts';
import { isForServices, isUnlimited, parseScopes, type TokenScope } from '../personal-tokens/token-scope.ts';
import { mcpMetadataPath, reachedOrigin } from '../base/resource.ts';
import type { accessTokens } from '../base/schema.ts';
import { verifyAccessToken } from './access-token.ts';
import { browserActor } from './browser-session.ts';
import { clientNameOf } from './session-record.ts';
import { liveSessionWithRoles } from './session-store.ts';

/** Identifies callers: one verifier for tools, `/mcp` and the client API. */
export const identity: Identity = {
  authenticate: (host, bearer, audiences) =>
    bearer.startsWith(personalTokenPrefix)
      ? byPersonalToken(host, bearer)
      : bySession(host, bearer, audiences),

  local: async (host, email) => {
    const user = await localUser(host.db.q, email);
    return {
      userId: user.id,
      via: 'local',
      roles: await rolesOf(host.db.q, user.id),
      toolsets: null,
      readOnly: false,
      credential: 'local',
    };
  },

  browser: (host, request) => browserActor(host, request),

  challenge: (host, request, scopes, error) => {
    const metadata = `${reachedOrigin(host.origin(), request.headers.get('host'))}${mcpMetadataPath}`;
    // RFC 6750 §3: no error for a request without credentials.
    const word = error ?? (request.headers.has('authorization') ? 'invalid_token' : undefined);
    const named = word === undefined ? '' : `, error="${word}"`;
    // RFC 6750 §3: without the scope a client requests every scope that it finds.
    return `Bearer resource_metadata="${metadata}", scope="${scopes.join(' ')}"${named}`;
  },

  letterEndLink: endLink,

  record: writeOperationEntry,
};

async function bySession(
  host: Host,
  bearer: string,
  audiences: readonly string[] | undefined,
): Promise<Actor | null> {
  const claimed = await verifyAccessToken(host, bearer);
  if (!claimed) return null;
  // A service that receives access tokens of its users must not act for them here.
  if (audiences && !claimed.audience.some((one) => audiences.includes(one))) return null;
  const session = await liveSessionWithRoles(host.db.q, claimed.sessionId, host.clock.now());
  if (!session || session.userId !== claimed.userId) return null;
  const { scope, roles, userId } = session;
  const client = agentName(clientNameOf(session.clientId));
  const base = {
    userId,
    via: 'session',
    roles,
    credential: `session:${claimed.sessionId}`,
    ...(session.isGuest ? { isGuest: true as const } : {}),
    ...(client === undefined ? {} : { client }),
  } as const;
  if (scope === null) return { ...base, toolsets: null, readOnly: false };
  const limited = parseScopes(scope.split(' '), host.toolsets);
  // The scope may be of a module that is no longer loaded.
  if ('mistake' in limited) return null;
  const { readToolsets, readOnly, grants } = limited;
  // "admin" alone was given where a person had denied all tools, until 0.2.0.
  const toolsets = limited.toolsets ?? (grants === null ? null : []);
  return {
    ...base,
    toolsets: toolsets === null ? null : [...toolsets, ...(readToolsets ?? [])],
    ...(readToolsets === null ? {} : { readToolsets }),
    grants: grantsWithin(grants ?? [], roles),
    readOnly,
  };
}

async function byPersonalToken(host: Host, bearer: string): Promise<Actor | null> {
  const verified = await verifyPersonalToken(host, bearer);
  if (!verified) return null;
  const { token, scope, roles: held } = verified;
  const { toolsets, readToolsets, readOnly, orgId, projectId } = scope;
  const roles = orgId === null ? held : new Map([...held].filter(([id]) => id === orgId));
  const grants = grantsOf(token, scope, roles);
  return {
    userId: token.userId,
    via: 'token',
    roles,
    toolsets: toolsets === null ? null : [...toolsets, ...(readToolsets ?? [])],
    ...(readToolsets === null ? {} : { readToolsets }),
    ...(grants === undefined ? {} : { grants }),
    ...(projectId === null ? {} : { projectId }),
    readOnly,
    credential: `token:${token.id}`,
  };
}

/**
 * The grants of a token; undefined: everything that its user may do, only for tokens without scope that the owner of the data directory
 * created. A token that a session created may grant roles only if its scopes say so, and no more than its user's present roles.
 */
function grantsOf(
  token: typeof accessTokens.$inferSelect,
  scope: TokenScope,
  roles: ReadonlyMap<number, Role>,
): readonly string[] | undefined {
  const grants = token.grants ?? [];
  if (token.madeWith === madeOnMachine) return isUnlimited(scope) ? undefined : grants;
  const held = grants.filter((grant) => !isForServices(grant));
  return grantsWithin(isUnlimited(scope) ? ['cta:publish'] : held, roles);
}

/** Members cannot give `cta:publish` to themselves. */
const grantsWithin = (grants: readonly string[], roles: ReadonlyMap<number, Role>) =>
  [...roles.values()].every((role) => role === 'admin')
    ? grants
    : grants.filter((grant) => grant !== 'cta:publish');
