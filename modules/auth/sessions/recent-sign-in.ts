import { fail } from '../base/errors.ts';
import type { SessionRow } from './session-store.ts';

/** Max age of a session for what outlives it: an older access token may have been stolen. */
const recentMs = 10 * 60 * 1000;

/** @param what e.g. "create a personal access token". @throws Fault FORBIDDEN with cause `recent_sign_in`. */
export function requireRecentSignIn(session: SessionRow, now: number, what: string): void {
  if (now - session.createdAt <= recentMs) return;
  throw fail.FORBIDDEN(`Only a session that signed in within the last 10 minutes can ${what}.`, {
    cause: 'recent_sign_in',
    tip: 'Sign in again and call with the new access token.',
  });
}
