import { resolve } from 'node:path';
import { systemClock, systemRandom } from '../../base/clock.ts';
import { exit, UsageError } from '../../base/errors.ts';
import { writeError } from '../../base/standard-streams.ts';
import { runningServer } from '../../db/sqlite/running-server.ts';
import { openTarget } from '../../replicate/target-opening.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { takeOver } from '../../standby/taking-over.ts';
import { promoteSettings } from '../invocation/command-settings.ts';
import { print, type Invocation } from '../invocation/invocation.ts';
import { escapeControls } from '../invocation/terminal-text.ts';

/** `trivet promote`: the standby of a data directory takes over, with its server or without one. */
export async function runPromote({ config, modules }: Invocation): Promise<number> {
  if (config.words.length > 0)
    throw new UsageError(
      'Name the directory of the standby with --data: trivet promote --data DIR.',
      exit.usage,
    );
  const table = (({ data, ...all }) => ({
    data,
    'age-identity': all['age-identity'],
    'replicate-keys': all['replicate-keys'],
    'replicate-lease': all['replicate-lease'],
  }))(coreSettings);
  const settings = config.read(table);
  const data = resolve(settings.data);
  const server = runningServer(data);
  const taken = await takeOver({
    data,
    openTarget: (url) => openTarget(url, settings['replicate-keys']),
    identity: settings['age-identity'],
    files: modules.flatMap(({ files }) => files ?? []),
    stopped: config.read(promoteSettings).stopped,
    leaseMs: settings['replicate-lease'] * 1000,
    clock: systemClock,
    random: systemRandom,
    tell: (text) => writeError(escapeControls(`${text}\n`)),
  });
  const coveredAt = new Date(taken.coveredAt).toISOString();
  if (config.read({ json: clientSettings.json }).json)
    return print(
      `${JSON.stringify({ promoted: true, directory: data, ...taken, coveredAt, waitedMs: Math.round(taken.waitedMs) })}\n`,
    );
  const next =
    server === undefined
      ? `Start its server: trivet serve --follow ${taken.target} --data ${data}`
      : `The server at ${server} takes writes now.`;
  return print(
    escapeControls(`${data} has taken over, with everything that was stored until ${coveredAt}. ${next}\n`),
  );
}
