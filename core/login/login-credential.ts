import { systemClock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { refreshLogin } from './login-client.ts';
import { serverOriginOf } from '../base/server-address.ts';
import { readLogins, withLock, writeLogin, type Login } from './login-file.ts';

/** How long before its expiry a token is refreshed, because the request takes time and clocks differ. */
const earlyMs = 60_000;

const isFresh = ({ expiresAt }: Login) => expiresAt - systemClock.now() > earlyMs;

/** Whether this user has signed in at a server with `trivet login`. */
export const hasLogin = (url: string): boolean => Object.hasOwn(readLogins(), serverOriginOf(url));

/**
 * The access token of `trivet login` for a server, refreshed when it expires. If several processes ask at once, one refreshes it and the
 * others read the stored result.
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
