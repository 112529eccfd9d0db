import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { fail } from '../base/errors.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { acceptInvitationById, lowersNoRole } from '../people/invitation-store.ts';
import { userByIdentity } from '../people/identity-store.ts';
import { repeatIfTaken, signInUser } from '../people/signed-in-user.ts';
import type { UserRow } from '../people/user-store.ts';
import type { IdProvider, IdTokenUser } from '../providers/id-token.ts';
import { consoleClient } from '../sessions/browser-session.ts';
import {
  followGroups,
  groupRule,
  identify,
  recordRefusal,
  refusalOfUser,
  storeSession,
  type Refused,
  type SignInClient,
} from '../sessions/sign-in.ts';
import type { Asked } from './consent.ts';
import { OauthError } from '../oauth-clients/oauth-error.ts';
import { insertRequest, moveRequest, requestBy, type OauthRequestRow } from './oauth-request-store.ts';
import { browserProviders, providerPage, fetchIdToken } from './upstream.ts';

/** How long a person may take at the provider. */
const atProviderMs = 15 * 60_000;
/** RFC 6749 §4.1.2 recommends ten minutes at most; clients redeem a code at once. */
const codeMs = 60_000;

const randomText = (host: Host, bytes: number) => Buffer.from(host.random(bytes)).toString('base64url');

/** @throws OauthError invalid_request for a provider that is not offered. */
function offeredProvider(host: Host, name: string) {
  const provider = browserProviders(host).find((one) => one.name === name);
  if (!provider) throw new OauthError('invalid_request', 'That identity provider is not offered here.');
  return provider;
}

/**
 * Stores a request after the person has consented, before they go to a provider. Nothing is stored earlier.
 * @returns the provider's address.
 * @throws OauthError, Fault ID_PROVIDER_UNAVAILABLE.
 */
export async function sendToProvider(
  host: Host,
  asked: Asked,
  { provider: name, browser }: { readonly provider: string; readonly browser: string },
): Promise<string> {
  const provider = offeredProvider(host, name);
  const state = randomText(host, 32);
  const location = await providerPage(host, provider, state);
  const now = host.clock.now();
  const leg = { provider: name, upstreamState: secretHash(state), status: 'at_provider' } as const;
  if (asked.kind === 'device') {
    const moved = await host.db.tx(async (q) => {
      const row = await requestBy(q, 'id', asked.requestId);
      // A person who went back to the page may choose another provider.
      const from = row?.status === 'at_provider' ? 'at_provider' : 'asked';
      return (
        row?.browserHash === browser &&
        (await moveRequest(q, row.id, from, { ...leg, scope: asked.scope }, now))
      );
    });
    if (!moved) throw over();
    return location;
  }
  const { clientId, redirectUri, state: clientState, challenge, scope, audience } = wishOf(asked);
  await host.db.write((q) =>
    insertRequest(q, {
      id: randomText(host, 18),
      clientId,
      redirectUri,
      state: clientState,
      challenge,
      scope,
      resources: audience,
      browserHash: browser,
      invitationId: asked.kind === 'link' ? asked.invitationId : null,
      createdAt: now,
      expiresAt: now + atProviderMs,
      ...leg,
    }),
  );
  return location;
}

/** The client, and where the person goes afterwards. The console is not an OAuth client: its page is a path of this server. */
function wishOf(asked: Exclude<Asked, { readonly kind: 'device' }>) {
  const nobody = { clientId: null, redirectUri: null, state: null, challenge: null, scope: null };
  if (asked.kind === 'code') return asked;
  return asked.kind === 'console'
    ? { ...nobody, clientId: consoleClient, redirectUri: asked.page, audience: [] }
    : { ...nobody, audience: [] };
}

const over = () =>
  new OauthError('invalid_request', 'This sign-in is over or was begun in another browser. Start again.');

/** The open request of this browser for which a provider sent a person back. @throws OauthError. */
export async function requestAtProvider(
  host: Host,
  state: string,
  browser: string | null,
): Promise<OauthRequestRow> {
  const row = await requestBy(host.db.q, 'upstreamState', secretHash(state));
  const isOpen = row?.status === 'at_provider' && row.expiresAt > host.clock.now();
  if (!isOpen || browser === null || row.browserHash !== browser) throw over();
  return row;
}

/** The result of a sign-in at a provider. */
type Completed =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'device' }
  | { readonly kind: 'link'; readonly user: UserRow; readonly role: string }
  | { readonly kind: 'console'; readonly sessionId: string; readonly page: string }
  | Refused;

/**
 * Signs in the person whom a provider sent back, and grants what was asked. The session exists from now on, before the code is redeemed, so
 * signing out everywhere ends it, too.
 * @throws OauthError, Fault ID_PROVIDER_UNAVAILABLE, INVALID_INVITATION.
 */
export async function completeSignIn(
  host: Host,
  row: OauthRequestRow,
  parameters: URLSearchParams,
  client: SignInClient,
): Promise<Completed> {
  const provider = offeredProvider(host, row.provider ?? '');
  const browser = row.browserHash ?? '';
  const account = await returnedAccount();
  const outcome =
    'refused' in account ? account : await grant(host, row, provider, account.identified, client);
  if ('refused' in outcome) {
    await recordRefusal(host, provider, outcome, client);
    await denyRequest(host, row);
  }
  return outcome;

  async function returnedAccount(): Promise<{ readonly identified: IdTokenUser } | Refused> {
    try {
      const state = parameters.get('state') ?? '';
      const { idToken, nonce } = await fetchIdToken(host, provider, { parameters, state, browser });
      const found = await identify(host, provider, idToken);
      if ('refused' in found || found.identified.nonce === nonce) return found;
      return { refused: fail.INVALID_ID_TOKEN('The ID token is not of this sign-in.', { cause: 'nonce' }) };
    } catch (error) {
      if (isRefusal(error)) return { refused: error };
      throw error;
    }
  }
}

const isRefusal = (error: unknown): error is Refused['refused'] =>
  error instanceof Error && 'code' in error && error.code === 'INVALID_ID_TOKEN';

/** The person, the provider or the configuration refused. */
export const denyRequest = (
  host: Host,
  { id, status }: Pick<OauthRequestRow, 'id' | 'status'>,
): Promise<boolean> =>
  host.db.write((q) => moveRequest(q, id, status, { status: 'denied' }, host.clock.now()));

/** Like {@link denyRequest}, also after the person had gone to the provider and came back to the page. */
export async function denyDevice(host: Host, id: string): Promise<void> {
  if (!(await denyRequest(host, { id, status: 'asked' })))
    await denyRequest(host, { id, status: 'at_provider' });
}

async function grant(
  host: Host,
  row: OauthRequestRow,
  from: IdProvider,
  identified: IdTokenUser,
  client: SignInClient,
): Promise<Completed> {
  const now = host.clock.now();
  const code = randomText(host, 32);
  const provider = row.provider ?? '';
  const work = async (q: Query): Promise<Completed> => {
    const known = await userByIdentity(q, identified, now);
    const { user, identityId } = await signInUser(q, identified, { known, provider, now });
    const refused = refusalOfUser(user);
    if (refused) return refused;
    await followGroups(q, host, from, identified, { userId: user.id, now });
    const move = async (change: Parameters<typeof moveRequest>[3]) => {
      if (!(await moveRequest(q, row.id, 'at_provider', { ...change, userId: user.id }, now))) throw over();
    };
    if (row.invitationId !== null) {
      const { role } = await acceptInvitationById(q, row.invitationId, user.id, now);
      await move({ status: 'used' });
      return { kind: 'link', user, role };
    }
    const { claims, providerSid } = identified;
    const wanted = { clientId: row.clientId ?? '', audience: row.resources, scope: row.scope };
    const granted = { ...wanted, claims, providerSid };
    const { id: sessionId } = await storeSession(q, host, { user, provider, identityId, ...granted }, client);
    if (row.clientId === consoleClient) {
      await move({ status: 'used', sessionId });
      return { kind: 'console', sessionId, page: row.redirectUri ?? '/' };
    }
    if (row.redirectUri === null) {
      await move({ status: 'granted', sessionId });
      return { kind: 'device' };
    }
    await move({ status: 'granted', sessionId, codeHash: secretHash(code), expiresAt: now + codeMs });
    return { kind: 'code', code };
  };
  const rule = row.invitationId === null ? groupRule(from) : { serializable: lowersNoRole };
  return repeatIfTaken(() => host.db.tx(work, rule));
}
