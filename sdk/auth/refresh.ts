import type { TrivetError } from '../base/failure.ts';
import { whenReady, type Ready } from '../base/ready.ts';
import { backoff, failureOf, send } from '../base/request.ts';
import { lead, type SessionKeeper } from './session-keeper.ts';
import { parseSession, sessionOf, type StoredSession } from './session.ts';

/**
 * A session that was stored less than this ago (milliseconds) is not rotated: another tab may still be sending the token before it, and
 * the server takes a token that is two rotations old for a stolen one.
 */
const settling = 1000;

/** Live access tokens of the session. */
export function refresher(keeper: SessionKeeper) {
  const { environment, key, left } = keeper;
  const { storage, now } = environment;
  let flight: Promise<StoredSession | null> | undefined;
  let failures = 0;
  let notBefore = 0;
  /** Why there is no new token until then: an app must not say "no network" to somebody who was disabled. */
  let failed: TrivetError | undefined;

  /** One refresh at a time. @param refused an access token that a server did not accept. @throws TrivetError. */
  const refreshed = (refused?: string): Promise<StoredSession | null> =>
    (flight ??= new Promise<StoredSession | null>((resolve) => resolve(refresh(refused))).finally(() => {
      flight = undefined;
    }));

  /** @param isSettled it has waited: a clock that stands still, as in a test, would never say so. */
  const refresh = (refused: string | undefined, isSettled = false): Ready<StoredSession | null> =>
    whenReady(storage.get(key), (text) => {
      const known = refused ?? keeper.current()?.access;
      const session = keeper.take(text);
      // Another tab signed out, or was faster.
      if (!session || (session.access !== known && left(session) > lead(session))) return session;
      const wait = notBefore - now();
      // A clock that was set back must not stop refreshing for hours.
      if (failed && wait > 0 && wait <= 90_000) throw failed;
      const age = now() - session.at;
      if (isSettled || age < 0 || age >= settling || left(session) <= 0) return rotate(session);
      return new Promise<void>((resolve) => void environment.later(settling - age, resolve, true)).then(() =>
        refresh(refused ?? known, true),
      );
    });

  async function rotate(session: StoredSession): Promise<StoredSession | null> {
    const json = JSON.stringify({ refreshToken: session.refresh });
    const answer = await send(environment, '/v1/auth/token/refresh', { json });
    // Commit guard: another tab may have signed out, signed in or refreshed meanwhile.
    const text = await storage.get(key);
    const known = text === undefined ? keeper.current() : parseSession(text);
    if (known?.refresh !== session.refresh) return keeper.take(text);
    if (answer.status === 200 && sessionOf(answer.body, 0, 0)) {
      failures = notBefore = 0;
      return keeper.commit(keeper.sessionIn(answer));
    }
    const error = (failed = failureOf(answer, environment));
    if (answer.status === 401 && error.code === 'INVALID_REFRESH_TOKEN') {
      storage.remove(key);
      keeper.become(null);
      return null;
    }
    const delay = backoff(++failures, answer.retryAfter, environment.random);
    notBefore = now() + delay;
    keeper.schedule(delay);
    environment.report(error.code, `The session could not be refreshed: ${error.message}`);
    throw error;
  }
  keeper.onDue(() => refreshed().catch(() => null));

  return {
    refreshed,
    /** A token that lives for more than `minimum` milliseconds if the server gives one; null: nobody is signed in. @throws TrivetError. */
    async token(minimum: number): Promise<string | null> {
      await keeper.open();
      const session = keeper.current();
      if (!session) return null;
      if (left(session) > Math.max(minimum, lead(session))) return session.access;
      try {
        return (await refreshed())?.access ?? null;
      } catch (error) {
        // A failed refresh changes nothing while the token lives.
        const still = keeper.current();
        if (still && left(still) > 0) return still.access;
        throw error;
      }
    },
  };
}
