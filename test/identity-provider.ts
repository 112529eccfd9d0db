import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

export interface TestIdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** The requested paths, in order. */
  readonly requests: readonly string[];
  /** Drives the whole authorization-code flow with PKCE, as a browser and a client would. */
  signIn(email: string, extra?: SignInExtra): Promise<SignedInThere>;
  /** Allows the client to return to another address too. */
  accept(redirectUri: string): Promise<void>;
  /** Tells the client of each sign-out at this address (back-channel logout), with the `sid` unless `byPerson`. */
  tellsSignOuts(logoutUri: string, byPerson?: 'byPerson'): Promise<void>;
  /** The person at the browser, where the client names no one. */
  sits(email: string, claims?: Readonly<Record<string, unknown>>): void;
  /** New keys under new ids; the old ones are no longer published. */
  rotateKeys(): Promise<void>;
  stop(): Promise<void>;
}

export interface SignedInThere {
  readonly idToken: string;
  /** Signs out at the provider, in the browser of this sign-in. Resolves when the client has been told. */
  signOut(): Promise<void>;
}

export interface SignInExtra {
  readonly nonce?: string;
  /** Replaces claims of this person; additional names must be among the provider's `claims`. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface IdentityProviderOptions {
  readonly algorithm?: SigningAlgorithm;
  /** Names of additional claims that ID tokens may contain. */
  readonly claims?: readonly string[];
  /** Mistakes in its configuration. */
  readonly mistake?: {
    /** It names a different origin than the one at which it is reached. */
    readonly issuer?: (reachedAt: string) => string;
    /** Responses of a proxy in front of it for these paths. */
    readonly paths?: Readonly<Record<string, { readonly status: number; readonly location?: string }>>;
    /** Different keys than the expected ones. */
    readonly keys?: readonly JWK[];
    /** The only algorithms with which it may sign ID tokens. */
    readonly idTokenAlgorithms?: readonly SigningAlgorithm[];
    /** The claims of the scope "email" were not added. */
    readonly withoutEmail?: boolean;
  };
}

/** The signature algorithm of its ID tokens. */
export type SigningAlgorithm = 'RS256' | 'ES256';

const clientId = 'trivet-test';
const clientSecret = 'a secret of the test client, 32 characters or more';
const redirectUri = 'https://app.example/callback';

/**
 * A real OpenID provider on loopback and a free port, with its own keys. Its login page is real too, except that it trusts the address in
 * `login_hint` without a password.
 */
export async function startIdentityProvider(
  options: IdentityProviderOptions = {},
): Promise<TestIdentityProvider> {
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listening(server)}`;
  const people = new Map<string, Readonly<Record<string, unknown>>>();
  const redirectUris = [redirectUri];
  let person = 'nobody@example.org';
  let generation = 1;
  const made = new Map<number, Promise<readonly JWK[]>>();
  const keysOf = (which: number) => {
    const keys = made.get(which) ?? Promise.all([signingKey('RS256', which), signingKey('ES256', which)]);
    made.set(which, keys);
    return keys;
  };
  let signOuts: Readonly<Record<string, unknown>> = {};
  const create = async () =>
    createProvider(issuer, options, people, { keys: await keysOf(generation), redirectUris, signOuts });
  let provider = await create();
  let answer = provider.callback();
  const requests: string[] = [];
  server.on('request', (request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    requests.push(pathname);
    const instead = options.mistake?.paths?.[pathname];
    if (instead) {
      response.writeHead(
        instead.status,
        instead.location === undefined ? {} : { location: instead.location },
      );
      response.end();
    } else if (pathname.startsWith('/interaction/')) void consent(provider, request, response, person);
    else void answer(request, response);
  });
  return {
    issuer,
    clientId,
    clientSecret,
    redirectUri,
    requests,
    signIn: (email, extra = {}) => {
      people.set(email, extra.claims ?? {});
      return signIn(issuer, email, extra.nonce);
    },
    accept: async (uri) => {
      redirectUris.push(uri);
      provider = await create();
      answer = provider.callback();
    },
    tellsSignOuts: async (uri, byPerson) => {
      signOuts = {
        backchannel_logout_uri: uri,
        backchannel_logout_session_required: byPerson === undefined,
      };
      provider = await create();
      answer = provider.callback();
    },
    sits: (email, claims) => {
      person = email;
      if (claims) people.set(email, claims);
    },
    rotateKeys: async () => {
      generation++;
      provider = await create();
      answer = provider.callback();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function createProvider(
  issuer: string,
  options: IdentityProviderOptions,
  people: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  {
    keys,
    redirectUris,
    signOuts,
  }: {
    readonly keys: readonly JWK[];
    readonly redirectUris: readonly string[];
    readonly signOuts: Readonly<Record<string, unknown>>;
  },
): Promise<Provider> {
  const { mistake } = options;
  return new Provider(mistake?.issuer?.(issuer) ?? issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...redirectUris],
        ...signOuts,
        id_token_signed_response_alg: options.algorithm ?? 'RS256',
      },
    ],
    jwks: {
      keys: mistake?.keys ? [...mistake.keys] : [...keys],
    },
    ...(mistake?.idTokenAlgorithms
      ? { enabledJWA: { idTokenSigningAlgValues: [...mistake.idTokenAlgorithms] } }
      : {}),
    cookies: { keys: ['only for tests'] },
    // Profile claims go into the ID token itself, as with the large providers.
    conformIdTokenClaims: false,
    claims: {
      openid: ['sub', ...(options.claims ?? [])],
      email: mistake?.withoutEmail ? [] : ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name'],
    },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, email) => ({
      accountId: email,
      claims: () => ({
        email,
        email_verified: true,
        name: 'Test Person',
        given_name: 'Test',
        family_name: 'Person',
        ...people.get(email),
        sub: email,
      }),
    }),
  });
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(address && typeof address === 'object' ? address.port : 0);
    });
  });
}

async function signingKey(alg: SigningAlgorithm, generation: number): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `test-${alg}-${generation}` };
}

/** The login and consent page: completes both for the person named by `login_hint`, or for the person at the browser. */
async function consent(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  person: string,
): Promise<void> {
  const { params, grantId } = await provider.interactionDetails(request, response);
  const accountId = String(params['login_hint'] ?? person);
  const grant =
    (grantId && (await provider.Grant.find(grantId))) || new provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid email profile');
  await provider.interactionFinished(
    request,
    response,
    { login: { accountId }, consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  );
}

async function signIn(issuer: string, email: string, nonce: string | undefined): Promise<SignedInThere> {
  const verifier = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const challenge = new Bun.CryptoHasher('sha256').update(verifier).digest('base64url');
  const ask = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    login_hint: email,
    ...(nonce === undefined ? {} : { nonce }),
  });
  const cookies = new Map<string, string>();
  const callback = await followTo(`${issuer}/auth?${ask}`, redirectUri, cookies);
  const code = callback.searchParams.get('code');
  if (code === null) throw new Error(`the provider refused: ${callback.search}`);
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(clientSecret)}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  });
  const { id_token: idToken } = (await response.json()) as { id_token?: string };
  if (!response.ok || idToken === undefined)
    throw new Error(`the token endpoint answered ${response.status}`);
  return { idToken, signOut: () => signOut(issuer, idToken, cookies) };
}

async function signOut(issuer: string, idToken: string, cookies: Map<string, string>): Promise<void> {
  const page = await visit(new URL(`${issuer}/session/end?id_token_hint=${idToken}`), cookies);
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await page.text()) ?? [];
  const body = new URLSearchParams({ xsrf, logout: 'yes' });
  const { status } = await visit(new URL(`${issuer}/session/end/confirm`), cookies, { method: 'POST', body });
  if (status !== 303) throw new Error(`the provider answered the sign-out with ${status}`);
}

/** A request of a browser. */
async function visit(at: URL, cookies: Map<string, string>, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(at, {
    ...init,
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';');
    cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  }
  return response;
}

/** Follows redirects with cookies, as a browser does, until one leads to `target`. */
async function followTo(start: string, target: string, cookies: Map<string, string>): Promise<URL> {
  let at = new URL(start);
  for (let hops = 0; hops < 10; hops++) {
    const response = await visit(at, cookies);
    const location = response.headers.get('location');
    if (location === null) throw new Error(`no redirect from ${at.pathname}, but ${response.status}`);
    at = new URL(location, at);
    if (at.href.startsWith(target)) return at;
  }
  throw new Error('too many redirects');
}
