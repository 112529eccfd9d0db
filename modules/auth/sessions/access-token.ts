import { jwtVerify, SignJWT } from 'jose';
import type { Host } from '../../../core/host.ts';
import { keyRing } from '../keys/key-ring.ts';
import type { SessionRow } from './session-store.ts';
import { authSettings } from '../settings.ts';
import { tokenParts } from '../keys/compact-jws.ts';
import type { UserRow } from '../people/user-store.ts';

/** RFC 9068 §2.1: the type keeps an ID token from being taken for an access token. */
const accessType = 'at+jwt';

/** Seconds by which another process of ours may be ahead when it writes `iat`. */
const skew = 60;

/** Mints the access token of a session. @returns the token and its lifetime in seconds. */
export async function mintAccessToken(host: Host, session: SessionRow, user: UserRow) {
  const expiresIn = host.config.read(authSettings)['access-ttl'];
  const { kid, algorithm, privateKey } = await keyRing(host).active();
  const issuer = host.origin();
  const now = Math.floor(host.clock.now() / 1000);
  const accessToken = await new SignJWT({
    client_id: session.clientId,
    sid: session.id,
    idp: session.provider,
    ...(user.email === null ? {} : { email: user.email, email_verified: user.emailVerified }),
    ...(user.name === null ? {} : { name: user.name }),
  })
    .setProtectedHeader({ alg: algorithm, kid, typ: accessType })
    .setIssuer(issuer)
    .setSubject(String(user.id))
    .setAudience(session.audience.length > 0 ? [...session.audience] : issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + expiresIn)
    .setJti(Buffer.from(host.random(16)).toString('base64url'))
    .sign(privateKey);
  return { accessToken, expiresIn };
}

/** Mints our ID token: who the user is, for the client that signed in. */
export async function mintIdToken(
  host: Host,
  session: SessionRow,
  user: UserRow,
  nonce: string | null,
): Promise<string> {
  const { kid, algorithm, privateKey } = await keyRing(host).active();
  const now = Math.floor(host.clock.now() / 1000);
  const optional = {
    nonce,
    email: user.email,
    email_verified: user.email === null ? null : user.emailVerified,
    name: user.name,
    given_name: user.givenName,
    family_name: user.familyName,
    picture: user.picture,
    firstName: user.givenName,
    lastName: user.familyName,
    profilePicture: user.picture,
  };
  return new SignJWT({
    auth_time: Math.floor(session.createdAt / 1000),
    sid: session.id,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
  })
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setIssuer(host.origin())
    .setSubject(String(user.id))
    .setAudience(session.clientId)
    .setIssuedAt(now)
    .setExpirationTime(now + host.config.read(authSettings)['id-token-ttl'])
    .sign(privateKey);
}

/** The session that a live access token of ours names, or null for anything else. Reads no database. */
export async function verifyAccessToken(
  host: Host,
  token: string,
): Promise<{
  readonly sessionId: string;
  readonly userId: number;
  readonly audience: readonly string[];
} | null> {
  const parts = tokenParts(token);
  if (!parts || typeof parts.header['kid'] !== 'string') return null;
  const key = await keyRing(host).verifying(parts.header['kid']);
  if (!key) return null;
  const now = host.clock.now();
  try {
    const { payload } = await jwtVerify(token, key.publicKey, {
      algorithms: [key.algorithm],
      typ: accessType,
      issuer: host.origin(),
      currentDate: new Date(now),
      requiredClaims: ['sub', 'iat', 'exp', 'sid'],
    });
    const userId = Number(payload.sub);
    // jose accepts a token from the future.
    if ((payload.iat ?? Infinity) > now / 1000 + skew) return null;
    if (typeof payload['sid'] !== 'string' || !Number.isSafeInteger(userId)) return null;
    const { aud = [] } = payload;
    return { sessionId: payload['sid'], userId, audience: typeof aud === 'string' ? [aud] : aud };
  } catch {
    return null;
  }
}
