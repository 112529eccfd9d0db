import type { Actor } from '../../../core/base/actor.ts';
import type { Host } from '../../../core/host/host.ts';
import { cookiesNamed } from '../../../core/http/request/cookie.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { acceptedKeys, deriveKey } from '../keys/master-key.ts';
import { updateUser, userToChange } from '../people/user-store.ts';
import { noteUse } from '../base/last-use.ts';
import { authSettings } from '../base/settings.ts';
import { signOut } from './session-revocation.ts';
import { refusalOfUser, storeSession, type SignInClient } from './sign-in.ts';
import { liveSessionWithRoles, updateSession } from './session-store.ts';

/*
 * The session of a person at the console. It is a session like any other: listed, revocable, with the same limits. Instead of tokens its
 * browser stores a cookie that no script can read.
 */

/** The client of these sessions. No OAuth client has this id: their ids are addresses or sealed. */
export const consoleClient = 'trivet-console';

/** With `__Host-` no other host of the domain can set it (RFC 6265bis §4.1.3.2). It requires https; plain http is only for loopback. */
const cookieOf = (host: Host) =>
  host.origin().startsWith('https:')
    ? { name: '__Host-trivet-console', secure: '; Secure' }
    : { name: 'trivet-console', secure: '' };

const setCookie = (host: Host, value: string, maxAge: number): string => {
  const { name, secure } = cookieOf(host);
  return `${name}=${value}; Path=/; Max-Age=${maxAge}${secure}; HttpOnly; SameSite=Strict`;
};

/** Proves that this server issued the cookie. The id of a session alone proves nothing, since lists show it. */
const purpose = 'console cookies';
const proofOf = (key: Uint8Array, sessionId: string) =>
  new Bun.CryptoHasher('sha256', key).update(sessionId).digest('base64url');

/** The id of the session that the cookie of a request names. */
function sessionIdOf(host: Host, request: Request): string | null {
  const { name } = cookieOf(host);
  for (const value of cookiesNamed(request, name)) {
    const [, sessionId, proof] = /^([\w-]{1,64})\.([\w-]{43})$/.exec(value) ?? [];
    if (sessionId === undefined || proof === undefined) continue;
    for (const key of acceptedKeys(host, purpose))
      if (nodeCrypto().timingSafeEqual(Buffer.from(proofOf(key, sessionId)), Buffer.from(proof)))
        return sessionId;
  }
  return null;
}

/** The header that sets the cookie of a session. */
export const sessionCookie = (host: Host, sessionId: string): string =>
  setCookie(
    host,
    `${sessionId}.${proofOf(deriveKey(host)(purpose), sessionId)}`,
    host.config.read(authSettings)['refresh-absolute'],
  );

/**
 * Starts a session of a user at the console. Each sign-in creates a new one, so a cookie that an attacker planted before is worthless
 * (session fixation).
 * @returns the header with the cookie; null for a user who is disabled, or has just become part of another.
 */
export async function openBrowserSession(
  host: Host,
  userId: number,
  client: SignInClient,
): Promise<string | null> {
  const sessionId = await host.db.tx(async (q) => {
    const user = await userToChange(q, userId);
    if (!user || user.mergedInto !== null || refusalOfUser(user)) return null;
    await updateUser(q, userId, { lastSignInAt: host.clock.now() });
    const grant = { clientId: consoleClient, audience: [], scope: null };
    return (await storeSession(q, host, { user, provider: 'link', ...grant }, client)).id;
  });
  return sessionId === null ? null : sessionCookie(host, sessionId);
}

/** How often the use of a session is stored. */
const noteUseMs = 60_000;

/**
 * The actor of a browser; null without a live session.
 * @param isUse false: the person is not active, so the session stays idle.
 */
export async function browserActor(host: Host, request: Request, isUse = true): Promise<Actor | null> {
  const sessionId = sessionIdOf(host, request);
  if (sessionId === null) return null;
  const now = host.clock.now();
  const session = await liveSessionWithRoles(host.db.q, sessionId, now);
  if (session?.clientId !== consoleClient) return null;
  const idleMs = host.config.read(authSettings)['refresh-idle'] * 1000;
  if (now - session.lastUsedAt > idleMs) return null;
  if (isUse && now - session.lastUsedAt > noteUseMs)
    await noteUse(host, (q) => updateSession(q, sessionId, { lastUsedAt: now, rotatedAt: now }));
  const { userId, roles } = session;
  return {
    userId,
    via: 'session',
    roles,
    toolsets: null,
    readOnly: false,
    credential: `session:${sessionId}`,
  };
}

/** Ends the session of a browser. @returns the header that removes its cookie. */
export async function endBrowserSession(host: Host, request: Request, address: string): Promise<string> {
  const sessionId = sessionIdOf(host, request);
  if (sessionId !== null) await signOut(host, sessionId, address);
  return setCookie(host, '', 0);
}
