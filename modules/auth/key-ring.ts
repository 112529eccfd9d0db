import { eq } from 'drizzle-orm';
import { createCipheriv, createDecipheriv } from 'node:crypto';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import { perHost, type Host } from '../../core/host.ts';
import { deny } from './errors.ts';
import { deriveKey } from './master-key.ts';
import { signingKeys } from './schema.ts';

/** The algorithm of our own signatures. */
const algorithm = 'ES256';

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
}

export interface KeyRing {
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

/** A key that another process made is found after at most this long, and a forged kid costs one read per this long. */
const reloadAfterMs = 5_000;

/** The signing keys of this database, in memory and read again when a kid is unknown. */
export const keyRing = perHost((host): KeyRing => {
  let loading: Promise<Loaded> | undefined;
  const reload = () => {
    const attempt = load(host);
    loading = attempt;
    // A failure is not remembered: the next request tries again.
    attempt.catch(() => {
      if (loading === attempt) loading = undefined;
    });
    return attempt;
  };
  const loaded = () => loading ?? reload();

  return {
    active: async () => {
      const { signing } = await loaded();
      if (signing) return signing;
      await createFirstKey(host);
      const again = (await reload()).signing;
      if (!again) throw new Error('the signing key was not stored');
      return again;
    },
    verifying: async (kid) => {
      const known = await loaded();
      const key = known.verifying.get(kid);
      if (key || host.clock.now() - known.loadedAt < reloadAfterMs) return key ?? null;
      return (await reload()).verifying.get(kid) ?? null;
    },
    published: async () => ({ keys: (await loaded()).published }),
  };
});

async function load(host: Host): Promise<Loaded> {
  const rows = await host.db.q.select().from(signingKeys);
  const verifying = new Map<string, { algorithm: string; publicKey: CryptoKey }>();
  let signing: SigningKey | null = null;
  for (const row of rows) {
    verifying.set(row.kid, {
      algorithm: row.algorithm,
      publicKey: await imported(row.publicJwk, row.algorithm),
    });
    if (row.status === 'active') {
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

/** Makes the first key; of several processes that find none, one stores its own and the others use that. */
async function createFirstKey(host: Host): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const privateJwk = JSON.stringify(await exportJWK(privateKey));
  const kid = await calculateJwkThumbprint(publicJwk);
  const privateWrapped = wrap(host, kid, privateJwk);
  await host.db.tx(async (q) => {
    const [known] = await q
      .select({ kid: signingKeys.kid })
      .from(signingKeys)
      .where(eq(signingKeys.status, 'active'));
    if (known) return;
    await q.insert(signingKeys).values({
      kid,
      algorithm,
      publicJwk: publicJwk as Record<string, unknown>,
      privateWrapped,
      status: 'active',
      createdAt: host.clock.now(),
    });
  });
}

/** AES-256-GCM under the master key; the kid is bound in, so that no wrapped key can stand in for another. */
function wrap(host: Host, kid: string, text: string): string {
  const iv = host.random(12);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(host)('signing keys'), iv).setAAD(Buffer.from(kid));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

function unwrap(host: Host, kid: string, wrapped: string): string {
  const bytes = Buffer.from(wrapped, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(host)('signing keys'), bytes.subarray(0, 12))
    .setAAD(Buffer.from(kid))
    .setAuthTag(bytes.subarray(12, 28));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch {
    throw deny.KEYS_UNREADABLE('The master key does not open the signing keys of this database.');
  }
}
