import { isoTime } from '../../../core/clock.ts';
import { UsageError } from '../../../core/settings/config.ts';
import type { Command } from '../../../core/module.ts';
import type { SettingTable } from '../../../core/settings/settings.ts';
import { rotateKeys } from './key-ring.ts';
import { adoptMasterKey, requireMasterKey } from './master-key-check.ts';
import { signingKeys } from '../schema.ts';

export const keysList: Command = {
  verb: 'keys list',
  reads: 'data',
  summary: 'List the keys that sign our tokens',
  settings: {},
  run: async (host) => {
    const rows = await host.db.q.select().from(signingKeys).orderBy(signingKeys.createdAt);
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
  },
};

const rotateSettings = {
  now: {
    type: 'boolean',
    description: 'Sign with another key at once, though nobody has seen it published yet.',
  },
  drop: {
    type: 'string',
    value: 'KID',
    description: 'After a leak: take this key away at once. Every token it signed is refused from then on.',
  },
} as const satisfies SettingTable;

export const keysRotate: Command = {
  verb: 'keys rotate',
  summary: 'Publish the next signing key; it signs a day later, or at once with --now',
  settings: rotateSettings,
  run: async (host) => {
    const { now, drop } = host.config.read(rotateSettings);
    if (drop !== undefined && !(await host.db.q.select().from(signingKeys)).some(({ kid }) => kid === drop)) {
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
    const { data, text } = await keysList.run(host);
    return { data: { ...(data as object), dropped: plan.drop }, text };
  },
};
