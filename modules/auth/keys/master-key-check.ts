import { UsageError, Fault } from '../../../core/errors.ts';
import { asc, eq, ne } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import type { Host } from '../../../core/host.ts';
import { deny } from '../errors.ts';
import { deriveKey, hasMasterKey } from './master-key.ts';
import { masterKeyChecks, signingKeys } from '../schema.ts';
import { unwrap } from './wrapped-key.ts';

/*
 * A server with another master key than that of its database would sign nobody in, and make what the right one cannot open. So the
 * database keeps a fingerprint of its key, and a server compares it before it listens.
 */
const only = 1;

/** Derived one way from 256 random bits: it tells nothing of the key. */
const fingerprintOf = (host: Host) => Buffer.from(deriveKey(host)('fingerprint')).toString('hex');

const kept = async (q: Query) =>
  (await q.select().from(masterKeyChecks).where(eq(masterKeyChecks.id, only)))[0]?.fingerprint;

const wrong = () => deny.KEYS_UNREADABLE('The master key is not the one that this database was made with.');

/**
 * Compares the master key of this process with that of the database; a database that has none takes this one.
 * @throws Fault KEYS_UNREADABLE when it is another one, or missing; UsageError when it is malformed or others can read it.
 */
export async function checkMasterKey(host: Host): Promise<void> {
  const { q } = host.db;
  const known = await kept(q);
  const keys = await q
    .select()
    .from(signingKeys)
    .where(ne(signingKeys.status, 'retired'))
    .orderBy(asc(signingKeys.createdAt));
  // Nothing is made here: a new key of its own would only hide what is missing.
  if ((known !== undefined || keys.length > 0) && !hasMasterKey(host)) {
    throw deny.KEYS_UNREADABLE('This database was made with a master key that this process does not have.');
  }
  const own = fingerprintOf(host);
  if (known !== undefined) {
    if (known !== own) throw wrong();
    return;
  }
  // A database of version 0.1 has no fingerprint: the key that opens what is stored is the right one.
  for (const { kid, privateWrapped } of keys) unwrap(host, kid, privateWrapped);
  await keep(host, own);
  // Another process may have been first, with another key.
  if ((await kept(q)) !== own) throw wrong();
}

/** The same for a command. @throws UsageError with the remedy. */
export async function requireMasterKey(host: Host): Promise<void> {
  try {
    await checkMasterKey(host);
  } catch (error) {
    throw error instanceof Fault ? new UsageError(`${error.message} ${error.tip}`) : error;
  }
}

const keep = (host: Host, fingerprint: string) =>
  host.db.tx(async (q) => {
    await q
      .insert(masterKeyChecks)
      .values({ id: only, fingerprint, createdAt: host.clock.now() })
      .onConflictDoNothing();
  });

/** After the keys that a lost master key wrapped were dropped: this process's own is that of the database from now on. */
export async function adoptMasterKey(host: Host): Promise<void> {
  const fingerprint = fingerprintOf(host);
  await host.db.tx(async (q) => {
    const keys = await q.select().from(signingKeys).where(ne(signingKeys.status, 'retired'));
    for (const { kid, privateWrapped } of keys) unwrap(host, kid, privateWrapped);
    await q
      .insert(masterKeyChecks)
      .values({ id: only, fingerprint, createdAt: host.clock.now() })
      .onConflictDoUpdate({ target: masterKeyChecks.id, set: { fingerprint } });
  });
}
