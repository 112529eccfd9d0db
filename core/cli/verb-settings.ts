import type { SettingTable } from '../settings/settings.ts';

/** Settings of single verbs, apart from their code: help shows them without loading it. */
export const migrateSettings = {
  check: { type: 'boolean', description: 'Change nothing; exit code 1 when migrations are pending.' },
} as const satisfies SettingTable;

export const doctorSettings = {
  repair: { type: 'boolean', description: 'Repair what can be recomputed from other records, e.g. counts.' },
} as const satisfies SettingTable;
