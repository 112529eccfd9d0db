import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import { ageMs } from '../../../core/base/clock.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { authSettings } from '../base/settings.ts';
import { rotationPlan, type KeyAge, type RotationPlan, type RotationPolicy } from './key-rotation.ts';
import { deleteKey, insertKey, readKeys, writeKeyStatus, type SigningKeyRow } from './key-store.ts';
import { unwrap, wrap } from './wrapped-key.ts';

interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
}

interface VerifyingKey {
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
}

interface KeyRing {
  /** The key that signs now; created if none exists. */
  active(): Promise<SigningKey>;
  /** The key that verifies one of our signatures; null for an unknown kid. */
  verifying(kid: string): Promise<VerifyingKey | null>;
  /** The public keys, for `/.well-known/jwks.json`. */
  published(): Promise<{ readonly keys: readonly JWK[] }>;
}

interface Loaded {
  readonly signing: SigningKey | null;
  readonly verifying: ReadonlyMap<string, VerifyingKey>;
  readonly published: readonly JWK[];
  readonly loadedAt: number;
}

/** How long this process may use a key after another process retired it, or dropped it because it leaked. */
const freshMs = 5_000;

/** The signing keys of this database, kept in memory. They are read again when a kid is unknown. */
export const keyRing = perHost((host): KeyRing => {
  let known: Loaded | undefined;
  let reading: Promise<Loaded> | undefined;
  let next: Promise<Loaded> | undefined;
  const read = () =>
    (reading = load(host, known)
      .then((loaded) => (known = loaded))
      .finally(() => (reading = undefined)));
  /**
   * Reads the keys, from after this call on, so that it sees everything stored before it. Concurrent callers share one read. A
   * forged kid costs one read; a good one costs the read of its session.
   */
  const reload = (): Promise<Loaded> => {
    if (!reading) return read();
    const after = () => {
      next = undefined;
      return read();
    };
    return (next ??= reading.then(after, after));
  };
  const current = async () =>
    known && ageMs(host.clock.now(), known.loadedAt) < freshMs ? known : (reading ?? reload());

  return {
    active: async () => {
      const { signing } = await current();
      if (signing) return signing;
      await rotateKeys(host);
      const again = (await reload()).signing;
      if (!again) throw new Error('the signing key was not stored');
      return again;
    },
    verifying: async (kid) =>
      (await current()).verifying.get(kid) ?? (await reload()).verifying.get(kid) ?? null,
    published: async () => ({ keys: (await atOnce(current(), known)).published }),
  };
});

/** How long services that verify our tokens wait for the public keys of a database that is hung or locked. */
const patienceMs = 1_000;

/** The keys as read, or as known when the read fails or takes long. While the database cannot be read, nobody can change them. */
async function atOnce(reading: Promise<Loaded>, known: Loaded | undefined): Promise<Loaded> {
  if (!known) return reading;
  const late = Promise.withResolvers<Loaded>();
  const timer = setTimeout(() => late.resolve(known), patienceMs);
  try {
    return await Promise.race([reading, late.promise]);
  } catch {
    return known;
  } finally {
    clearTimeout(timer);
  }
}

/** Known keys are not imported again. */
async function load(host: Host, before: Loaded | undefined): Promise<Loaded> {
  const rows = await readKeys(host.db.q);
  const verifying = new Map<string, VerifyingKey>();
  let signing: SigningKey | null = null;
  for (const row of rows) {
    const publicKey =
      before?.verifying.get(row.kid)?.publicKey ?? (await imported(row.publicJwk, row.algorithm));
    verifying.set(row.kid, { algorithm: row.algorithm, publicKey });
    if (row.status === 'active' && before?.signing?.kid === row.kid) signing = before.signing;
    else if (row.status === 'active') {
      const jwk = JSON.parse(unwrap(host, row.kid, row.privateWrapped)) as JWK;
      signing = { kid: row.kid, algorithm: row.algorithm, privateKey: await imported(jwk, row.algorithm) };
    }
  }
  const published = rows.map(
    (row) => ({ ...row.publicJwk, kid: row.kid, alg: row.algorithm, use: 'sig' }) as JWK,
  );
  return { signing, verifying, published, loadedAt: host.clock.now() };
}

async function imported(jwk: JWK, alg: string): Promise<CryptoKey> {
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array) throw new Error('a signing key is not symmetric');
  return key;
}

/** A key pair, not stored yet. Its private key is wrapped. */
async function newKey(host: Host) {
  const algorithm = host.config.read(authSettings)['signing-algorithm'];
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const privateWrapped = wrap(host, kid, JSON.stringify(await exportJWK(privateKey)));
  return { kid, algorithm, publicJwk: publicJwk as Record<string, unknown>, privateWrapped };
}

const hour = 60 * 60 * 1000;

/** The intervals of the rotation, from the settings. */
export function rotationPolicy(host: Host): RotationPolicy {
  const settings = host.config.read(authSettings);
  return {
    everyMs: settings['key-rotation'] * 1000,
    aheadMs: 24 * hour,
    // An hour more: another process may sign with a retired key until it reads the keys again.
    tokenMs: Math.max(settings['access-ttl'], settings['id-token-ttl']) * 1000 + hour,
  };
}

export const keyAgeOf = ({ kid, status, createdAt, statusSince }: SigningKeyRow): KeyAge => ({
  kid,
  status,
  since: statusSince ?? createdAt,
});

/**
 * Carries out the {@link rotationPlan}, once even if several processes call this at the same time.
 * @param drop the kid of a key to delete at once, even if its tokens are live. An active key is replaced; an unknown kid is ignored.
 * @returns what was done.
 */
export async function rotateKeys(
  host: Host,
  asked: 'soon' | 'now' | null = null,
  drop: string | null = null,
): Promise<RotationPlan> {
  const policy = rotationPolicy(host);
  const planned = async (q: Query, now: number) => {
    const rows = await readKeys(q);
    const keys = rows.filter(({ kid }) => kid !== drop).map(keyAgeOf);
    const plan = rotationPlan(keys, policy, now, asked);
    // If the master key cannot open a key, a new or activated key would leave no usable signing key, now or a day later.
    if (plan.make || plan.activate) {
      for (const { kid, status, privateWrapped } of rows)
        if (kid !== drop && status !== 'retired') unwrap(host, kid, privateWrapped);
    }
    return drop !== null && rows.length > keys.length ? { ...plan, drop: [...plan.drop, drop] } : plan;
  };
  // Created before the transaction, which must not wait for an RSA key. Unused if another process was faster.
  const fresh = (await planned(host.db.q, host.clock.now())).make ? await newKey(host) : null;
  return host.db.tx(
    async (q) => {
      const now = host.clock.now();
      const plan = await planned(q, now);
      for (const kid of plan.drop) await deleteKey(q, kid);
      if (plan.make && !fresh) return { make: null, activate: null, retire: [], drop: plan.drop };
      for (const kid of plan.retire) await writeKeyStatus(q, kid, 'retired', now);
      if (plan.activate !== null) await writeKeyStatus(q, plan.activate, 'active', now);
      if (plan.make && fresh) await insertKey(q, { ...fresh, status: plan.make, createdAt: now });
      if (plan.make || plan.activate || plan.drop.length > 0) {
        const cause = plan.make ?? (plan.activate ? 'activated' : 'dropped');
        await writeAuditEntry(q, now, { event: 'key_rotated', cause });
      }
      return plan;
    },
    { serializable: 'one key signs, and one is next' },
  );
}
