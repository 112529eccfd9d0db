import type { Actor } from '../../../core/base/actor.ts';
import type { Host } from '../../../core/host/host.ts';
import { callerOf } from '../../../core/http/caller/bearer.ts';
import { fail } from '../base/errors.ts';
import { identity } from '../sessions/identity.ts';
import type { SessionRow } from '../sessions/session-store.ts';

/** The session of a request that concerns the identities of its own user. */
export interface OwnSession {
  readonly userId: number;
  readonly sessionId: string;
}

/** @throws Fault UNAUTHENTICATED; FORBIDDEN for a personal access token. */
export async function ownSessionOf(host: Host, request: Request): Promise<OwnSession> {
  const actor: Actor = await callerOf(host, identity, request);
  if (actor.via !== 'session')
    throw fail.FORBIDDEN('A personal access token may not see or change how its user signs in.', {
      cause: 'token',
      tip: 'Send the access token of a session.',
    });
  return { userId: actor.userId, sessionId: actor.credential.replace(/^session:/, '') };
}

/** @throws Fault FORBIDDEN for the session of a program, which a person gave limited rights. */
export function requireUnlimited({ scope }: SessionRow): void {
  if (scope !== null)
    throw fail.FORBIDDEN('A session of limited scope may not see or change how its user signs in.', {
      cause: 'scopes',
      tip: 'Use the access token of a session that signed in by itself.',
    });
}
