import { insertFingerprint, readFingerprint, readLiveKeys, replaceFingerprint } from './key-store.ts';
import { UsageError, Fault } from '../../../core/errors.ts';
import type { Host } from '../../../core/host.ts';
import { fail } from '../errors.ts';
import { deriveKey, hasMasterKey } from './master-key.ts';
import { unwrap } from './wrapped-key.ts';

/*
 * A server with another master key than that of its database would sign nobody in, and make what the right one cannot open. So the
 * database keeps a fingerprint of its key, and a server compares it before it listens.
 */
/** Derived one way from 256 random bits: it reveals nothing of the key. */
const fingerprintOf = (host: Host) => Buffer.from(deriveKey(host)('fingerprint')).toString('hex');

const wrong = () => fail.KEYS_UNREADABLE('The master key is not the one that this database was made with.');

/**
 * Compares the master key of this process with that of the database; a database without one stores this one.
 * @throws Fault KEYS_UNREADABLE when it is another one, or missing; UsageError when it is malformed or others can read it.
 */
export async function checkMasterKey(host: Host): Promise<void> {
  const { q } = host.db;
  const known = await readFingerprint(q);
  const keys = await readLiveKeys(q);
  // Nothing is made here: a new key of its own would only hide what is missing.
  if ((known !== undefined || keys.length > 0) && !hasMasterKey(host)) {
    throw fail.KEYS_UNREADABLE('This database was made with a master key that this process does not have.');
  }
  const own = fingerprintOf(host);
  if (known !== undefined) {
    if (known !== own) throw wrong();
    return;
  }
  // A database of version 0.1 has no fingerprint: the key that opens what is stored is the right one.
  for (const { kid, privateWrapped } of keys) unwrap(host, kid, privateWrapped);
  await host.db.tx((inTx) => insertFingerprint(inTx, own, host.clock.now()));
  // Another process may have been first, with another key.
  if ((await readFingerprint(q)) !== own) throw wrong();
}

/** As {@link checkMasterKey}, for a command. @throws UsageError with the remedy. */
export async function requireMasterKey(host: Host): Promise<void> {
  try {
    await checkMasterKey(host);
  } catch (error) {
    throw error instanceof Fault ? new UsageError(`${error.message} ${error.tip}`) : error;
  }
}

/** Makes the master key of this process that of the database, after the keys that a lost one wrapped were dropped. */
export async function adoptMasterKey(host: Host): Promise<void> {
  const fingerprint = fingerprintOf(host);
  await host.db.tx(async (q) => {
    for (const { kid, privateWrapped } of await readLiveKeys(q)) unwrap(host, kid, privateWrapped);
    await replaceFingerprint(q, fingerprint, host.clock.now());
  });
}
