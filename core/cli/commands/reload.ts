import { resolve } from 'node:path';
import { exit, UsageError } from '../../base/errors.ts';
import { isUnwritable } from '../../base/foreign-errors.ts';
import { runningServers } from '../../db/sqlite/running-server.ts';
import type { ReloadOutcome } from '../../settings/reload-plan.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { print, type Invocation } from '../invocation/invocation.ts';
import { escapeControls, escapeJson } from '../invocation/terminal-text.ts';
import { askForReload } from '../serve/reload-request.ts';

const patienceMs = 10_000;

interface ServerOutcome {
  readonly server: string;
  /** null: it did not answer. */
  readonly outcome: ReloadOutcome | null;
}

/** \`trivet reload\`: the servers of a data directory read their configuration again, and this command says what that changed. */
export async function runReload({ config }: Invocation): Promise<number> {
  const { json } = config.read(clientSettings);
  const directory = resolve(config.read(coreSettings).data);
  const servers = runningServers(directory);
  if (servers.length === 0)
    throw new UsageError(
      `No server runs on ${directory}. Name its data directory with --data or --config, or send SIGHUP to its process. One without a directory that ` +
        'it can write is not found: it says so when it starts (server_not_announced).',
    );
  const answers = await Promise.all(
    servers.map(async ({ origin, stem }) => ({ server: origin, outcome: await asked(stem) })),
  );
  await print(json ? `${escapeJson({ servers: answers })}\n` : escapeControls(answers.map(linesOf).join('')));
  if (answers.some(({ outcome }) => outcome === null)) return exit.failed;
  return answers.some(({ outcome }) => outcome && 'refused' in outcome) ? exit.badArguments : exit.ok;
}

async function asked(stem: string): Promise<ReloadOutcome | null> {
  try {
    return (await askForReload(stem, crypto.randomUUID(), patienceMs)) ?? null;
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    throw new UsageError(
      `The data directory cannot be written: run trivet reload as the user of the server.`,
    );
  }
}

function linesOf({ server, outcome }: ServerOutcome): string {
  if (outcome === null) return `${server}: no answer within ${patienceMs / 1_000} s; its log says more.\n`;
  if ('refused' in outcome) return `${server}: refused, nothing has changed: ${outcome.refused}\n`;
  const { changed, needsRestart } = outcome;
  const lines = [
    ...(changed.length > 0 ? [`changed: ${changed.join(', ')}`] : []),
    ...(needsRestart.length > 0 ? [`needs a restart: ${needsRestart.join(', ')}`] : []),
  ];
  return `${server}: ${lines.join('; ') || 'nothing has changed'}\n`;
}
