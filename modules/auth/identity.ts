import type { Actor } from '../../core/actor.ts';
import type { Host } from '../../core/host.ts';
import type { Identity } from '../../core/module.ts';
import { verifyAccessToken } from './access-token.ts';
import { recordWrite } from './audit.ts';
import { personalTokenPrefix, verifyPersonalToken } from './personal-token.ts';
import { standingSession } from './sessions.ts';
import { localPerson, rolesOf } from './users.ts';

/** How the kernel knows who calls: one verifier for tools, `/mcp` and the client API. */
export const identity: Identity = {
  authenticate: (host, bearer) =>
    bearer.startsWith(personalTokenPrefix) ? byPersonalToken(host, bearer) : bySession(host, bearer),

  local: async (host, email) => {
    const user = await localPerson(host.db.q, email);
    return {
      userId: user.id,
      via: 'local',
      roles: await rolesOf(host.db.q, user.id),
      toolsets: null,
      readOnly: false,
      credential: 'local',
    };
  },

  record: recordWrite,
};

async function bySession(host: Host, bearer: string): Promise<Actor | null> {
  const claimed = await verifyAccessToken(host, bearer);
  if (!claimed) return null;
  const session = await standingSession(host.db.q, claimed.sessionId, host.clock.now());
  if (!session || session.userId !== claimed.userId) return null;
  return {
    userId: session.userId,
    via: 'session',
    roles: await rolesOf(host.db.q, session.userId),
    toolsets: null,
    readOnly: false,
    credential: `session:${claimed.sessionId}`,
  };
}

async function byPersonalToken(host: Host, bearer: string): Promise<Actor | null> {
  const token = await verifyPersonalToken(host, bearer);
  if (!token) return null;
  const roles = await rolesOf(host.db.q, token.userId);
  return {
    userId: token.userId,
    via: 'token',
    roles: token.orgId === null ? roles : new Map([...roles].filter(([orgId]) => orgId === token.orgId)),
    toolsets: token.toolsets,
    readOnly: token.readOnly,
    credential: `token:${token.id}`,
  };
}
