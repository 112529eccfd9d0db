import { Fault, UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { fail } from '../base/errors.ts';
import { insertFingerprint, readFingerprint, readLiveKeys, replaceFingerprint } from './key-store.ts';
import { deriveKey, discardCreatedKey, hasMasterKey } from './master-key.ts';
import { unwrap } from './wrapped-key.ts';

/**
 * With a wrong master key nobody could sign in, and the server would store keys that the right one cannot open. So the database
 * keeps a fingerprint, which a server compares before it listens. It is derived one way from 256 random bits: it reveals nothing.
 */
const fingerprintOf = (host: Host) => Buffer.from(deriveKey(host)('fingerprint')).toString('hex');

const wrong = () => fail.KEYS_UNREADABLE('The master key is not the one that this database was made with.');

/**
 * Compares the master key of this process with the fingerprint in the database, or stores its fingerprint if there is none.
 * @throws Fault KEYS_UNREADABLE when the key is wrong or missing; UsageError when it is malformed or other users can read it.
 */
export async function checkMasterKey(host: Host): Promise<void> {
  const { q } = host.db;
  const known = await readFingerprint(q);
  const keys = await readLiveKeys(q);
  // No key is created here: a new one would only hide that the right one is missing.
  if ((known !== undefined || keys.length > 0) && !hasMasterKey(host)) {
    throw fail.KEYS_UNREADABLE('This database was made with a master key that this process does not have.');
  }
  const own = fingerprintOf(host);
  if (known !== undefined) {
    if (known !== own) throw wrong();
    return;
  }
  // A database of version 0.1 has no fingerprint: the right master key is the one that opens its signing keys.
  for (const { kid, privateWrapped } of keys) unwrap(host, kid, privateWrapped);
  await host.db.write((inTx) => insertFingerprint(inTx, own, host.clock.now()));
  // Another process may have been first, with another key.
  if ((await readFingerprint(q)) === own) return;
  discardCreatedKey(host);
  throw wrong();
}

/**
 * As {@link checkMasterKey}, for a database that is restored. One that needs no key yet gets none: the first start makes it.
 * @throws UsageError with the remedy.
 */
export async function requireMasterKey(host: Host): Promise<void> {
  try {
    const { q } = host.db;
    if (
      !hasMasterKey(host) &&
      (await readFingerprint(q)) === undefined &&
      (await readLiveKeys(q)).length === 0
    )
      return;
    await checkMasterKey(host);
  } catch (error) {
    throw error instanceof Fault ? new UsageError(`${error.message} ${error.tip}`) : error;
  }
}

/** Stores the fingerprint of this process's master key, after all keys that a lost one wrapped were dropped. */
export async function adoptMasterKey(host: Host): Promise<void> {
  const fingerprint = fingerprintOf(host);
  await host.db.tx(
    async (q) => {
      for (const { kid, privateWrapped } of await readLiveKeys(q)) unwrap(host, kid, privateWrapped);
      await replaceFingerprint(q, fingerprint, host.clock.now());
    },
    { serializable: 'the fingerprint is that of the key that opens all signing keys' },
  );
}
