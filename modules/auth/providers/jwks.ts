import { importJWK, type CryptoKey, type JWK } from 'jose';
import { ageMs, type Clock } from '../../../core/base/clock.ts';
import { refuseInsideTx } from '../../../core/db/query/db.ts';
import { errorFields, type Log } from '../../../core/base/log.ts';
import { isLoopback } from '../../../core/base/loopback.ts';
import { fail } from '../base/errors.ts';
import { fetchForeign, readForeign } from './foreign-response.ts';

/** Limits on the cost of a provider's endpoint. Milliseconds and bytes. */
const jwksLimits = {
  freshMs: 10 * 60_000,
  staleMs: 24 * 60 * 60_000,
  /** Even 1,000 forged kids cause only one request in this time. */
  refetchGapMs: 10_000,
  timeoutMs: 3_000,
  maxBytes: 256 * 1024,
} as const;

export interface KeySource {
  /** The key that a token's header names; null when the provider has no such key. @throws Fault ID_PROVIDER_UNAVAILABLE. */
  find(header: { readonly kid: string | undefined; readonly alg: string }): Promise<CryptoKey | null>;
}

/** A key set and when it was fetched (epoch ms). */
interface Fetched {
  readonly keys: readonly JWK[];
  readonly at: number;
}

/** Where a provider publishes its keys: at `jwksUri`, or where the discovery document of its issuer says. */
export interface KeyPlace {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
}

/** Stores the last good key set, so that it outlives this process. */
export interface KeptKeys {
  load(): Promise<Fetched | undefined>;
  save(fetched: Fetched): Promise<void>;
}

/**
 * The keys of an OpenID provider. They are cached and fetched by one request at a time, again when a token names an unknown key
 * (the provider rotated its keys). While the provider is down, stale keys are used.
 */
export function remoteKeys(
  { issuer, jwksUri, algorithms }: KeyPlace & { readonly algorithms: readonly string[] },
  { clock, log, kept }: { readonly clock: Clock; readonly log: Log; readonly kept: KeptKeys },
): KeySource {
  let cache: Fetched | undefined;
  let lastAttempt = -Infinity;
  let inFlight: Promise<Fetched | undefined> | undefined;
  const imported = new WeakMap<JWK, Map<string, Promise<CryptoKey | null>>>();

  const refresh = () =>
    (inFlight ??= (async () => {
      lastAttempt = clock.now();
      try {
        const keys = await fetchKeySet(jwksUri ?? (await discoveredUri(issuer)));
        // A response 200 without a usable key is an outage: it must not replace good keys.
        const usableNow = await hasUsableKey(keys, algorithms);
        if (!usableNow && (cache ??= await kept.load()))
          throw new Error('the provider answered no usable key');
        cache = { keys, at: clock.now() };
        if (usableNow)
          await kept.save(cache).catch((error: unknown) => log.warn('jwks_not_kept', errorFields(error)));
      } catch (error) {
        log.warn('jwks_unavailable', { issuer, cause: error instanceof Error ? error.message : 'unknown' });
        cache ??= await kept.load();
      } finally {
        inFlight = undefined;
      }
      return cache;
    })());

  const usable = async (): Promise<Fetched> => {
    if (cache && ageMs(clock.now(), cache.at) <= jwksLimits.freshMs) return cache;
    const mayTry = inFlight !== undefined || ageMs(clock.now(), lastAttempt) >= jwksLimits.refetchGapMs;
    const fetched = mayTry ? await refresh() : cache;
    if (fetched && clock.now() - fetched.at <= jwksLimits.staleMs) return fetched;
    throw fail.ID_PROVIDER_UNAVAILABLE('The keys of the identity provider cannot be had.', {
      retryAfter: 10,
    });
  };

  const importOnce = (jwk: JWK, alg: string) => {
    const byAlgorithm = imported.get(jwk) ?? new Map<string, Promise<CryptoKey | null>>();
    imported.set(jwk, byAlgorithm);
    const known = byAlgorithm.get(alg) ?? importKey(jwk, alg);
    byAlgorithm.set(alg, known);
    return known;
  };

  const find: KeySource['find'] = async ({ kid, alg }) => {
    const { keys } = await usable();
    const found = chooseKey(keys, kid, alg);
    if (found) return importOnce(found, alg);
    if (ageMs(clock.now(), lastAttempt) < jwksLimits.refetchGapMs && !inFlight) return null;
    const again = chooseKey((await refresh())?.keys ?? [], kid, alg);
    return again ? importOnce(again, alg) : null;
  };
  return { find };
}

const keyTypes: Readonly<Record<string, string>> = { RS: 'RSA', PS: 'RSA', ES: 'EC', Ed: 'OKP' };

const fits = (key: JWK, alg: string) =>
  key.kty === keyTypes[alg.slice(0, 2)] &&
  (key.use === undefined || key.use === 'sig') &&
  (key.alg === undefined || key.alg === alg);

/** Whether a set has a key that can verify signatures of one of these algorithms. */
async function hasUsableKey(keys: readonly JWK[], algorithms: readonly string[]): Promise<boolean> {
  for (const alg of algorithms) {
    // A set of thousands of invalid keys must not cost thousands of imports.
    for (const key of keys.filter((one) => fits(one, alg)).slice(0, 50))
      if (await importKey(key, alg)) return true;
  }
  return false;
}

/** The key with this kid; without kid, the only key that fits the algorithm. null if there is none or more than one. */
export function chooseKey(keys: readonly JWK[], kid: string | undefined, alg: string): JWK | null {
  const fitting = keys.filter((key) => fits(key, alg) && (kid === undefined || key.kid === kid));
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** null for a key that the library rejects (unknown curve), that is not public or too short. */
export async function importKey(jwk: JWK, alg: string): Promise<CryptoKey | null> {
  try {
    const key = await importJWK(jwk, alg);
    if (key instanceof Uint8Array || key.type !== 'public') return null;
    // RFC 7518 §3.3: 2048 bits or more.
    const { modulusLength } = key.algorithm as { modulusLength?: number };
    return modulusLength !== undefined && modulusLength < 2048 ? null : key;
  } catch {
    return null;
  }
}

/** The URL of an issuer's discovery document (OpenID Connect Discovery §4). */
export const discoveryUrl = (issuer: string) =>
  `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}/.well-known/openid-configuration`;

/** The `jwks_uri` of an issuer's discovery document. @throws Error with the cause in its message. */
async function discoveredUri(issuer: string): Promise<string> {
  const { issuer: named, jwks_uri: uri } = await fetchObject(discoveryUrl(issuer));
  // OpenID Connect Discovery §4.3: a document that names another issuer belongs to that issuer.
  if (named !== issuer) throw new Error('discovery names another issuer');
  if (typeof uri !== 'string') throw new Error('discovery names no jwks_uri');
  if (!isKeysUrl(uri, issuer)) throw new Error('discovery names a jwks_uri that is not fetched');
  return uri;
}

/** The public keys of a published set; {@link chooseKey} selects among them. @throws Error with the cause in its message. */
export async function fetchKeySet(uri: string): Promise<readonly JWK[]> {
  const { keys } = await fetchObject(uri);
  if (!Array.isArray(keys)) throw new Error('the provider answered no key set');
  return keys.filter(isPublicKey);
}

/** A private or symmetric key that a provider publishes by mistake must neither verify a token nor be stored. */
const isPublicKey = (key: unknown): key is JWK =>
  typeof key === 'object' && key !== null && !Array.isArray(key) && !('d' in key) && !('k' in key);

/** Whether a provider's URL may be fetched: https, or plain http to the local machine, without credentials in it. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/**
 * Whether the keys of an issuer may be fetched from a URL in its discovery document. Only an issuer on the local machine may name a
 * URL on the local machine: any other could make Trivet call services that are only for local programs.
 */
export const isKeysUrl = (uri: string, issuer: string): boolean =>
  isSecureUrl(uri) && (isLoopback(new URL(issuer).hostname) || !isLoopback(new URL(uri).hostname));

/** Fetches a JSON object of a provider within {@link jwksLimits}. @throws Error with the cause in its message. */
export async function fetchObject(url: string): Promise<Record<string, unknown>> {
  refuseInsideTx('fetch');
  if (!isSecureUrl(url)) throw new Error('an address of the provider is not https');
  const response = await fetchForeign(url, {
    signal: AbortSignal.timeout(jwksLimits.timeoutMs),
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`the provider answered ${response.status}`);
  const value = jsonOf((await readForeign(response, jwksLimits.maxBytes)).toString('utf8'));
  if (typeof value !== 'object' || value === null) throw new Error('the provider answered no object');
  return value as Record<string, unknown>;
}

/** The parser's message would quote the response, and the message is logged. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the provider answered no JSON');
  }
}
