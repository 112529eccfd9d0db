import { readKeys } from './key-store.ts';
import { UsageError } from '../../../core/errors.ts';
import { isoTime } from '../../../core/clock.ts';
import type { Host } from '../../../core/host.ts';
import type { CommandAnswer } from '../../../core/module.ts';
import { keysRotateSettings } from '../command-settings.ts';
import { rotateKeys } from './key-ring.ts';
import { adoptMasterKey, requireMasterKey } from './master-key-check.ts';

/** The keys that sign our tokens, never their private parts. */
export async function listKeys(host: Host): Promise<CommandAnswer> {
  const rows = await readKeys(host.db.q);
  const keys = rows.map(({ kid, algorithm, status, createdAt, statusSince }) => ({
    kid,
    algorithm,
    status,
    since: isoTime(statusSince ?? createdAt),
  }));
  const lines = keys.map(
    ({ kid, algorithm, status, since }) => `${kid}  ${algorithm}  ${status.padEnd(7)}  ${since}`,
  );
  return { data: { keys }, text: lines.join('\n') || 'No key yet: the first sign-in makes one.' };
}

/** Plans or does a rotation of the signing key, as an administrator asks for it. @throws UsageError. */
export async function rotateKeysByHand(host: Host): Promise<CommandAnswer> {
  const { now, drop } = host.config.read(keysRotateSettings);
  if (drop !== undefined && !(await readKeys(host.db.q)).some(({ kid }) => kid === drop)) {
    throw new UsageError(`--drop: there is no key ${drop.slice(0, 64)}. "trivet keys list" shows them.`);
  }
  // A lost master key is replaced by dropping what it wrapped; anything else needs the right one.
  if (drop === undefined) await requireMasterKey(host);
  const plan = await rotateKeys(
    host,
    drop === undefined || now ? (now ? 'now' : 'soon') : null,
    drop ?? null,
  );
  await rotateKeys(host);
  if (drop !== undefined) await adoptMasterKey(host);
  const { data, text } = await listKeys(host);
  return { data: { ...(data as object), dropped: plan.drop }, text };
}
