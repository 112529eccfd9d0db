import type { Configuration, CustomFetchOptions } from 'openid-client';
import { refuseInsideTx } from '../../../core/db/query/db.ts';
import { certificateFailure } from '../../../core/base/foreign-errors.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { errorFields } from '../../../core/base/log.ts';
import { isLoopback } from '../../../core/base/loopback.ts';
import { fail } from '../base/errors.ts';
import { deriveKey } from '../keys/master-key.ts';
import { providers } from '../providers/configured-providers.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';
import { fetchForeign, readForeign } from '../providers/foreign-response.ts';
import type { BrowserSignIn, IdProvider } from '../providers/id-token.ts';
import { isKeysUrl, isSecureUrl } from '../providers/jwks.ts';
import { callbackUrl } from '../providers/provider-callback.ts';
import { sealer } from './browser.ts';

export const devPath = '/oauth/dev';

type WithBrowser = IdProvider & { readonly browser: BrowserSignIn };

/** The providers with which people sign in in a browser. */
export const browserProviders = (host: Host): readonly WithBrowser[] =>
  [...providers(host).values()].filter((one): one is WithBrowser => one.browser !== null);

/**
 * The nonce and the PKCE verifier of one sign-in at a provider. They are derived from the state, which is stored as a hash: a copy of the
 * database does not allow continuing a sign-in.
 */
const proofs = perHost((host) => {
  const proof = (kind: string, state: string) =>
    new Bun.CryptoHasher('sha256', deriveKey(host)('oauth upstream'))
      .update(`${kind}\n${state}`)
      .digest('base64url');
  return (state: string) => ({ nonce: proof('nonce', state), verifier: proof('verifier', state) });
});

/** The address of the provider's own sign-in page. @throws Fault ID_PROVIDER_UNAVAILABLE. */
export async function providerPage(host: Host, provider: WithBrowser, state: string): Promise<string> {
  if (provider.browser === 'dev') return `${host.origin()}${devPath}?${new URLSearchParams({ state })}`;
  const { nonce, verifier } = proofs(host)(state);
  const configuration = await configurations(host)(provider, provider.browser);
  const url = (await import('openid-client')).buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(host),
    scope: provider.browser.scope,
    state,
    nonce,
    code_challenge: new Bun.CryptoHasher('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  if (!isSecureUrl(url.href)) throw unavailable();
  return url.href;
}

const unavailable = () =>
  fail.ID_PROVIDER_UNAVAILABLE('The identity provider cannot be reached.', { retryAfter: 10 });

/** The response of the provider: the parameters of the callback, and the browser that sent them. */
interface Returned {
  readonly parameters: URLSearchParams;
  readonly state: string;
  readonly browser: string;
}

/**
 * The ID token for the response of the provider, and its expected nonce.
 * @throws Fault INVALID_ID_TOKEN when state, issuer, code or nonce are not those of this sign-in.
 */
export async function fetchIdToken(
  host: Host,
  provider: WithBrowser,
  { parameters, state, browser }: Returned,
): Promise<{ readonly idToken: string; readonly nonce: string }> {
  const { nonce, verifier } = proofs(host)(state);
  if (provider.browser === 'dev') {
    const { email } = sealer(host).open<{ email: string }>('dev', browser, parameters.get('code') ?? '');
    return { idToken: await mintDevIdToken(host, email, nonce), nonce };
  }
  const configuration = await configurations(host)(provider, provider.browser);
  const { authorizationCodeGrant } = await import('openid-client');
  try {
    const url = new URL(`${callbackUrl(host)}?${parameters}`);
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    };
    const { id_token: idToken } = await authorizationCodeGrant(configuration, url, checks);
    if (idToken !== undefined) return { idToken, nonce };
  } catch (error) {
    // Only the library's code: its message may quote the response of the provider.
    const cause = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    host.log.warn('provider_sign_in_refused', { provider: provider.name, cause });
  }
  throw fail.INVALID_ID_TOKEN('The identity provider did not confirm this sign-in.', { cause: 'code' });
}

const freshMs = 10 * 60_000;
const maxBytes = 256 * 1024;

/** The clients of `openid-client`, one for each provider, with its discovery document. */
const configurations = perHost((host) => {
  const known = new Map<string, { readonly configuration: Configuration; readonly until: number }>();
  const loading = new Map<string, Promise<Configuration>>();

  const load = async (provider: IdProvider, browser: Exclude<BrowserSignIn, 'dev'>) => {
    refuseInsideTx('fetch');
    const oidc = await import('openid-client');
    const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, None } = oidc;
    const { issuer, name } = provider;
    const timeout = 5;
    const fetchFrom = boundedFetch(issuer);
    const execute = isLoopback(new URL(issuer).hostname) ? [allowInsecureRequests] : [];
    const options = { timeout, execute, [oidc.customFetch]: fetchFrom };
    const found = await oidc.discovery(new URL(issuer), browser.clientId, undefined, None(), options);
    const server = found.serverMetadata();
    const { clientSecret: secret } = browser;
    // RFC 8414 §2: without a list it is client_secret_basic.
    const basic = server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true;
    const proof =
      secret === undefined ? None() : basic ? ClientSecretBasic(secret) : ClientSecretPost(secret);
    const configuration = new oidc.Configuration(server, browser.clientId, undefined, proof);
    configuration.timeout = timeout;
    configuration[oidc.customFetch] = fetchFrom;
    for (const change of execute) change(configuration);
    known.set(name, { configuration, until: host.clock.now() + freshMs });
    return configuration;
  };

  return async (provider: IdProvider, browser: Exclude<BrowserSignIn, 'dev'>): Promise<Configuration> => {
    const { name } = provider;
    const kept = known.get(name);
    if (kept && kept.until > host.clock.now()) return kept.configuration;
    const one = loading.get(name) ?? load(provider, browser).finally(() => loading.delete(name));
    loading.set(name, one);
    try {
      return await one;
    } catch (error) {
      host.log.warn('provider_unavailable', {
        provider: name,
        ...errorFields(error),
        ...certificateFailure(error),
      });
      if (kept) return kept.configuration;
      throw unavailable();
    }
  };
});

/** The client sends forms only. */
const bodyOf = (body: CustomFetchOptions['body']) =>
  typeof body === 'string' || body instanceof URLSearchParams ? { body } : {};

/** Fetches from the provider within limits, and only from addresses that its own document may name. */
const boundedFetch =
  (issuer: string) =>
  async (url: string, { body, ...init }: CustomFetchOptions): Promise<Response> => {
    if (!isKeysUrl(url, issuer)) throw new Error('an address of the provider is not fetched');
    const response = await fetchForeign(url, { ...init, ...bodyOf(body) });
    const bytes = await readForeign(response, maxBytes);
    const { status, headers } = response;
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
  };
