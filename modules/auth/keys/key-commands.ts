import { isoTime } from '../../../core/base/clock.ts';
import { UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import { keysRotateSettings } from '../base/command-settings.ts';
import { rotateKeys } from './key-ring.ts';
import { readKeys } from './key-store.ts';
import { adoptMasterKey, requireMasterKey } from './master-key-check.ts';

export async function listKeys(host: Host) {
  const rows = await readKeys(host.db.q);
  const keys = rows.map(({ kid, algorithm, status, createdAt, statusSince }) => {
    return { kid, algorithm, status, since: isoTime(statusSince ?? createdAt) };
  });
  const lines = keys.map(
    ({ kid, algorithm, status, since }) => `${kid}  ${algorithm}  ${status.padEnd(7)}  ${since}`,
  );
  return { data: { keys }, text: lines.join('\n') || 'No key yet: the first sign-in creates one.' };
}

/** Publishes the next signing key, rotates at once (`--now`) or drops a leaked key (`--drop`). @throws UsageError. */
export async function rotateKeysByHand(host: Host): Promise<CommandAnswer> {
  const { now, drop } = host.config.read(keysRotateSettings);
  if (drop !== undefined && !(await readKeys(host.db.q)).some(({ kid }) => kid === drop)) {
    throw new UsageError(`--drop: there is no key ${drop.slice(0, 64)}. "trivet keys list" shows them.`);
  }
  // A lost master key is replaced by dropping the keys it wrapped. Everything else needs the right master key.
  if (drop === undefined) await requireMasterKey(host);
  const asked = now ? 'now' : drop === undefined ? 'soon' : null;
  const plan = await rotateKeys(host, asked, drop ?? null);
  await rotateKeys(host);
  if (drop !== undefined) await adoptMasterKey(host);
  const { data, text } = await listKeys(host);
  return { data: { ...data, dropped: plan.drop }, text };
}
