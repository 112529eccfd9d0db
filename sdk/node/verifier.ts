/*
 * Verifies access tokens of a Trivet server in a backend, without a request per token. It has no dependencies: WebCrypto is in Node 20,
 * Bun, Deno and workers. Nothing global is touched before the first call.
 */

/** The claims of a verified access token (docs/contract.md, Tokens). */
export interface Claims {
  readonly iss: string;
  /** The user id. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  /** The session; `sid` of the feed of revocations. */
  readonly sid: string;
  readonly email?: string;
  readonly name?: string;
  readonly scope?: string;
  readonly is_guest?: boolean;
  /** Also the claims that the server's administrator sets for a user. */
  readonly [claim: string]: unknown;
}

/** What is wrong with a token that is refused. */
export type InvalidCause =
  | 'form'
  | 'type'
  | 'algorithm'
  | 'key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'not_yet'
  | 'claims';

/**
 * An error of {@link Verifier.verify}. Answer `KEYS_UNAVAILABLE` with 503: nothing is known about the token then. Answer the others
 * with 401.
 */
export interface VerifierError extends Error {
  readonly code: 'TOKEN_EXPIRED' | 'TOKEN_INVALID' | 'KEYS_UNAVAILABLE';
  /** With `TOKEN_INVALID`. */
  readonly cause?: InvalidCause;
}

export interface VerifierOptions {
  /** Where this program reaches the server, e.g. `https://trivet.example`. */
  readonly url: string;
  /** The server's `--public-url`; by default `url`. */
  readonly issuer?: string;
  /** The token must be for at least one of these. Not checked by default. */
  readonly audience?: string | readonly string[];
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds on a clock that nobody sets. `performance.now` by default. */
  readonly uptime?: () => number;
  /** Seconds by which the clocks may differ at `exp` and `nbf`; 0 by default. */
  readonly clockTolerance?: number;
}

export interface Verifier {
  /** @throws VerifierError. */
  verify(token: string): Promise<Claims>;
}

const freshMs = 5 * 60_000;
const staleMs = 60 * 60_000;
/** However many unknown keys are named, the server is asked once in this time. */
const unknownGapMs = 60_000;
/** After a failure, the next attempt is this much later. */
const failureGapMs = 5_000;
const timeoutMs = 5_000;
const maxTokenLength = 16 * 1024;
/** Seconds by which the server's clock may be ahead when it writes `iat`. */
const aheadSeconds = 60;

/** `none` and HS* are missing on purpose: with HS*, whoever knows the public key could sign. */
const algorithms: Readonly<Record<string, { readonly name: string; readonly [parameter: string]: string }>> =
  {
    ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
    RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    EdDSA: { name: 'Ed25519' },
  };

/** As in the key set; each member may be missing or of any type. */
interface PublishedKey {
  readonly [member: string]: unknown;
  /** The imported key, once it was used. */
  imported?: Promise<CryptoKey>;
}

function failure(code: VerifierError['code'], message: string, cause?: InvalidCause): VerifierError {
  const error = new Error(message) as VerifierError;
  return Object.assign(error, { name: 'VerifierError', code }, cause && { cause });
}

const refused = (cause: InvalidCause) =>
  failure('TOKEN_INVALID', `The access token is refused: ${cause}.`, cause);

/**
 * Keeps the server's public keys for 5 minutes, and for up to an hour while the server cannot be reached.
 * @example
 * const { verify } = createVerifier({ url: 'https://trivet.example' });
 * const { sub } = await verify(request.headers.authorization.slice('Bearer '.length));
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { audience, clockTolerance = 0 } = options;
  const now = options.now || (() => Date.now());
  const url = options.url.replace(/\/+$/, '');
  const issuer = options.issuer || url;
  // Not the clock of the machine: set back by an hour, it would keep for an hour what a failure said.
  const uptime = options.uptime || (() => performance.now());
  const keyFor = publishedKeys(url, uptime, options.fetch || ((from, init) => globalThis.fetch(from, init)));

  return {
    verify: async (token) => {
      const { header, claims, signed, signature } = partsOf(token);
      if (header['typ'] !== 'at+jwt') throw refused('type');
      const algorithm = own(algorithms, header['alg']);
      if (!algorithm || 'crit' in header) throw refused('algorithm');
      const key = await keyFor(header['kid']);
      // The algorithm of the key decides, never that of the header alone.
      if (!key || key.alg !== header['alg']) throw refused('key');
      const { subtle } = globalThis.crypto;
      key.imported = key.imported || subtle.importKey('jwk', withoutUses(key), algorithm, false, ['verify']);
      const good = await key.imported
        .then((imported) => subtle.verify(algorithm, imported, signature, signed))
        .catch(() => false);
      if (!good) throw refused('signature');
      return checked(claims, now() / 1000);
    },
  };

  function checked(claims: Record<string, unknown>, seconds: number): Claims {
    const { iss, aud, exp, iat, nbf = 0 } = claims;
    if (iss !== issuer) throw refused('issuer');
    const isText = (name: string) => typeof claims[name] === 'string' && claims[name] !== '';
    if (![exp, iat, nbf].every((time) => Number.isFinite(time)) || !['sub', 'sid', 'jti'].every(isText)) {
      throw refused('claims');
    }
    if (Number(exp) <= seconds - clockTolerance) {
      throw failure('TOKEN_EXPIRED', 'The access token has expired.');
    }
    if (Number(iat) > seconds + aheadSeconds || Number(nbf) > seconds + clockTolerance) {
      throw refused('not_yet');
    }
    if (audience !== undefined && !listOf(audience).some((one) => listOf(aud).includes(one))) {
      throw refused('audience');
    }
    return claims as Claims;
  }
}

/** The public keys of the server by `kid`; undefined for a key that it does not have. */
function publishedKeys(
  url: string,
  uptime: () => number,
  fetch: NonNullable<VerifierOptions['fetch']>,
): (kid: unknown) => Promise<PublishedKey | undefined> {
  let keys: readonly PublishedKey[] | undefined;
  let fetchedAt = -Infinity;
  let failedAt = -Infinity;
  let unknownAt = -Infinity;
  let flight: Promise<void> | undefined;

  const load = async () => {
    try {
      const answer = await fetch(`${url}/.well-known/jwks.json`, { signal: AbortSignal.timeout(timeoutMs) });
      const body = answer.ok && ((await answer.json()) as { keys?: unknown } | null);
      if (!body || !Array.isArray(body.keys)) throw new Error('no keys');
      keys = body.keys as PublishedKey[];
      fetchedAt = uptime();
      failedAt = -Infinity;
    } catch {
      failedAt = uptime();
    }
    flight = undefined;
  };
  const refresh = async () => {
    if (flight || uptime() - failedAt >= failureGapMs) await (flight = flight || load());
  };
  const find = (kid: unknown) => keys && keys.find((key) => key.kid === kid);

  return async (kid) => {
    if (typeof kid !== 'string') return undefined;
    const before = fetchedAt;
    if (uptime() - fetchedAt >= freshMs) await refresh();
    const isKnown = uptime() - fetchedAt < staleMs;
    let found = find(kid);
    if (isKnown && !found && fetchedAt === before && uptime() - unknownAt >= unknownGapMs) {
      await refresh();
      if (failedAt === -Infinity) unknownAt = uptime();
      found = find(kid);
    }
    if (!isKnown || (!found && failedAt !== -Infinity)) {
      throw failure('KEYS_UNAVAILABLE', `The public keys of ${url} cannot be had.`);
    }
    return found;
  };
}

/** WebCrypto refuses a key whose `use` or `key_ops` it does not expect. */
const withoutUses = ({ kty, crv, x, y, n, e }: PublishedKey): object =>
  JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as object;

/** A well-formed token, unverified. Each value has one spelling in base64url, so that no list of refused tokens can be bypassed. */
function partsOf(token: string) {
  try {
    const parts = token.length <= maxTokenLength ? token.split('.') : [];
    if (parts.length !== 3) throw refused('form');
    const [header, claims, signature] = parts.map(bytesOf) as [Bytes, Bytes, Bytes];
    const signed = new TextEncoder().encode(token.slice(0, token.lastIndexOf('.')));
    return { header: objectOf(header), claims: objectOf(claims), signature, signed };
  } catch {
    throw refused('form');
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

function bytesOf(part: string): Bytes {
  const binary = atob(part.replace(/-/g, '+').replace(/_/g, '/'));
  const spelling = btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  if (part === '' || spelling !== part) throw refused('form');
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function objectOf(bytes: Bytes): Record<string, unknown> {
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (typeof value !== 'object' || !value || Array.isArray(value)) throw refused('form');
  return value as Record<string, unknown>;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const own = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === 'string' && Object.prototype.hasOwnProperty.call(table, name) ? table[name] : undefined;
