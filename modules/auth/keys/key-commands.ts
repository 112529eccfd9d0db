import { isoTime } from '../../../core/base/clock.ts';
import { UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer, ShowProgress } from '../../../core/module/command.ts';
import { keysRewrapSettings, keysRotateSettings } from '../base/command-settings.ts';
import { rotateKeys } from './key-ring.ts';
import { readKeys } from './key-store.ts';
import { decodeKey } from './master-key.ts';
import {
  announcedMs,
  announceMasterKey,
  finishReplacement,
  replaceMasterKey,
} from './master-key-replacement.ts';
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

/**
 * Replaces the master key while servers run (`--new-master-key-file`), or ends the overlap (`--finish`). An interrupted replacement is
 * repeated by the same command. @throws UsageError.
 */
export async function rewrapKeys(host: Host, progress: ShowProgress): Promise<CommandAnswer> {
  const { 'new-master-key': text, finish } = host.config.read(keysRewrapSettings);
  if (finish === (text !== undefined))
    throw new UsageError('Give either --new-master-key-file FILE or --finish.');
  await requireMasterKey(host);
  if (finish) {
    const keys = await finishReplacement(host);
    return {
      data: { finished: true, keys },
      text: 'Finished: the former master key opens nothing any more.',
    };
  }
  const next = decodeKey(text ?? '', '--new-master-key-file');
  await announceMasterKey(host, next);
  const steps = announcedMs / 1_000;
  for (let step = 0; step < steps; step++) {
    progress(step, steps, 'every server learns of the new key');
    await host.clock.wait(1_000);
  }
  const keys = await replaceMasterKey(host, next);
  return {
    data: { finished: false, keys },
    text: `${keys} keys are wrapped by the new master key. Servers with the former one go on.`,
    note:
      'Now put the new key where servers find it (master.key of the data directory, or --master-key-file), restart them one after ' +
      'the other, make a backup, and run: trivet keys rewrap --finish',
  };
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
