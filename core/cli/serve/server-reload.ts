import { UsageError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Config, SettingsInForce } from '../../settings/config.ts';
import type { LiveConfig } from '../../settings/live-config.ts';
import { reloadPlan, type ReloadOutcome, type ReloadPlan } from '../../settings/reload-plan.ts';
import type { SettingTable } from '../../settings/settings.ts';
import { shortKeeps } from '../../settings/time-setting.ts';
import type { HangUps } from '../invocation/hang-ups.ts';
import type { Worker } from '../invocation/worker.ts';
import { answerReloads } from './reload-request.ts';
import { refuseUnservable } from './server-settings.ts';

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
  let plan: ReloadPlan;
  try {
    next = reread();
    plan = reloadPlan(table, live.config, next);
    refuseMixture(live.config, next, { table, plan });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    log.error('configuration_refused', {
      reason: error.message,
      remedy: 'Nothing has changed. Correct it and reload again.',
    });
    return { refused: error.message };
  }
  live.take(next, plan.changed);
  for (const message of shortKeeps(changedOf(table, plan), next.read(table)))
    log.warn('settings_warning', { message });
  log[plan.needsRestart.length > 0 ? 'warn' : 'info']('configuration_reloaded', {
    changed: plan.changed.join(', '),
    needsRestart: plan.needsRestart.join(', '),
  });
  return plan;
}

const changedOf = (table: SettingTable, { changed }: ReloadPlan): SettingTable =>
  Object.fromEntries(Object.entries(table).filter(([name]) => changed.includes(name)));

/** What changes may need what does not change before a restart. @throws UsageError. */
function refuseMixture(
  before: Config,
  next: Config,
  { table, plan: { changed, needsRestart } }: { readonly table: SettingTable; readonly plan: ReloadPlan },
): void {
  const values: Readonly<Record<string, unknown>> = next.read(table);
  try {
    refuseUnservable(before.with(Object.fromEntries(changed.map((name) => [name, values[name]]))));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message} Needs a restart: ${needsRestart.join(', ')}.`);
  }
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
