import { fail } from '../../core/errors.ts';
import type { Host } from '../../core/host.ts';
import { mintAccessToken, mintIdToken } from './access-token.ts';
import { record } from './audit.ts';
import { deny } from './errors.ts';
import { verifyIdToken, type Identified, type Provider } from './id-token.ts';
import { providers } from './providers.ts';
import { refreshTokens, type RefreshCause } from './refresh-token.ts';
import { refreshExpiry, rotate } from './rotation.ts';
import { insertSession, sessionById, updateSession, type Session } from './sessions.ts';
import { authSettings } from './settings.ts';
import { signInUser, type User } from './users.ts';

/** Where a sign-in comes from; kept with the session so that its user recognises it. */
export interface Client {
  readonly address: string;
  readonly userAgent: string | null;
}

export interface AuthenticateRequest {
  readonly responseType: string;
  readonly grantType: string;
  readonly identifier: string;
  readonly idProvider: string;
  readonly resources: readonly string[];
}

const responseTypes = ['token', 'id_token', 'token id_token', 'id_token token'];
const grantTypes = [
  'authorization_code',
  'id_token',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
];

/**
 * Checks the body of `social/authenticate` (specification, Area A), first fault first. Pure.
 * @throws Fault INVALID_REQUEST with the field as cause, PAYLOAD_TOO_LARGE, UNSUPPORTED_RESPONSE_TYPE, UNSUPPORTED_GRANT_TYPE.
 */
export function parseAuthenticate(body: unknown): AuthenticateRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw fail.INVALID_REQUEST('The body must be a JSON object.', { cause: 'body' });
  }
  const given = body as Record<string, unknown>;
  const text = (field: string): string => {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    throw fail.INVALID_REQUEST(`${field} is required and must be a text that is not empty.`, {
      cause: field,
    });
  };
  const responseType = text('responseType');
  const grantType = text('grantType');
  const identifier = text('identifier');
  const idProvider = text('idProvider');
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(idProvider)) {
    throw fail.INVALID_REQUEST('idProvider must be a lowercase word of at most 64 characters.', {
      cause: 'idProvider',
    });
  }
  const { resources } = given;
  const isResource = (one: unknown) =>
    typeof one === 'string' &&
    one.length >= 1 &&
    one.length <= 256 &&
    one.isWellFormed() &&
    !one.includes('\u0000');
  if (!Array.isArray(resources) || resources.length > 32 || !resources.every(isResource)) {
    throw fail.INVALID_REQUEST('resources must be a list of at most 32 texts of 1 to 256 characters.', {
      cause: 'resources',
    });
  }
  if (identifier.length > 16 * 1024)
    throw fail.PAYLOAD_TOO_LARGE('identifier must not be larger than 16 KiB.');
  if (!responseTypes.includes(responseType)) {
    throw deny.UNSUPPORTED_RESPONSE_TYPE(`responseType must be one of: ${responseTypes.join(', ')}.`);
  }
  if (!grantTypes.includes(grantType)) {
    throw deny.UNSUPPORTED_GRANT_TYPE(`grantType must be one of: ${grantTypes.join(', ')}.`);
  }
  return { responseType, grantType, identifier, idProvider, resources };
}

/** Exchanges an ID token for our own tokens: makes or finds the user and opens a session. */
export async function authenticate(host: Host, request: AuthenticateRequest, client: Client) {
  const known = providers(host);
  if (known.size === 0) throw deny.AUTH_NOT_CONFIGURED('No identity provider is configured.');
  const provider = known.get(request.idProvider);
  if (!provider) throw deny.UNKNOWN_ID_PROVIDER('That identity provider is not configured.');

  const now = host.clock.now();
  const settings = host.config.read(authSettings);
  const verified = await verifyIdToken(request.identifier, provider, {
    nowSeconds: Math.floor(now / 1000),
    tolerance: settings['clock-tolerance'],
  });
  if (!verified.ok) {
    host.log.warn('sign_in_failed', { provider: provider.name, cause: verified.cause });
    throw deny.INVALID_ID_TOKEN('The ID token is not valid.', { cause: verified.cause });
  }
  const { identified } = verified;
  checkDomain(provider, identified);

  const sessionId = Buffer.from(host.random(18)).toString('base64url');
  const { user, session } = await host.db.tx(async (q) => {
    const signedIn = await signInUser(q, identified, provider.name, now);
    const opened = await insertSession(q, {
      id: sessionId,
      userId: signedIn.id,
      provider: provider.name,
      clientId: identified.clientId,
      audience: request.resources,
      generation: 0,
      rotatedAt: now,
      graceUses: 0,
      createdAt: now,
      expiresAt: now + settings['refresh-absolute'] * 1000,
      lastUsedAt: now,
      userAgent: client.userAgent?.slice(0, 256) ?? null,
      address: client.address,
    });
    await record(q, now, {
      event: 'sign_in',
      userId: signedIn.id,
      sessionId,
      cause: provider.name,
      address: client.address,
    });
    return { user: signedIn, session: opened };
  });
  const { accessToken, expiresIn } = await mintAccessToken(host, session, user);
  return {
    accessToken,
    expiresIn,
    idToken: await mintIdToken(host, session, user, identified.nonce),
    refreshToken: await refreshTokenOf(host, session),
    tokenType: 'Bearer' as const,
  };
}

function checkDomain(provider: Provider, { email, emailVerified }: Identified): void {
  if (!provider.allowedDomains) return;
  const domain = email?.split('@').at(-1)?.toLowerCase();
  if (!emailVerified || domain === undefined || !provider.allowedDomains.includes(domain)) {
    throw deny.ACCESS_DENIED('This account may not sign in here.', { cause: 'domain' });
  }
}

function refreshTokenOf(host: Host, session: Session): Promise<string> {
  const idleMs = host.config.read(authSettings)['refresh-idle'] * 1000;
  return refreshTokens(host).sign({
    sid: session.id,
    gen: session.generation,
    exp: Math.floor(refreshExpiry(session, idleMs) / 1000),
  });
}

type Refreshed =
  | { readonly kind: 'session'; readonly session: Session; readonly user: User }
  | { readonly kind: 'refused'; readonly cause: RefreshCause };

/** Exchanges a refresh token for an access token and the next refresh token. */
export async function refresh(host: Host, refreshToken: string, client: Client) {
  const claims = await refreshTokens(host).verify(refreshToken);
  if (typeof claims === 'string') throw refused(claims);

  const now = host.clock.now();
  const graceMs = host.config.read(authSettings)['rotation-grace'] * 1000;
  // A reuse is answered 401 but its revocation must be stored: so the transaction answers, and what it says is thrown after.
  const outcome = await host.db.tx(async (q): Promise<Refreshed> => {
    const found = await sessionById(q, claims.sid);
    if (!found || found.session.revokedAt !== null) return { kind: 'refused', cause: 'revoked' };
    const { session, user } = found;
    if (session.expiresAt <= now) return { kind: 'refused', cause: 'expired' };
    if (claims.exp * 1000 <= now) return { kind: 'refused', cause: 'idle_timeout' };
    if (user.status !== 'active') throw deny.ACCESS_DENIED('This user is disabled.', { cause: 'disabled' });
    const rotation = rotate(session, claims.gen, { now, graceMs });
    switch (rotation.kind) {
      case 'advance': {
        const change = {
          generation: rotation.generation,
          rotatedAt: rotation.rotatedAt,
          graceUses: 0,
          lastUsedAt: now,
        };
        await updateSession(q, session.id, change);
        return { kind: 'session', session: { ...session, ...change }, user };
      }
      case 'repeat':
        await updateSession(q, session.id, { graceUses: rotation.graceUses });
        return { kind: 'session', session, user };
      case 'revoke':
        await updateSession(q, session.id, { revokedAt: now, revokedReason: 'refresh_reuse' });
        await record(q, now, {
          event: 'refresh_reuse',
          userId: user.id,
          sessionId: session.id,
          address: client.address,
        });
        return { kind: 'refused', cause: 'reused' };
    }
  });
  if (outcome.kind === 'refused') throw refused(outcome.cause);
  const { accessToken, expiresIn } = await mintAccessToken(host, outcome.session, outcome.user);
  const successor = await refreshTokenOf(host, outcome.session);
  return { accessToken, expiresIn, refreshToken: successor, tokenType: 'Bearer' as const };
}

const refused = (cause: RefreshCause) =>
  deny.INVALID_REFRESH_TOKEN('The refresh token is not valid, or no longer.', { cause });
