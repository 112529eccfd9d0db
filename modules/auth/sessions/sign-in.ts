import { addressKey } from '../../../core/text/letter-case.ts';
import { later, type Query, type TxOptions } from '../../../core/db/query/db.ts';
import type { Fault } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { authMetrics } from '../base/metrics.ts';
import { isOwnAccount } from '../people/account-store.ts';
import { applyGroupRoles, storeGroups } from '../people/group-role-store.ts';
import { userByIdentity } from '../people/identity-store.ts';
import { repeatIfTaken, signInUser } from '../people/signed-in-user.ts';
import { userById, type UserRow } from '../people/user-store.ts';
import { providers } from '../providers/configured-providers.ts';
import { verifyIdToken, type IdTokenUser, type IdProvider } from '../providers/id-token.ts';
import type { Claims } from '../base/schema.ts';
import { authSettings } from '../base/settings.ts';
import type { AuthenticateRequest } from './authenticate-request.ts';
import { endLost } from './session-revocation.ts';
import { sessionAnswer, type OpenedSession } from './session-answer.ts';
import { insertSession, type SessionRow } from './session-store.ts';
import { useIdToken } from './used-id-token-store.ts';

/** The client of a sign-in or refresh; stored with the session so that its user recognizes it. */
export interface SignInClient {
  readonly address: string;
  readonly userAgent: string | null;
}

/** The client of a request that signs somebody in. */
export const signInClientOf = (request: Request): SignInClient => ({
  address: exchangeOf(request).clientAddress(),
  userAgent: request.headers.get('user-agent'),
});

/**
 * Exchanges an ID token for our own tokens: creates or finds the user and starts a session. A refusal is written to the audit log
 * with its cause.
 * @throws Fault AUTH_NOT_CONFIGURED, UNKNOWN_ID_PROVIDER, INVALID_ID_TOKEN, ACCESS_DENIED, ID_PROVIDER_UNAVAILABLE.
 */
export async function authenticate(host: Host, request: AuthenticateRequest, client: SignInClient) {
  const provider = providerNamed(host, request.idProvider);
  const checked = await identify(host, provider, request.identifier);
  const outcome =
    'refused' in checked ? checked : await openSession(host, provider, request, checked.identified, client);
  if ('refused' in outcome) {
    await recordRefusal(host, provider, outcome, client);
    throw outcome.refused;
  }
  host.metrics.count(authMetrics.signIns, [provider.name, 'ok']);
  return sessionAnswer(host, outcome);
}

/** @throws Fault AUTH_NOT_CONFIGURED, UNKNOWN_ID_PROVIDER. */
export function providerNamed(host: Host, name: string): IdProvider {
  const known = providers(host);
  if (known.size === 0) throw fail.AUTH_NOT_CONFIGURED('No identity provider is configured.');
  const provider = known.get(name);
  if (!provider) throw fail.UNKNOWN_ID_PROVIDER('That identity provider is not configured.');
  return provider;
}

/** The account of an ID token, if the token is valid and the configuration allows the account. @throws Fault ID_PROVIDER_UNAVAILABLE. */
export async function identify(
  host: Host,
  provider: IdProvider,
  idToken: string,
): Promise<{ readonly identified: IdTokenUser } | Refused> {
  const verified = await verifyIdToken(idToken, provider, {
    nowSeconds: Math.floor(host.clock.now() / 1000),
    tolerance: host.config.read(authSettings)['clock-tolerance'],
  });
  if (!verified.ok)
    return { refused: fail.INVALID_ID_TOKEN('The ID token is not valid.', { cause: verified.cause }) };
  return refusalOfAccount(provider, verified.identified) ?? { identified: verified.identified };
}

/** Writes a refused sign-in to the log and the audit log. */
export async function recordRefusal(
  host: Host,
  provider: Pick<IdProvider, 'name'>,
  { refused, userId }: Refused,
  { address }: Pick<SignInClient, 'address'>,
): Promise<void> {
  const cause = refused.causeWord ?? refused.code;
  // An operator bans by client address (fail2ban). The log contains nothing else about a user.
  host.metrics.count(authMetrics.signIns, [provider.name, cause]);
  host.log.warn('sign_in_failed', { provider: provider.name, cause, address });
  const entry = { event: 'sign_in_failed', provider: provider.name, cause } as const;
  const now = host.clock.now();
  if (userId === undefined) await host.db.write((q) => writeAuditEntry(q, now, { ...entry, address }));
  else
    await host.db.tx(
      async (q) => {
        // It may have been erased since it was refused.
        const user = await userById(q, userId);
        const isKnown = user !== undefined && isOwnAccount(user);
        await writeAuditEntry(q, now, { ...entry, userId, ...(isKnown && { address }) });
      },
      { serializable: 'the audit log has no address of an erased user' },
    );
}

export interface Refused {
  readonly refused: Fault;
  readonly userId?: number;
}

/** The refusal of an account that the configuration does not allow; null when it is allowed. */
export function refusalOfAccount(
  { allowedDomains, allowedEmails }: Pick<IdProvider, 'allowedDomains' | 'allowedEmails'>,
  { email, emailVerified }: Pick<IdTokenUser, 'email' | 'emailVerified'>,
): Refused | null {
  if (!allowedDomains && !allowedEmails) return null;
  const address = emailVerified && email !== null ? addressKey(email) : undefined;
  // Programs disagree on which of several @ separates name and domain.
  const [, domain, more] = address?.split('@') ?? [];
  if (address !== undefined && allowedEmails?.includes(address)) return null;
  if (domain !== undefined && more === undefined && allowedDomains?.includes(domain)) return null;
  const cause = allowedDomains ? 'domain' : 'email';
  return { refused: fail.ACCESS_DENIED('This account may not sign in here.', { cause }) };
}

/** Consumes the ID token, finds or creates the user and stores the session, in one transaction. */
async function openSession(
  host: Host,
  provider: IdProvider,
  request: AuthenticateRequest,
  identified: IdTokenUser,
  client: SignInClient,
): Promise<OpenedSession | Refused> {
  const { clientId, claims, providerSid } = identified;
  const grant = { clientId, audience: request.resources, scope: null, claims, providerSid };
  const work = async (q: Query): Promise<OpenedSession | Refused> => {
    const now = host.clock.now();
    const [replayed, known] = await Promise.all([
      useOnce(q, host, provider, identified, request.identifier),
      userByIdentity(q, identified, now),
    ]);
    if (replayed) return replayed;
    const { user, identityId } = await signInUser(q, identified, { known, provider: provider.name, now });
    const refused = refusalOfUser(user);
    if (refused) return refused;
    await followGroups(q, host, provider, identified, { userId: user.id, now });
    const session = await storeSession(
      q,
      host,
      { user, provider: provider.name, identityId, ...grant },
      client,
    );
    return { user, session, nonce: identified.nonce };
  };
  return repeatIfTaken(() => host.db.tx(work, groupRule(provider)));
}

/** Roles change at a sign-in with a provider whose groups give some: then nobody else may change them at the same moment. */
export const groupRule = ({ groupMapping }: Pick<IdProvider, 'groupMapping'>): TxOptions =>
  groupMapping ? { serializable: 'groups and people give roles to one member' } : {};

/**
 * Brings the memberships of a user to what the groups in an ID token give, before the new session exists. Whoever belongs nowhere any more
 * loses every other session and token.
 */
export async function followGroups(
  q: Query,
  host: Host,
  provider: Pick<IdProvider, 'name'>,
  identified: IdTokenUser,
  { userId, now }: { readonly userId: number; readonly now: number },
): Promise<void> {
  const { groups } = identified;
  if (groups === null) return;
  await storeGroups(q, identified, groups, now);
  await endLost(q, userId, await applyGroupRoles(q, host, { userId, provider: provider.name, now }), now);
}

/** Uses up an ID token, if its provider wants that. @returns the refusal of one that was used before. */
export async function useOnce(
  q: Query,
  host: Host,
  { singleUse }: Pick<IdProvider, 'singleUse'>,
  { expiresAt }: Pick<IdTokenUser, 'expiresAt'>,
  idToken: string,
): Promise<Refused | null> {
  const endsAt = (expiresAt + host.config.read(authSettings)['clock-tolerance']) * 1000;
  if (!singleUse || (await useIdToken(q, idToken, endsAt))) return null;
  return { refused: fail.INVALID_ID_TOKEN('The ID token was used before.', { cause: 'replayed' }) };
}

/** The refusal of a disabled user; null for any other. */
export const refusalOfUser = (user: UserRow): Refused | null =>
  user.status === 'active'
    ? null
    : { refused: fail.ACCESS_DENIED('This user is disabled.', { cause: 'disabled' }), userId: user.id };

/** The purpose of a new session. */
interface SessionGrant {
  readonly user: UserRow;
  readonly provider: string;
  /** The identity that signed in, if one did. */
  readonly identityId?: number | null;
  /** Claims that the provider's settings copy. */
  readonly claims?: Claims | null;
  /** The session at the provider, if its ID token names one. */
  readonly providerSid?: string | null;
  /** When the session ends, if not after `--refresh-absolute` (epoch ms). */
  readonly endsAt?: number;
  readonly clientId: string;
  readonly audience: readonly string[];
  readonly scope: string | null;
}

/** Stores a new session with its audit entry. */
export async function storeSession(
  q: Query,
  host: Host,
  { user, provider, clientId, audience, scope, identityId, claims, providerSid, endsAt }: SessionGrant,
  client: SignInClient,
): Promise<SessionRow> {
  const now = host.clock.now();
  const session = await insertSession(q, {
    id: Buffer.from(host.random(18)).toString('base64url'),
    userId: user.id,
    provider,
    clientId,
    audience,
    generation: 0,
    rotatedAt: now,
    graceUses: 0,
    createdAt: now,
    expiresAt: endsAt ?? now + host.config.read(authSettings)['refresh-absolute'] * 1000,
    lastUsedAt: now,
    userAgent: client.userAgent?.slice(0, 256) ?? null,
    address: client.address,
    scope,
    identityId: identityId ?? null,
    claims: claims ?? null,
    providerSid: providerSid ?? null,
  });
  const entry = { userId: user.id, sessionId: session.id, provider, address: client.address };
  await later(q, writeAuditEntry(q, now, { event: 'sign_in', ...entry }));
  return session;
}
