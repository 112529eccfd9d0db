import type { Configuration } from 'openid-client';
import { systemClock } from '../base/clock.ts';
import { exit, fail, Fault, UsageError } from '../base/errors.ts';
import { certificateFailure, certificateFaultOf } from '../base/foreign-errors.ts';
import { isLoopback } from '../base/loopback.ts';
import { notTrivet, refuseRedirect, serverOriginOf } from '../base/server-address.ts';
import type { Login } from './login-file.ts';

/** The client of `trivet login`, which every server knows (modules/auth/oauth-clients/oauth-client.ts). */
const clientId = 'trivet-cli';
/** The scope: everything that the person may do, because it is their own command line. */
const scope = 'all';

/** How long a person may take. */
const patienceMs = 10 * 60_000;

interface Server {
  readonly configuration: Configuration;
  readonly issuer: string;
}

/** Loaded on sign-in: no other command needs it. */
const oidc = () => import('openid-client');

/**
 * The authorization server of a server: RFC 9728, then RFC 8414.
 * @throws UsageError for plain http to another machine; Fault UPSTREAM_FAILED, UPSTREAM_UNREACHABLE.
 */
async function serverAt(url: string): Promise<Server> {
  const issuer = await issuerOf(url);
  const { allowInsecureRequests, discovery, None } = await oidc();
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  try {
    const options = { algorithm: 'oauth2', execute, timeout: 10 } as const;
    const configuration = await discovery(new URL(issuer), clientId, undefined, None(), options);
    for (const endpoint of endpoints) requireOwn(url, configuration.serverMetadata()[endpoint]);
    return { issuer, configuration };
  } catch (error) {
    throw error instanceof Fault ? error : withoutSignIn(url);
  }
}

/** Where codes and tokens go. */
const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint',
] as const;

/**
 * Requires the issuer to be the server itself. Otherwise a malicious server could name a trusted one as its issuer: the person would sign
 * in there, and the malicious server would receive the token.
 * @throws Fault UPSTREAM_FAILED.
 */
function requireOwn(url: string, named: string | undefined): void {
  const { origin } = new URL(url);
  if (named === undefined || (URL.canParse(named) && new URL(named).origin === origin)) return;
  const other = URL.canParse(named) ? new URL(named).origin : undefined;
  throw fail.UPSTREAM_FAILED(
    `The server at ${origin} names ${other ?? 'an invalid address'} for its sign-in. No token was asked for.`,
    {
      cause: 'origin',
      tip: other
        ? `If ${other} is your server, sign in there: trivet login --url ${other}. Otherwise do not use ${origin}.`
        : `Check that ${origin} is a Trivet server, and its --public-url.`,
    },
  );
}

async function issuerOf(url: string): Promise<string> {
  requireSecure(url);
  const place = `${serverOriginOf(url)}/.well-known/oauth-protected-resource`;
  let response: Response;
  try {
    response = await fetch(place, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    const certificate = certificateFailure(error);
    if (certificate) throw certificateFaultOf(url, certificate);
    throw fail.UPSTREAM_UNREACHABLE(`The server at ${new URL(url).origin} cannot be reached.`);
  }
  refuseRedirect(response);
  const metadata = (await response.json().catch(() => null)) as { authorization_servers?: unknown } | null;
  const [issuer] = Array.isArray(metadata?.authorization_servers) ? metadata.authorization_servers : [];
  if (!response.ok || typeof issuer !== 'string' || !URL.canParse(issuer)) throw withoutSignIn(url);
  requireOwn(url, issuer);
  return issuer;
}

/** @throws UsageError: codes and tokens would be sent unencrypted. */
function requireSecure(url: string): void {
  const { protocol, hostname, host } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname)) return;
  throw new UsageError(`trivet login sends tokens: ${host} must be reached with https, or be this machine.`);
}

const withoutSignIn = (url: string) =>
  fail.UPSTREAM_FAILED(`The server at ${new URL(url).origin} offers no sign-in by browser.`, {
    tip: 'Check --url. A server of an earlier version takes a token: TRIVET_TOKEN or --token-file.',
  });

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
}

const loginOf = (issuer: string, answer: TokenAnswer): Login => ({
  issuer,
  accessToken: answer.access_token,
  refreshToken: answer.refresh_token ?? '',
  expiresAt: systemClock.now() + (answer.expires_in ?? 0) * 1000,
});

/**
 * Signs in with a browser on this machine, which is redirected to a port of 127.0.0.1 (RFC 8252 §7.3).
 * @param show shows the address to the person, and may open it.
 * @throws Fault UNAUTHENTICATED when the person did not agree or took too long.
 */
export async function browserLogin(url: string, show: (address: string) => void): Promise<Login> {
  const { configuration, issuer } = await serverAt(url);
  const {
    authorizationCodeGrant,
    buildAuthorizationUrl,
    calculatePKCECodeChallenge,
    randomPKCECodeVerifier,
    randomState,
  } = await oidc();
  const pkceCodeVerifier = randomPKCECodeVerifier();
  const expectedState = randomState();
  const challenge = await calculatePKCECodeChallenge(pkceCodeVerifier);
  const { promise, resolve, reject } = Promise.withResolvers<Login>();
  const returned = async (address: URL): Promise<Response> => {
    // Any local user can call the port; only the browser knows the state.
    if (address.pathname !== '/callback' || address.searchParams.get('state') !== expectedState)
      return new Response(null, { status: 404 });
    try {
      const checks = { pkceCodeVerifier, expectedState };
      resolve(loginOf(issuer, await authorizationCodeGrant(configuration, address, checks)));
      return told('You are signed in. You can close this page and go back to the terminal.');
    } catch {
      reject(fail.UNAUTHENTICATED('The sign-in was not completed.', { tip: 'Run trivet login again.' }));
      return told('You are not signed in. The terminal says why.');
    }
  };
  const listener = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => returned(new URL(request.url)),
  });
  try {
    show(
      buildAuthorizationUrl(configuration, {
        redirect_uri: `http://127.0.0.1:${listener.port}/callback`,
        scope,
        state: expectedState,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        resource: serverOriginOf(url),
      }).href,
    );
    return await Promise.race([promise, tooLate()]);
  } finally {
    await listener.stop();
  }
}

const tooLate = async (): Promise<never> => {
  await new Promise((resolve) => setTimeout(resolve, patienceMs).unref());
  throw fail.UNAUTHENTICATED('Nobody signed in within ten minutes.', { tip: 'Run trivet login again.' });
};

const told = (text: string) =>
  new Response(`${text}\n`, {
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      Connection: 'close',
    },
  });

/**
 * Signs in with a browser on any other device (RFC 8628).
 * @throws Fault UNAUTHENTICATED when the person did not agree or took too long.
 */
export async function deviceLogin(
  url: string,
  show: (place: { readonly address: string; readonly code: string }) => void,
): Promise<Login> {
  const { configuration, issuer } = await serverAt(url);
  const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant } = await oidc();
  try {
    const asked = await initiateDeviceAuthorization(configuration, { scope, resource: serverOriginOf(url) });
    show({ address: asked.verification_uri, code: asked.user_code });
    return loginOf(issuer, await pollDeviceAuthorizationGrant(configuration, asked));
  } catch {
    throw fail.UNAUTHENTICATED('The sign-in was refused, or nobody signed in within ten minutes.', {
      tip: 'Run trivet login --device again.',
    });
  }
}

/** Refreshes the tokens. @returns null when the server refuses: the person has to sign in again. @throws Fault UPSTREAM_UNREACHABLE. */
export async function refreshLogin(
  url: string,
  { refreshToken, issuer: before }: Login,
): Promise<Login | null> {
  const { configuration, issuer } = await serverAt(url);
  // A token goes only to the server that issued it.
  if (issuer !== before) return null;
  const { refreshTokenGrant, ResponseBodyError } = await oidc();
  try {
    return loginOf(issuer, await refreshTokenGrant(configuration, refreshToken));
  } catch (error) {
    if (error instanceof ResponseBodyError && error.status < 500 && error.status !== 429) return null;
    throw fail.UPSTREAM_UNREACHABLE(`The server at ${new URL(url).origin} did not renew the sign-in.`);
  }
}

/** Ends the session at the server. @returns whether the server could be reached. */
export async function endLogin(url: string, { refreshToken, issuer: before }: Login): Promise<boolean> {
  try {
    const { configuration, issuer } = await serverAt(url);
    if (issuer === before) await (await oidc()).tokenRevocation(configuration, refreshToken);
    return true;
  } catch {
    return false;
  }
}

/** The user of the token. */
export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly name?: string;
  readonly organizations: ReadonlyArray<{
    readonly orgId: number;
    readonly orgName: string;
    readonly role: string;
  }>;
}

/** @throws UsageError with exit code 3 for a token that is not accepted; Fault UPSTREAM_UNREACHABLE, UPSTREAM_FAILED. */
export async function accountOf(url: string, token: string): Promise<Account> {
  let response: Response;
  try {
    response = await fetch(`${serverOriginOf(url)}/oauth/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
  } catch (error) {
    const certificate = certificateFailure(error);
    if (certificate) throw certificateFaultOf(url, certificate);
    throw fail.UPSTREAM_UNREACHABLE(`The server at ${new URL(url).origin} cannot be reached.`);
  }
  refuseRedirect(response);
  if (response.status === 401)
    throw new UsageError(`The server at ${new URL(url).origin} does not accept this token.`, exit.auth);
  if (!response.ok) throw withoutSignIn(url);
  const account: unknown = await response.json().catch(() => null);
  if (account === null) throw notTrivet(url);
  return account as Account;
}
