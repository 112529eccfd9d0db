import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { authMetrics } from '../base/metrics.ts';
import { authSettings } from '../base/settings.ts';
import { bindAccount } from '../people/account-store.ts';
import { countIdentities, insertIdentity, userByIdentity, type KnownUser } from '../people/identity-store.ts';
import { signInUser } from '../people/signed-in-user.ts';
import { isGuest, profileOf, updateUser, userToChange, type UserRow } from '../people/user-store.ts';
import type { IdProvider, IdTokenUser } from '../providers/id-token.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { sessionAnswer, type OpenedSession } from '../sessions/session-answer.ts';
import { endAccess } from '../sessions/session-revocation.ts';
import { sessionToChange, updateSession, type SessionRow } from '../sessions/session-store.ts';
import {
  followGroups,
  groupRule,
  identify,
  providerNamed,
  recordRefusal,
  refusalOfUser,
  storeSession,
  useOnce,
  type Refused,
  type SignInClient,
} from '../sessions/sign-in.ts';
import type { LinkRequest } from './link-request.ts';
import { requireUnlimited, type OwnSession } from './own-session.ts';

/** More would not be a person who forgot how they signed in. */
const maxIdentities = 10;

/**
 * What `POST /v1/auth/link` does with an identity whose ID token was verified and admitted as at a sign-in:
 *
 * | the identity is of | the caller is a guest                           | the caller is no guest                  |
 * |--------------------|-------------------------------------------------|-----------------------------------------|
 * | nobody             | promoted: the same user, now with this identity | added, within 10 minutes of the sign-in |
 * | the caller         | –                                               | known: only new tokens                  |
 * | another user       | IDENTITY_IN_USE, or with "switch" switched      | IDENTITY_IN_USE                         |
 */
type Linked = OpenedSession & {
  readonly how: 'promoted' | 'added' | 'known' | 'switched';
  /** The guest who became part of the user. */
  readonly mergedFrom?: number;
};

/** The caller of a link, locked. */
interface Caller {
  readonly user: UserRow;
  readonly session: SessionRow;
}

/** An identity that was proven. */
interface Proven {
  readonly provider: IdProvider;
  readonly identified: IdTokenUser;
  readonly client: SignInClient;
  readonly now: number;
}

/**
 * Links an identity to the caller. An e-mail address decides nothing. Only an answer with tokens uses up an ID token of a provider with
 * `singleUse`: whoever was refused may ask again, with "switch".
 * @throws Fault AUTH_NOT_CONFIGURED, UNKNOWN_ID_PROVIDER, INVALID_ID_TOKEN, ACCESS_DENIED, ID_PROVIDER_UNAVAILABLE, IDENTITY_IN_USE,
 * TOO_MANY_IDENTITIES, FORBIDDEN.
 */
export async function linkIdentity(host: Host, own: OwnSession, request: LinkRequest, client: SignInClient) {
  const provider = providerNamed(host, request.idProvider);
  const checked = await identify(host, provider, request.identifier);
  const outcome = 'refused' in checked ? checked : await link(checked.identified);
  if ('refused' in outcome) {
    host.metrics.count(authMetrics.links, [provider.name, outcome.refused.code]);
    await recordRefusal(host, provider, outcome, client);
    throw outcome.refused;
  }
  host.metrics.count(authMetrics.links, [provider.name, outcome.how]);
  const { mergedFrom } = outcome;
  const answer = await sessionAnswer(host, outcome);
  return mergedFrom === undefined ? answer : { ...answer, mergedFrom: String(mergedFrom) };

  function link(identified: IdTokenUser): Promise<Linked | Refused> {
    return host.db.tx(async (q) => {
      const proven = { provider, identified, client, now: host.clock.now() };
      const caller = await callerToChange(q, own, proven.now);
      const replayed = await useOnce(q, host, provider, identified, request.identifier);
      if (replayed) return replayed;
      const known = await userByIdentity(q, identified, proven.now);
      const refused = known && refusalOfUser(known.user);
      if (refused) return refused;
      const linked = await linkedBy(q, caller, proven, known);
      await followGroups(q, host, provider, identified, { userId: linked.user.id, now: proven.now });
      return linked;
    }, groupRule(provider));
  }

  function linkedBy(q: Query, caller: Caller, proven: Proven, known: KnownUser | undefined): Promise<Linked> {
    if (known) return taken(q, host, caller, proven, { known, onConflict: request.onConflict });
    return isGuest(caller.user) ? promote(q, host, caller, proven) : add(q, caller, proven);
  }
}

/** Locks the session, then its user: another link of the same user waits. @throws Fault UNAUTHENTICATED, FORBIDDEN. */
async function callerToChange(q: Query, { sessionId, userId }: OwnSession, now: number): Promise<Caller> {
  const found = await sessionToChange(q, sessionId);
  const user = await userToChange(q, userId);
  const isLive = found?.session.revokedAt === null && found.session.expiresAt > now;
  if (!isLive || user?.status !== 'active') throw fail.UNAUTHENTICATED('This session has ended.');
  requireUnlimited(found.session);
  return { user, session: found.session };
}

/** @throws Fault IDENTITY_IN_USE. */
async function taken(
  q: Query,
  host: Host,
  caller: Caller,
  proven: Proven,
  { known, onConflict }: { readonly known: KnownUser; readonly onConflict: LinkRequest['onConflict'] },
): Promise<Linked> {
  const { identified } = proven;
  if (known.user.id === caller.user.id) return { ...caller, how: 'known', nonce: identified.nonce };
  if (onConflict === 'fail')
    throw fail.IDENTITY_IN_USE(
      'Another user signs in with this identity. A guest may send onConflict "switch"; or sign in with it.',
    );
  if (!isGuest(caller.user))
    throw fail.IDENTITY_IN_USE(
      'Another user signs in with this identity, and only a guest can switch. Sign in with it.',
      {
        cause: 'not_guest',
        tip: 'Sign out and sign in with that identity. An administrator can make two accounts of a person one: merge-users.',
      },
    );
  return switchTo(q, host, caller, proven, known);
}

/** The guest keeps the user id and the session. The session begins again: somebody has just signed in with it. */
async function promote(q: Query, host: Host, caller: Caller, proven: Proven): Promise<Linked> {
  const { provider, identified, client, now } = proven;
  const { issuer, subject, clientId, claims } = identified;
  const identityId = await insertIdentity(
    q,
    caller.user.id,
    { issuer, subject, provider: provider.name },
    now,
  );
  if (identityId === null) throw linkedMeanwhile();
  const ofUser = { issuer, subject, provider: provider.name, ...profileOf(identified), lastSignInAt: now };
  await updateUser(q, caller.user.id, ofUser);
  const ofSession = {
    provider: provider.name,
    clientId,
    identityId,
    claims,
    providerSid: identified.providerSid,
    createdAt: now,
    expiresAt: now + host.config.read(authSettings)['refresh-absolute'] * 1000,
    lastUsedAt: now,
  };
  await updateSession(q, caller.session.id, ofSession);
  await writeLinked(q, caller, proven, 'promoted', client);
  return {
    how: 'promoted',
    user: { ...caller.user, ...ofUser },
    session: { ...caller.session, ...ofSession },
    nonce: identified.nonce,
  };
}

/** @throws Fault FORBIDDEN, TOO_MANY_IDENTITIES. */
async function add(q: Query, caller: Caller, proven: Proven): Promise<Linked> {
  const { provider, identified, client, now } = proven;
  requireRecentSignIn(caller.session, now, 'link an identity');
  if ((await countIdentities(q, caller.user.id)) >= maxIdentities)
    throw fail.TOO_MANY_IDENTITIES(`A user has at most ${maxIdentities} identities: remove one first.`);
  const key = { issuer: identified.issuer, subject: identified.subject, provider: provider.name };
  if ((await insertIdentity(q, caller.user.id, key, now)) === null) throw linkedMeanwhile();
  await writeLinked(q, caller, proven, 'added', client);
  return { ...caller, how: 'added', nonce: identified.nonce };
}

const linkedMeanwhile = () => fail.IDENTITY_IN_USE('Somebody has just signed in with this identity.');

const writeLinked = (
  q: Query,
  { user, session }: Caller,
  { provider, now }: Proven,
  cause: 'promoted' | 'added',
  { address }: SignInClient,
) =>
  writeAuditEntry(q, now, {
    event: 'identity_linked',
    userId: user.id,
    sessionId: session.id,
    provider: provider.name,
    cause,
    address,
  });

/** The guest becomes part of the user, who gets a new session: what every module stores of the guest is joined into the user's. */
async function switchTo(
  q: Query,
  host: Host,
  guest: Caller,
  proven: Proven,
  found: KnownUser,
): Promise<Linked> {
  const { provider, identified, client, now } = proven;
  const known = { known: found, provider: provider.name, now };
  const { user, identityId } = await signInUser(q, identified, known);
  await endAccess(q, guest.user.id, { actorId: user.id, now, reason: 'merged' });
  await bindAccount(q, guest.user.id, user.id);
  await host.tellMerged(q, { fromUserId: guest.user.id, intoUserId: user.id, at: now });
  const entry = { userId: user.id, cause: String(guest.user.id), address: client.address };
  await writeAuditEntry(q, now, { event: 'user_merged', ...entry });
  const { clientId, claims, providerSid } = identified;
  const grant = { clientId, audience: guest.session.audience, scope: null, claims, providerSid };
  const session = await storeSession(
    q,
    host,
    { user, identityId, provider: provider.name, ...grant },
    client,
  );
  return { how: 'switched', user, session, nonce: identified.nonce, mergedFrom: guest.user.id };
}
