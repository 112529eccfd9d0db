import { Fault, UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { Check, Finding } from '../../../core/module/module.ts';
import { authSettings } from '../base/settings.ts';
import { readFingerprint, readKeys, readMasterKeyRow } from './key-store.ts';
import { checkMasterKey } from './master-key-check.ts';

const day = 24 * 60 * 60 * 1000;

/** The check of `trivet doctor`: whether the master key fits, and whether the state of the signing keys matches the rotation. */
export const keyCheck: Check = {
  name: 'keys',
  run: async (host) => [
    ...(await masterKeyFindings(host)),
    ...(await replacementFindings(host)),
    ...(await rotationFindings(host)),
  ],
};

async function masterKeyFindings(host: Host): Promise<Finding[]> {
  const { q } = host.db;
  // Before the first server start there is nothing to compare, and a comparison would create a key.
  if ((await readFingerprint(q)) === undefined && (await readKeys(q)).length === 0) return [];
  try {
    await checkMasterKey(host);
    return [];
  } catch (error) {
    if (error instanceof Fault && error.code === 'KEYS_UNREADABLE')
      return [{ finding: 'wrong_master_key', message: error.message, remedy: error.tip }];
    if (!(error instanceof UsageError)) throw error;
    const remedy = 'Correct the file or --master-key-file, or put the right key back from a backup.';
    return [{ finding: 'unusable_master_key', message: error.message, remedy }];
  }
}

/** An overlap that nobody ends leaves the former key as good as the new one. */
async function replacementFindings({ db, clock }: Host): Promise<Finding[]> {
  const row = await readMasterKeyRow(db.q);
  if (!row || row.previousWrapped === null) return [];
  const days = Math.floor((clock.now() - (row.replacedAt ?? 0)) / day);
  if (days < 30) return [];
  return [
    {
      finding: 'master_key_overlap',
      message: `The master key was replaced ${days} days ago, and the former one still opens everything.`,
      remedy: 'When every server has the new key: trivet keys rewrap --finish.',
      warning: true,
    },
  ];
}

async function rotationFindings({ db, clock, config }: Host): Promise<Finding[]> {
  const keys = await readKeys(db.q);
  const active = keys.find(({ status }) => status === 'active');
  if (!active) {
    if (keys.length === 0) return [];
    const message = 'No signing key is active: nobody can sign in.';
    return [{ finding: 'no_active_key', message, remedy: 'Run trivet keys rotate --now.' }];
  }
  const everyMs = config.read(authSettings)['key-rotation'] * 1000;
  const overdueMs = clock.now() - (active.statusSince ?? active.createdAt) - everyMs;
  if (overdueMs <= day) return [];
  return [
    {
      finding: 'rotation_overdue',
      message: `The signing key ${active.kid} should have been replaced ${Math.floor(overdueMs / day)} days ago.`,
      remedy: 'Start a server, which rotates keys within two days, or run trivet keys rotate.',
      warning: true,
    },
  ];
}
