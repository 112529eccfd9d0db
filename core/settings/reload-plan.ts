import type { Config } from './config.ts';
import type { SettingTable } from './settings.ts';

/** What a new configuration changes. */
export interface ReloadPlan {
  /** Settings that a running server takes. */
  readonly changed: readonly string[];
  /** Changed settings that count only after a restart. */
  readonly needsRestart: readonly string[];
}

/** What became of a reload. An invalid configuration changes nothing. */
export type ReloadOutcome = ReloadPlan | { readonly refused: string };

/** Compares the settings of a server with a new configuration, in the order of their declarations. */
export function reloadPlan(table: SettingTable, before: Config, next: Config): ReloadPlan {
  const [old, now]: Array<Readonly<Record<string, unknown>>> = [before.read(table), next.read(table)];
  const differing = Object.keys(table).filter(
    (name) => JSON.stringify(old?.[name]) !== JSON.stringify(now?.[name]),
  );
  return {
    changed: differing.filter((name) => table[name]?.reload === true),
    needsRestart: differing.filter((name) => table[name]?.reload !== true),
  };
}
