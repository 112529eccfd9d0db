import { join, resolve } from 'node:path';
import { systemClock, systemRandom } from '../../base/clock.ts';
import { exit, UsageError } from '../../base/errors.ts';
import { writeError } from '../../base/standard-streams.ts';
import { runningServers } from '../../db/sqlite/running-server.ts';
import { keptIdsOf } from '../../module/module.ts';
import { openTarget } from '../../replicate/target-opening.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { takeOver } from '../../standby/taking-over.ts';
import { promoteSettings } from '../invocation/command-settings.ts';
import { print, type Invocation } from '../invocation/invocation.ts';
import { escapeControls } from '../invocation/terminal-text.ts';
import { isOlder, requireOwnKey } from './found-database.ts';

/** The server opens its database anew, and examines it first. */
const startPatienceMs = 30_000;

/** `trivet promote`: the standby of a data directory takes over, with its server or without one. */
export async function runPromote(invocation: Invocation): Promise<number> {
  const { config, modules } = invocation;
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
  const [standby] = runningServers(data);
  const taken = await takeOver({
    data,
    openTarget: (url) => openTarget(url, settings['replicate-keys']),
    identity: settings['age-identity'],
    files: modules.flatMap(({ files }) => files ?? []),
    keptIds: keptIdsOf(modules),
    refuseUnservable: () => refuseOtherKey(invocation, data),
    stopped: config.read(promoteSettings).stopped,
    leaseMs: settings['replicate-lease'] * 1000,
    clock: systemClock,
    random: systemRandom,
    tell: (text) => writeError(escapeControls(`${text}\n`)),
  });
  const coveredAt = new Date(taken.coveredAt).toISOString();
  const server = standby && (await serverAfter(data, standby.stem));
  if (config.read({ json: clientSettings.json }).json)
    await print(
      `${JSON.stringify({ promoted: true, directory: data, ...taken, coveredAt, waitedMs: Math.round(taken.waitedMs) })}\n`,
    );
  else {
    const next = standby
      ? server && ` The server at ${server} takes writes now.`
      : ` Start its server: trivet serve --follow ${taken.target} --data ${data}`;
    await print(
      escapeControls(
        `${data} has taken over, with everything that was stored until ${coveredAt}.${next ?? ''}\n`,
      ),
    );
  }
  if (!standby || server !== undefined) return exit.ok;
  writeError(
    escapeControls(
      `trivet: The server at ${standby.origin} has not begun to take writes within ${startPatienceMs / 1_000} s. Look at its log, or start it again.\n`,
    ),
  );
  return exit.failed;
}

/** @throws UsageError when the server of this directory could not start after the takeover, and the other one would be stopped for nothing. */
async function refuseOtherKey(invocation: Invocation, data: string): Promise<void> {
  // Its server migrates it first, and checks the key then.
  if (await isOlder(invocation, data)) return;
  try {
    await requireOwnKey(invocation, data);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      `${error.message} ${data} is still a standby, and the other server was not stopped. Give it the master key of the other ` +
        `server (${join(data, 'master.key')}, or the same --master-key-file, TRIVET_MASTER_KEY or --config for this command as for its ` +
        'server), restart its server, and run this again.',
    );
  }
}

/**
 * Waits until the server of the directory has begun anew, as the one that is written to. Its address may be that of a balancer, so it is
 * not asked: a server announces itself when it serves, under another name each time.
 * @returns its address; undefined when it has not begun in time.
 */
async function serverAfter(data: string, stem: string): Promise<string | undefined> {
  for (const over = performance.now() + startPatienceMs; performance.now() < over; await Bun.sleep(50)) {
    const found = runningServers(data).find((server) => server.stem !== stem);
    if (found) return found.origin;
  }
  return undefined;
}
