import { Fault, UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { forgetExportKeys } from '../audit/audit-export-store.ts';
import { fail } from '../base/errors.ts';
import {
  insertFingerprint,
  readFingerprint,
  readLiveKeys,
  readMasterKeyRow,
  replaceFingerprint,
} from './key-store.ts';
import { discardCreatedKey, hasMasterKey, ownMasterKey } from './master-key.ts';
import { masterFingerprint, learnMasterKeys } from './master-key-replacement.ts';
import { unwrap } from './wrapped-key.ts';

/*
 * With a wrong master key nobody could sign in, and the server would store keys that the right one cannot open. So the database keeps a
 * fingerprint, which a server compares before it listens.
 */

const wrong = () => fail.KEYS_UNREADABLE('The master key is not the one that this database was made with.');

/**
 * Checks that the master key of this process belongs to the database. Read-only: it creates no key. A database of version 0.1 has no
 * fingerprint; there the right key is the one that opens its signing keys.
 * @returns whether the database has a fingerprint.
 * @throws Fault KEYS_UNREADABLE when the key is wrong or missing; UsageError when it is malformed or other users can read it.
 */
async function compareMasterKey(host: Host): Promise<boolean> {
  const { q } = host.db;
  const known = await readMasterKeyRow(q);
  const keys = await readLiveKeys(q);
  if (known === undefined && keys.length === 0) return false;
  // No key is created here: a new one would only hide that the right one is missing.
  if (!hasMasterKey(host))
    throw fail.KEYS_UNREADABLE('This database was made with a master key that this process does not have.');
  if (known === undefined) for (const { kid, privateWrapped } of keys) unwrap(host, kid, privateWrapped);
  else if (!learnMasterKeys(host, known)) throw wrong();
  return known !== undefined;
}

/**
 * Compares the master key of this process with the database, and stores its fingerprint if there is none.
 * @throws as {@link compareMasterKey}.
 */
export async function checkMasterKey(host: Host): Promise<void> {
  if (await compareMasterKey(host)) return;
  const own = masterFingerprint(ownMasterKey(host));
  await host.db.write((q) => insertFingerprint(q, own, host.clock.now()));
  // Another process may have been first, with another key.
  if ((await readFingerprint(host.db.q)) === own) return;
  discardCreatedKey(host);
  throw wrong();
}

/**
 * Checks the same for a restored database. If it needs no key yet, none is created: the first start does that.
 * @throws UsageError with the remedy.
 */
export async function requireMasterKey(host: Host): Promise<void> {
  try {
    await compareMasterKey(host);
  } catch (error) {
    throw error instanceof Fault ? new UsageError(`${error.message} ${error.tip}`) : error;
  }
}

/** Whether the master key of this process is that of the database. A server that was not restarted after a replacement goes on with the former one. */
export async function hasPresentKey(host: Host): Promise<boolean> {
  try {
    await compareMasterKey(host);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.code === 'KEYS_UNREADABLE') return false;
    throw error;
  }
}

/** Stores the fingerprint of this process's master key, after all keys that a lost one wrapped were dropped. */
export async function adoptMasterKey(host: Host): Promise<void> {
  const fingerprint = masterFingerprint(ownMasterKey(host));
  await host.db.tx(
    async (q) => {
      for (const { kid, privateWrapped } of await readLiveKeys(q)) unwrap(host, kid, privateWrapped);
      await forgetExportKeys(q);
      await replaceFingerprint(q, fingerprint, host.clock.now());
    },
    { serializable: 'the fingerprint is that of the key that opens all signing keys' },
  );
}

/** Learns of a replacement of the master key; `GET /readyz` says what is wrong. */
export async function followMasterKey(host: Host): Promise<void> {
  const row = await readMasterKeyRow(host.db.q);
  if (row && hasMasterKey(host)) learnMasterKeys(host, row);
}
