import { UsageError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Config, SettingsInForce } from '../../settings/config.ts';
import type { LiveConfig } from '../../settings/live-config.ts';
import { reloadPlan, type ReloadOutcome } from '../../settings/reload-plan.ts';
import type { SettingTable } from '../../settings/settings.ts';
import type { HangUps } from '../invocation/hang-ups.ts';
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

interface ReloadSources {
  /** Where `trivet reload` asks; undefined: nowhere. */
  readonly stem: string | undefined;
  readonly hangUps: HangUps | undefined;
  /** Of a worker: it takes what its supervisor has accepted, and leaves signals to it. */
  readonly own?: Worker | undefined;
}

/** Reloads at SIGHUP and at `trivet reload`. @returns a function that ends it. */
export function listenForReloads(
  reload: (accepted?: SettingsInForce) => ReloadOutcome,
  { stem, hangUps, own }: ReloadSources,
): () => void {
  own?.reconfigured(reload);
  const endSignals = own ? undefined : hangUps?.listen(() => void reload());
  const end = stem === undefined ? () => {} : answerReloads(stem, reload);
  return () => {
    endSignals?.();
    end();
  };
}
