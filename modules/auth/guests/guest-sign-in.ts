import type { Host } from '../../../core/host/host.ts';
import { fail } from '../base/errors.ts';
import { authMetrics } from '../base/metrics.ts';
import { authSettings } from '../base/settings.ts';
import { guestIssuer, insertUser } from '../people/user-store.ts';
import { isPlain } from '../providers/id-token.ts';
import { requireObject, requireResources } from '../sessions/authenticate-request.ts';
import { sessionAnswer } from '../sessions/session-answer.ts';
import { storeSession, type SignInClient } from '../sessions/sign-in.ts';

/** The client of the sessions of guests. No OAuth client has this id: their ids are addresses or sealed. */
const guestClient = 'trivet-guest';

interface GuestRequest {
  readonly resources: readonly string[];
  readonly installId: string | undefined;
}

/** @throws Fault GUESTS_DISABLED. */
export function requireGuests(host: Host): void {
  if (!host.config.read(authSettings).guests)
    throw fail.GUESTS_DISABLED('This server has no guests: it was started without --guests.');
}

/** Checks the body of `POST /v1/auth/guest`. @throws Fault INVALID_REQUEST with the field as cause. */
export function parseGuest(given: unknown): GuestRequest {
  const body = requireObject(given);
  const resources = requireResources(body);
  const { installId } = body;
  if (installId === undefined) return { resources, installId };
  if (typeof installId === 'string' && /^.{1,128}$/s.test(installId) && isPlain(installId))
    return { resources, installId };
  throw fail.INVALID_REQUEST('installId must be a text of 1 to 128 characters.', { cause: 'installId' });
}

/**
 * Creates a user without any identity, and a session. Each call makes a new one: an `installId` is no secret, so it gives nobody the
 * account of an earlier guest.
 */
export async function createGuest(host: Host, { resources }: GuestRequest, client: SignInClient) {
  const opened = await host.db.tx(async (q) => {
    const now = host.clock.now();
    const subject = Buffer.from(host.random(16)).toString('base64url');
    const identity = { issuer: guestIssuer, subject, provider: guestIssuer };
    const user = await insertUser(q, now, { ...identity, lastSignInAt: now });
    const grant = { provider: guestIssuer, clientId: guestClient, audience: resources, scope: null };
    const endsAt = now + host.config.read(authSettings)['guest-keep'] * 1000;
    const session = await storeSession(q, host, { user, endsAt, ...grant }, client);
    return { user, session, nonce: null };
  });
  host.metrics.count(authMetrics.signIns, [guestIssuer, 'ok']);
  return { ...(await sessionAnswer(host, opened)), isGuest: true as const };
}
