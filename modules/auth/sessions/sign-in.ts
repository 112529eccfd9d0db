import type { Query } from '../../../core/db/db.ts';
import { fail, type Fault } from '../../../core/errors.ts';
import type { Host } from '../../../core/host.ts';
import { mintAccessToken, mintIdToken } from './access-token.ts';
import { record } from '../audit/audit-store.ts';
import { deny } from '../errors.ts';
import { verifyIdToken, type Identified, type Provider } from '../providers/id-token.ts';
import { providers } from '../providers/provider-store.ts';
import { refreshTokens, type RefreshCause, type RefreshClaims } from './refresh-token.ts';
import { hashOf, revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import { refreshExpiry, rotate } from './rotation.ts';
import { insertSession, sessionById, updateSession, type Session } from './session-store.ts';
import { usedIdTokens } from '../schema.ts';
import { authSettings } from '../settings.ts';
import { signInUser, type User } from '../people/user-store.ts';

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

/**
 * Exchanges an ID token for our own tokens: makes or finds the user and opens a session. A refusal is recorded with its cause.
 * @throws Fault AUTH_NOT_CONFIGURED, UNKNOWN_ID_PROVIDER, INVALID_ID_TOKEN, ACCESS_DENIED, ID_PROVIDER_UNAVAILABLE.
 */
export async function authenticate(host: Host, request: AuthenticateRequest, client: Client) {
  const known = providers(host);
  if (known.size === 0) throw deny.AUTH_NOT_CONFIGURED('No identity provider is configured.');
  const provider = known.get(request.idProvider);
  if (!provider) throw deny.UNKNOWN_ID_PROVIDER('That identity provider is not configured.');

  const now = host.clock.now();
  const verified = await verifyIdToken(request.identifier, provider, {
    nowSeconds: Math.floor(now / 1000),
    tolerance: host.config.read(authSettings)['clock-tolerance'],
  });
  const admitted = verified.ok
    ? (notAllowed(provider, verified.identified) ??
      (await openSession(host, provider, request, verified.identified, client)))
    : { refused: deny.INVALID_ID_TOKEN('The ID token is not valid.', { cause: verified.cause }) };
  if ('refused' in admitted) {
    const { refused, userId } = admitted;
    const cause = refused.causeWord ?? refused.code;
    // An operator bans by the address (fail2ban); there is nothing else of a person in the log.
    host.log.warn('sign_in_failed', { provider: provider.name, cause, address: client.address });
    await host.db.tx((q) =>
      record(q, now, {
        event: 'sign_in_failed',
        provider: provider.name,
        cause,
        address: client.address,
        ...(userId === undefined ? {} : { userId }),
      }),
    );
    throw refused;
  }
  const { user, session } = admitted;
  const { accessToken, expiresIn } = await mintAccessToken(host, session, user);
  return {
    accessToken,
    expiresIn,
    idToken: await mintIdToken(host, session, user, verified.ok ? verified.identified.nonce : null),
    refreshToken: await refreshTokenOf(host, session),
    tokenType: 'Bearer' as const,
  };
}

/** A sign-in that is refused: what to answer, and whom it would have signed in if that is known. */
interface Refused {
  readonly refused: Fault;
  readonly userId?: number;
}

/** The account is not among those that the configuration admits. Pure. */
export function notAllowed(
  { allowedDomains, allowedEmails }: Pick<Provider, 'allowedDomains' | 'allowedEmails'>,
  { email, emailVerified }: Pick<Identified, 'email' | 'emailVerified'>,
): Refused | null {
  if (!allowedDomains && !allowedEmails) return null;
  const address = emailVerified ? email?.toLowerCase() : undefined;
  // Which of several @ divides name and domain is read differently by different programs.
  const [, domain, more] = address?.split('@') ?? [];
  if (address !== undefined && allowedEmails?.includes(address)) return null;
  if (domain !== undefined && more === undefined && allowedDomains?.includes(domain)) return null;
  const cause = allowedDomains ? 'domain' : 'email';
  return { refused: deny.ACCESS_DENIED('This account may not sign in here.', { cause }) };
}

/** Uses up the ID token, finds or makes the user and stores the session, all in one transaction. */
async function openSession(
  host: Host,
  provider: Provider,
  request: AuthenticateRequest,
  identified: Identified,
  client: Client,
): Promise<{ readonly user: User; readonly session: Session } | Refused> {
  const now = host.clock.now();
  const settings = host.config.read(authSettings);
  const sessionId = Buffer.from(host.random(18)).toString('base64url');
  return host.db.tx(async (q) => {
    if (provider.singleUse) {
      const endsAt = (identified.expiresAt + settings['clock-tolerance']) * 1000;
      if (!(await useIdToken(q, request.identifier, endsAt))) {
        return { refused: deny.INVALID_ID_TOKEN('The ID token was used before.', { cause: 'replayed' }) };
      }
    }
    const user = await signInUser(q, identified, provider.name, now);
    if (user.status !== 'active') {
      const refused = deny.ACCESS_DENIED('This user is disabled.', { cause: 'disabled' });
      return { refused, userId: user.id };
    }
    const session = await insertSession(q, {
      id: sessionId,
      userId: user.id,
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
      userId: user.id,
      sessionId,
      provider: provider.name,
      address: client.address,
    });
    return { user, session };
  });
}

/** Whether this ID token had not signed anybody in yet; from now on it has. */
async function useIdToken(q: Query, idToken: string, endsAt: number): Promise<boolean> {
  const hash = hashOf(idToken.slice(0, idToken.lastIndexOf('.')));
  const first = await q
    .insert(usedIdTokens)
    .values({ hash, expiresAt: endsAt })
    .onConflictDoNothing()
    .returning({ hash: usedIdTokens.hash });
  return first.length > 0;
}

function refreshTokenOf(host: Host, session: Session): Promise<string> {
  const idleMs = host.config.read(authSettings)['refresh-idle'] * 1000;
  return refreshTokens(host).sign({
    sid: session.id,
    gen: session.generation,
    iat: Math.floor(session.rotatedAt / 1000),
    exp: Math.floor(refreshExpiry(session, idleMs) / 1000),
  });
}

type Refreshed =
  | { readonly kind: 'session'; readonly session: Session; readonly user: User }
  | { readonly kind: 'refused'; readonly cause: RefreshCause };

/** What a refresh token of ours says, its signature checked. @throws Fault INVALID_REFRESH_TOKEN. */
export async function refreshClaims(host: Host, refreshToken: string): Promise<RefreshClaims> {
  const claims = await refreshTokens(host).verify(refreshToken);
  if (typeof claims === 'string') throw refused(claims);
  return claims;
}

/** Exchanges a refresh token for an access token and the next refresh token. */
export async function refresh(host: Host, claims: RefreshClaims, client: Client) {
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
    const about = { userId: user.id, sessionId: session.id, address: client.address };
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
        await record(q, now, { event: 'refresh', ...about });
        return { kind: 'session', session: { ...session, ...change }, user };
      }
      case 'repeat':
        await updateSession(q, session.id, { graceUses: rotation.graceUses });
        await record(q, now, { event: 'refresh', cause: 'repeated', ...about });
        return { kind: 'session', session, user };
      case 'revoke':
        await updateSession(q, session.id, { revokedAt: now, revokedReason: 'refresh_reuse' });
        await record(q, now, { event: 'refresh_reuse', ...about });
        // Whoever copied the token may have made a personal one with it.
        await revokeTokensOf(q, user.id, now, 'session');
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
