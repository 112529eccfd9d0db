import { systemClock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { refreshLogin } from './login-client.ts';
import { serverOriginOf } from '../base/server-address.ts';
import { readLogins, withLock, writeLogin, type Login } from './login-file.ts';

/** Renewed so long before its end: the way to the server takes time, and clocks differ. */
const earlyMs = 60_000;

const isFresh = ({ expiresAt }: Login) => expiresAt - systemClock.now() > earlyMs;

/** Whether this user has signed in at a server with `trivet login`. */
export const hasLogin = (url: string): boolean => Object.hasOwn(readLogins(), serverOriginOf(url));

/**
 * The access token of `trivet login` for a server, renewed when it ends. Several processes may ask at once: one renews, and the
 * others take what it has stored.
 * @throws Fault UNAUTHENTICATED when the person has to sign in again.
 */
export async function loginToken(url: string): Promise<string> {
  const server = serverOriginOf(url);
  const known = readLogins()[server];
  if (known && isFresh(known)) return known.accessToken;
  return withLock(async () => {
    const login = readLogins()[server];
    if (!login) throw signInAgain(url);
    if (isFresh(login)) return login.accessToken;
    const next = await refreshLogin(url, login);
    writeLogin(server, next);
    if (!next) throw signInAgain(url);
    return next.accessToken;
  });
}

const signInAgain = (url: string) =>
  fail.UNAUTHENTICATED(`You are not signed in at ${new URL(url).origin}, or no longer.`, {
    tip: `Run: trivet login --url ${url}`,
  });
