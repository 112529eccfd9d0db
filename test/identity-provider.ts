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
  signIn(email: string, extra?: SignInExtra): Promise<{ idToken: string }>;
  /** Allows the client to return to another address too. */
  accept(redirectUri: string): Promise<void>;
  /** The person at the browser, where the client names no one. */
  sits(email: string): void;
  /** New keys under new ids; the old ones are no longer published. */
  rotateKeys(): Promise<void>;
  stop(): Promise<void>;
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
  const create = () => createProvider(issuer, options, people, { generation, redirectUris });
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
    sits: (email) => void (person = email),
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
  { generation, redirectUris }: { readonly generation: number; readonly redirectUris: readonly string[] },
): Promise<Provider> {
  const { mistake } = options;
  return new Provider(mistake?.issuer?.(issuer) ?? issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...redirectUris],
        id_token_signed_response_alg: options.algorithm ?? 'RS256',
      },
    ],
    jwks: {
      keys: mistake?.keys
        ? [...mistake.keys]
        : [await signingKey('RS256', generation), await signingKey('ES256', generation)],
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
    features: { devInteractions: { enabled: false } },
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

async function signIn(
  issuer: string,
  email: string,
  nonce: string | undefined,
): Promise<{ idToken: string }> {
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
  const callback = await followTo(`${issuer}/auth?${ask}`, redirectUri);
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
  return { idToken };
}

/** Follows redirects with cookies, as a browser does, until one leads to `target`. */
async function followTo(start: string, target: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(start);
  for (let hops = 0; hops < 10; hops++) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`no redirect from ${at.pathname}, but ${response.status}`);
    at = new URL(location, at);
    if (at.href.startsWith(target)) return at;
  }
  throw new Error('too many redirects');
}
