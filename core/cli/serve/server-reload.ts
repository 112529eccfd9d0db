import { UsageError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { isTerminal } from '../../base/standard-streams.ts';
import type { Config, SettingsInForce } from '../../settings/config.ts';
import type { LiveConfig } from '../../settings/live-config.ts';
import { reloadPlan, type ReloadOutcome } from '../../settings/reload-plan.ts';
import type { SettingTable } from '../../settings/settings.ts';
import type { Worker } from '../invocation/worker.ts';
import { answerReloads } from './reload-request.ts';

interface Reloading {
  readonly live: LiveConfig;
  /** The settings of a server. */
  readonly table: SettingTable;
  /** Reads flags, environment and file again, and checks them as a start does. @throws UsageError. */
  readonly reread: () => Config;
  readonly log: Log;
}

/** Reads the configuration again: what may change takes effect at once, what else has changed is named. All of it or nothing. */
export function reloaded({ live, table, reread, log }: Reloading): ReloadOutcome {
  let next: Config;
  try {
    next = reread();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    log.error('configuration_refused', {
      reason: error.message,
      remedy: 'Nothing has changed. Correct it and reload again.',
    });
    return { refused: error.message };
  }
  const plan = reloadPlan(table, live.config, next);
  live.take(next, plan.changed);
  log[plan.needsRestart.length > 0 ? 'warn' : 'info']('configuration_reloaded', {
    changed: plan.changed.join(', '),
    needsRestart: plan.needsRestart.join(', '),
  });
  return plan;
}

/**
 * Reloads at SIGHUP and at \`trivet reload\`. A server on a terminal ends with it, as before: its SIGHUP says that the terminal is gone.
 * @param stem where \`trivet reload\` asks; undefined: nowhere.
 * @param own of a worker: it takes what its supervisor has accepted, and leaves signals to it.
 * @returns a function that ends it.
 */
export function listenForReloads(
  reload: (accepted?: SettingsInForce) => ReloadOutcome,
  { stem, own }: { readonly stem: string | undefined; readonly own?: Worker | undefined },
): () => void {
  own?.reconfigured(reload);
  const atSignal = () => void (own || reload());
  if (own || !isTerminal('stderr')) process.on('SIGHUP', atSignal);
  const end = stem === undefined ? () => {} : answerReloads(stem, reload);
  return () => {
    process.off('SIGHUP', atSignal);
    end();
  };
}
