import { deleteKey, insertKey, readKeys, writeKeyStatus } from './key-store.ts';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import { perHost, type Host } from '../../../core/host.ts';
import type { Query } from '../../../core/db/db.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { rotationPlan, type RotationPlan } from './key-rotation.ts';
import { authSettings } from '../settings.ts';
import { unwrap, wrap } from './wrapped-key.ts';

interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
}

interface KeyRing {
  /** The key that signs now; made when there is none yet. */
  active(): Promise<SigningKey>;
  /** The key that verifies a signature of ours, or null when no such key is known. */
  verifying(kid: string): Promise<{ readonly algorithm: string; readonly publicKey: CryptoKey } | null>;
  /** The public keys, for `/.well-known/jwks.json`. */
  published(): Promise<{ readonly keys: readonly JWK[] }>;
}

interface Loaded {
  readonly signing: SigningKey | null;
  readonly verifying: ReadonlyMap<string, { readonly algorithm: string; readonly publicKey: CryptoKey }>;
  readonly published: readonly JWK[];
  readonly loadedAt: number;
}

/** How long this process uses what it has read when another one has retired a key, or dropped one that leaked. */
const freshMs = 5_000;

/** The signing keys of this database, in memory and read again when a kid is unknown. */
export const keyRing = perHost((host): KeyRing => {
  let known: Loaded | undefined;
  let reading: Promise<Loaded> | undefined;
  let next: Promise<Loaded> | undefined;
  const read = () =>
    (reading = load(host, known)
      .then((loaded) => (known = loaded))
      .finally(() => (reading = undefined)));
  /**
   * A reading that begins after this call, so that it sees what was stored before; whoever asks meanwhile shares it. A
   * forged kid costs one, as a good one costs the reading of its session.
   */
  const reload = (): Promise<Loaded> => {
    if (!reading) return read();
    const after = () => {
      next = undefined;
      return read();
    };
    return (next ??= reading.then(after, after));
  };
  /** What is in memory, read again when it is so old that another process may have rotated the keys. */
  const current = async () =>
    known && host.clock.now() - known.loadedAt < freshMs ? known : (reading ?? reload());

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
    published: async () => ({ keys: (await current()).published }),
  };
});

/** Keys that were known before are not imported again. */
async function load(host: Host, before: Loaded | undefined): Promise<Loaded> {
  const rows = await readKeys(host.db.q);
  const verifying = new Map<string, { algorithm: string; publicKey: CryptoKey }>();
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

/** A key pair that is not stored yet, its private half wrapped. */
async function newKey(host: Host) {
  const algorithm = host.config.read(authSettings)['signing-algorithm'];
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const privateWrapped = wrap(host, kid, JSON.stringify(await exportJWK(privateKey)));
  return { kid, algorithm, publicJwk: publicJwk as Record<string, unknown>, privateWrapped };
}

const hour = 60 * 60 * 1000;

/**
 * Carries out the {@link rotationPlan}; of several processes at once, one does it and the others find it done.
 * @param drop a key to delete at once, even if its tokens are live; the active one is replaced. An unknown one is ignored.
 * @returns what was done.
 */
export async function rotateKeys(
  host: Host,
  asked: 'soon' | 'now' | null = null,
  drop: string | null = null,
): Promise<RotationPlan> {
  const settings = host.config.read(authSettings);
  const policy = {
    everyMs: settings['key-rotation'] * 1000,
    aheadMs: 24 * hour,
    // An hour more: another process may go on signing with a retired key until it looks again.
    tokenMs: Math.max(settings['access-ttl'], settings['id-token-ttl']) * 1000 + hour,
  };
  const planned = async (q: Query, now: number) => {
    const rows = await readKeys(q);
    const keys = rows
      .filter(({ kid }) => kid !== drop)
      .map(({ kid, status, createdAt, statusSince }) => ({ kid, status, since: statusSince ?? createdAt }));
    const plan = rotationPlan(keys, policy, now, asked);
    // A key made or put to use beside one that does not open would leave nobody able to sign, at once or a day later.
    if (plan.make || plan.activate) {
      for (const { kid, status, privateWrapped } of rows)
        if (kid !== drop && status !== 'retired') unwrap(host, kid, privateWrapped);
    }
    return drop !== null && rows.length > keys.length ? { ...plan, drop: [...plan.drop, drop] } : plan;
  };
  // Made before the transaction, which must not wait for an RSA key; not used if another process was faster.
  const fresh = (await planned(host.db.q, host.clock.now())).make ? await newKey(host) : null;
  return host.db.tx(async (q) => {
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
  });
}
