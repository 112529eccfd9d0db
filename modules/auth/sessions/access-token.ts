import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import type { Host } from '../../../core/host/host.ts';
import { extraClaims } from '../claims/claim-rules.ts';
import { tokenParts } from '../keys/compact-jws.ts';
import { keyRing } from '../keys/key-ring.ts';
import { isGuest, type UserRow } from '../people/user-store.ts';
import { authSettings } from '../base/settings.ts';
import type { SessionRow } from './session-store.ts';

/** RFC 9068 §2.1: the type keeps an ID token from being taken for an access token. */
const accessType = 'at+jwt';

/** Seconds by which the clock of another Trivet process may be ahead when it writes `iat`. */
const skew = 60;

/** Mints the access token of a session. @returns the token and its lifetime in seconds. */
export async function mintAccessToken(host: Host, session: SessionRow, user: UserRow) {
  const expiresIn = host.config.read(authSettings)['access-ttl'];
  const claims = {
    // First, so that no claim of others replaces one of ours.
    ...extraClaims(session.claims, user.claims),
    client_id: session.clientId,
    sid: session.id,
    idp: session.provider,
    ...(session.scope === null ? {} : { scope: session.scope }),
    ...(user.email === null ? {} : { email: user.email, email_verified: user.emailVerified }),
    ...(user.name === null ? {} : { name: user.name }),
    ...guestClaims(user),
    jti: Buffer.from(host.random(16)).toString('base64url'),
  };
  const audience = session.audience.length > 0 ? [...session.audience] : host.origin();
  const accessToken = await signed(host, user, claims, { typ: accessType, audience, expiresIn });
  return { accessToken, expiresIn };
}

/** RFC 8176: how somebody authenticated. A guest did not. */
const guestClaims = (user: UserRow) => (isGuest(user) ? { amr: ['guest'], is_guest: true } : {});

async function signed(
  host: Host,
  { id }: UserRow,
  claims: JWTPayload,
  { typ, audience, expiresIn }: { typ: string; audience: string | string[]; expiresIn: number },
): Promise<string> {
  const { kid, algorithm, privateKey } = await keyRing(host).active();
  const now = Math.floor(host.clock.now() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, kid, typ })
    .setIssuer(host.origin())
    .setSubject(String(id))
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + expiresIn)
    .sign(privateKey);
}

/** Mints our ID token: the user's profile, for the client that signed in. */
export async function mintIdToken(
  host: Host,
  session: SessionRow,
  user: UserRow,
  nonce: string | null,
): Promise<string> {
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
  const claims = {
    ...extraClaims(session.claims, user.claims),
    auth_time: Math.floor(session.createdAt / 1000),
    sid: session.id,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
    ...guestClaims(user),
  };
  const expiresIn = host.config.read(authSettings)['id-token-ttl'];
  return signed(host, user, claims, { typ: 'JWT', audience: session.clientId, expiresIn });
}

/** The session that a live access token of ours names, or null for anything else. Reads no database. */
export async function verifyAccessToken(host: Host, token: string) {
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
    return { sessionId: payload['sid'], userId, audience: typeof aud === 'string' ? [aud] : aud, payload };
  } catch {
    return null;
  }
}
