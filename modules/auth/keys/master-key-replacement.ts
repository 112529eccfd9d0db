import { UsageError } from '../../../core/base/errors.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { exportKeys, writeExportKey } from '../audit/audit-export-store.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import {
  changeMasterKeyRow,
  readKeys,
  readMasterKeyRow,
  writeWrapped,
  type MasterKeyRow,
} from './key-store.ts';
import { deriveFrom, ownMasterKey, setMasterKeys } from './master-key.ts';
import { rewrapInvitations } from './wrapped-invitation.ts';
import { unwrapUnder, wrapUnder } from './wrapped-key.ts';

/*
 * Replacing the master key while servers run, in three steps:
 *
 * 1. announced: the next key is in the database, wrapped by the present one. Every server accepts both, and protects with the present one.
 * 2. replaced: everything is wrapped by the next key, and the former one by it. A server that has either key opens the other.
 * 3. finished: the former key opens nothing any more. A server that has only that one is not ready.
 */

/** How often a server looks. */
export const learnEveryMs = 1_000;

/** How long every server has for learning of an announced key. */
export const announcedMs = 3 * learnEveryMs;

/** Shows whether a key is that of the database, without revealing it: a one-way function of 256 random bits. */
export const masterFingerprint = (master: Uint8Array): string =>
  Buffer.from(deriveFrom(master, 'fingerprint')).toString('hex');

const successorName = 'successor master key';
const previousName = 'previous master key';

const keyOf = (text: string | null): Uint8Array | null =>
  text === null ? null : Buffer.from(text, 'base64');
const textOf = (key: Uint8Array) => Buffer.from(key).toString('base64');
const opened = (key: Uint8Array, name: string, wrapped: string | null) =>
  keyOf(wrapped === null ? null : unwrapUnder(key, name, wrapped));

/** Keys are remembered by their bytes: what is derived from one is kept. */
const same = (one: Uint8Array, other: Uint8Array | null): boolean =>
  other !== null && Buffer.from(one).equals(Buffer.from(other));

/**
 * Takes from the database which key protects now, and which one is accepted beside it.
 * @returns whether this process has the key of the database, or can open it.
 */
export function learnMasterKeys(host: Host, row: MasterKeyRow): boolean {
  const own = ownMasterKey(host);
  if (row.fingerprint === masterFingerprint(own)) {
    const other =
      opened(own, previousName, row.previousWrapped) ?? opened(own, successorName, row.successorWrapped);
    setMasterKeys(host, { current: own, other });
    return true;
  }
  const successor = opened(own, successorName, row.successorWrapped);
  if (!successor || row.fingerprint !== masterFingerprint(successor)) return false;
  setMasterKeys(host, { current: successor, other: own });
  return true;
}

/** Step 1. @throws UsageError while another replacement is not finished. */
export async function announceMasterKey(host: Host, next: Uint8Array): Promise<void> {
  const own = ownMasterKey(host);
  await host.db.tx(
    async (q) => {
      const row = await requireRow(q);
      if (row.previousWrapped !== null)
        throw new UsageError(
          'The last replacement of the master key is not finished: trivet keys rewrap --finish, with the present key.',
        );
      if (row.fingerprint !== masterFingerprint(own) || same(own, next))
        throw new UsageError('--new-master-key-file: this is the master key of the database already.');
      await changeMasterKeyRow(q, { successorWrapped: wrapUnder(host, own, successorName, textOf(next)) });
    },
    { serializable: 'one replacement of the master key at a time' },
  );
}

/** Step 2: everything is wrapped by the next key. @returns how many keys. */
export async function replaceMasterKey(host: Host, next: Uint8Array): Promise<number> {
  const own = ownMasterKey(host);
  return host.db.tx(
    async (q) => {
      const row = await requireRow(q);
      if (!same(next, opened(own, successorName, row.successorWrapped)))
        throw new UsageError('Somebody else announced another master key meanwhile. Run this again.');
      const wrapped = await wrapAll(q, host, [own, next], next);
      const now = host.clock.now();
      await changeMasterKeyRow(q, {
        fingerprint: masterFingerprint(next),
        previousWrapped: wrapUnder(host, next, previousName, textOf(own)),
        replacedAt: now,
      });
      await writeAuditEntry(q, now, { event: 'key_rotated', cause: 'master_key' });
      return wrapped;
    },
    { serializable: 'the fingerprint is that of the key that opens all signing keys' },
  );
}

/** Step 3. @throws UsageError without a replacement, or with the former key. */
export async function finishReplacement(host: Host): Promise<number> {
  const own = ownMasterKey(host);
  return host.db.tx(
    async (q) => {
      const row = await requireRow(q);
      if (row.fingerprint !== masterFingerprint(own))
        throw new UsageError(
          'This process has the former master key. Put the new one where servers find it, restart them, and finish then.',
        );
      const previous = opened(own, previousName, row.previousWrapped);
      if (!previous) throw new UsageError('There is no replacement of the master key to finish.');
      // A server that had not yet learned of the replacement may have made a key under the former one.
      const wrapped = await wrapAll(q, host, [own, previous], own);
      const now = host.clock.now();
      await changeMasterKeyRow(q, { successorWrapped: null, previousWrapped: null });
      await writeAuditEntry(q, now, { event: 'key_rotated', cause: 'master_key_finished' });
      return wrapped;
    },
    { serializable: 'the fingerprint is that of the key that opens all signing keys' },
  );
}

async function requireRow(q: Query): Promise<MasterKeyRow> {
  const row = await readMasterKeyRow(q);
  if (!row)
    throw new UsageError('This database has no master key yet: the first start of a server makes one.');
  return row;
}

/**
 * Wraps every private key of the database by one master key, and the codes of letters that wait.
 * @returns how many keys. @throws UsageError when none of the given ones opens a key.
 */
async function wrapAll(q: Query, host: Host, from: readonly Uint8Array[], to: Uint8Array): Promise<number> {
  const again = (name: string, wrapped: string): string | null => {
    for (const master of from) {
      const text = unwrapUnder(master, name, wrapped);
      if (text !== null) return wrapUnder(host, to, name, text);
    }
    return null;
  };
  const keyAgain = (kid: string, wrapped: string): string => {
    const key = again(kid, wrapped);
    if (key !== null) return key;
    throw new UsageError(
      `No master key opens the key ${kid}. Drop it first: trivet keys rotate --drop ${kid}`,
    );
  };
  const signing = await readKeys(q);
  for (const { kid, privateWrapped } of signing) await writeWrapped(q, kid, keyAgain(kid, privateWrapped));
  const exporting = await exportKeys(q);
  for (const { target, kid, privateWrapped } of exporting)
    await writeExportKey(q, target, keyAgain(kid, privateWrapped));
  await rewrapInvitations(q, again);
  return signing.length + exporting.length;
}
