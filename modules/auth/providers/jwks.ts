import { isLoopback } from '../../../core/loopback.ts';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import type { Clock } from '../../../core/clock.ts';
import { refuseInsideTx } from '../../../core/db/db.ts';
import { errorFields, type Log } from '../../../core/log.ts';
import { fail } from '../errors.ts';

/** Bounds on what a provider's endpoint may cost us. Milliseconds and bytes. */
const jwksLimits = {
  freshMs: 10 * 60_000,
  staleMs: 24 * 60 * 60_000,
  /** 1,000 made-up kids cause one request per this long. */
  refetchGapMs: 10_000,
  timeoutMs: 3_000,
  maximumBytes: 256 * 1024,
} as const;

/** Finds the key that a token's header names. */
export interface KeySource {
  /** null when the provider has no such key. @throws Fault ID_PROVIDER_UNAVAILABLE when its keys cannot be had. */
  find(header: { readonly kid: string | undefined; readonly alg: string }): Promise<CryptoKey | null>;
}

/** A key set as it was fetched at a time (epoch ms). */
interface Fetched {
  readonly keys: readonly JWK[];
  readonly at: number;
}

/** Where a provider publishes its keys; without `jwksUri`, where its discovery document says. */
export interface KeyPlace {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
}

/** Where the last good key set outlives this process. */
export interface KeptKeys {
  load(): Promise<Fetched | undefined>;
  save(fetched: Fetched): Promise<void>;
}

/**
 * The keys of an OpenID provider: discovered from its issuer, cached, fetched by one request at a time, refetched when a
 * token names a key that is not there yet (the provider rotated), and used stale while the provider is down.
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
        const uri = jwksUri ?? (await fetchDiscovery(issuer)).jwks_uri;
        const keys = await fetchKeySet(uri);
        // An answer without a usable key is an outage of status 200: it must not take the place of good keys.
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
    const age = cache ? clock.now() - cache.at : Infinity;
    if (cache && age <= jwksLimits.freshMs) return cache;
    const mayTry = inFlight !== undefined || clock.now() - lastAttempt >= jwksLimits.refetchGapMs;
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
    const found = choose(keys, kid, alg);
    if (found) return importOnce(found, alg);
    if (clock.now() - lastAttempt < jwksLimits.refetchGapMs && !inFlight) return null;
    const again = choose((await refresh())?.keys ?? [], kid, alg);
    return again ? importOnce(again, alg) : null;
  };
  return { find };
}

const keyTypes: Readonly<Record<string, string>> = { RS: 'RSA', PS: 'RSA', ES: 'EC', Ed: 'OKP' };

const fits = (key: JWK, alg: string) =>
  key.kty === keyTypes[alg.slice(0, 2)] &&
  (key.use === undefined || key.use === 'sig') &&
  (key.alg === undefined || key.alg === alg);

/** Whether a set has a key that can verify a signature of these algorithms. */
async function hasUsableKey(keys: readonly JWK[], algorithms: readonly string[]): Promise<boolean> {
  for (const alg of algorithms) {
    // A set of thousands of odd keys must not cost thousands of imports.
    for (const key of keys.filter((one) => fits(one, alg)).slice(0, 50))
      if (await importKey(key, alg)) return true;
  }
  return false;
}

/** The one key that fits: by kid; without kid only if a single key can have made this signature. */
export function choose(keys: readonly JWK[], kid: string | undefined, alg: string): JWK | null {
  const fitting = keys.filter((key) => fits(key, alg) && (kid === undefined || key.kid === kid));
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** A key that the library refuses (too short, odd curve) is as good as none. */
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

/** Where the discovery document of an issuer is (OpenID Connect Discovery §4). */
export const discoveryUrl = (issuer: string) =>
  `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}/.well-known/openid-configuration`;

/** The discovery document of an issuer. @throws Error saying what is wrong with it. */
async function fetchDiscovery(
  issuer: string,
): Promise<Readonly<Record<string, unknown>> & { readonly jwks_uri: string }> {
  const document = await fetchObject(discoveryUrl(issuer));
  // OpenID Connect Discovery §4.3: a document that names somebody else is somebody else's.
  if (document['issuer'] !== issuer) throw new Error('discovery names another issuer');
  const uri = document['jwks_uri'];
  if (typeof uri !== 'string') throw new Error('discovery names no jwks_uri');
  if (!isKeysUrl(uri, issuer)) throw new Error('discovery names a jwks_uri that is not fetched');
  return { ...document, jwks_uri: uri };
}

/** The public keys of a published set; which one a token gets, {@link choose} decides. @throws Error saying what is wrong. */
export async function fetchKeySet(uri: string): Promise<readonly JWK[]> {
  const { keys } = await fetchObject(uri);
  if (!Array.isArray(keys)) throw new Error('the provider answered no key set');
  return keys.filter(isPublicKey);
}

/** A private or symmetric key that a provider publishes by mistake signs nobody in, and must not be kept here as well. */
const isPublicKey = (key: unknown): key is JWK =>
  typeof key === 'object' && key !== null && !Array.isArray(key) && !('d' in key) && !('k' in key);

/** Whether an address of a provider may be fetched: https, or plain http on this machine, without credentials in it. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/**
 * Whether the keys of an issuer may be fetched from an address that its discovery document names. Only an issuer on this
 * machine may name one on this machine: any other could make us call services that listen for local programs alone.
 */
export const isKeysUrl = (uri: string, issuer: string): boolean =>
  isSecureUrl(uri) && (isLoopback(new URL(issuer).hostname) || !isLoopback(new URL(uri).hostname));

/**
 * A JSON object of a provider, within {@link jwksLimits}, no redirect followed. @throws Error saying why there is none.
 */
export async function fetchObject(url: string): Promise<Record<string, unknown>> {
  refuseInsideTx('fetch');
  if (!isSecureUrl(url)) throw new Error('an address of the provider is not https');
  const response = await fetch(url, {
    // A redirect could lead to any address inside the network of this machine.
    redirect: 'manual',
    signal: AbortSignal.timeout(jwksLimits.timeoutMs),
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`the provider answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > jwksLimits.maximumBytes) throw new Error('the provider answered too much');
    chunks.push(chunk);
  }
  const value = jsonOf(Buffer.concat(chunks).toString('utf8'));
  if (typeof value !== 'object' || value === null) throw new Error('the provider answered no object');
  return value as Record<string, unknown>;
}

/** The parser's own message would quote what was answered, and this one is logged. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the provider answered no JSON');
  }
}
