import { coreSettings, type SettingTable } from '../../settings/settings.ts';

/** Settings of single commands, separate from their code so that help shows them without loading it. */
export const callSettings = {
  args: {
    type: 'string',
    value: 'JSON|@FILE|-',
    description: 'The arguments as a JSON object: in place, from a file, or from stdin.',
  },
  argument: {
    type: 'list',
    value: 'KEY=VALUE|KEY@FILE',
    description: 'One argument, or the text of a file as one, also written -a; may be repeated.',
  },
  'idempotency-key': {
    type: 'string',
    value: 'KEY',
    description: 'Makes a write safe to repeat: under one key it is done once, within a day.',
  },
} as const satisfies SettingTable;

export const migrateSettings = {
  check: { type: 'boolean', description: 'Change nothing; exit code 1 when migrations are pending.' },
} as const satisfies SettingTable;

export const backupSettings = {
  verify: { type: 'boolean', description: 'Read the backup again, as a restore would, and compare.' },
  'database-only': {
    type: 'boolean',
    description:
      'Leave out the files beside the database, e.g. the master key: who restores it must have them.',
  },
} as const satisfies SettingTable;

export const restoreSettings = {
  force: {
    type: 'boolean',
    description: 'Replace the data that is there; it is kept in a directory "before-restore-…".',
  },
  check: { type: 'boolean', description: 'Only check the backup; --data is not changed.' },
  at: {
    type: 'string',
    value: 'TIME',
    description: 'Of a replica: the moment to restore, e.g. 2026-11-23T14:31:00Z; its end unless given.',
  },
  'end-sessions': {
    type: 'boolean',
    description: 'End every session of the restored database: everybody signs in again.',
  },
  'revoke-tokens': {
    type: 'boolean',
    description:
      'Revoke every personal access token of the restored database, also those that were revoked since the backup.',
  },
  'age-identity': coreSettings['age-identity'],
} as const satisfies SettingTable;

export const promoteSettings = {
  stopped: {
    type: 'boolean',
    description: 'The other server has stopped for certain, e.g. its machine is off: do not wait for it.',
  },
} as const satisfies SettingTable;

export const replicasSettings = {
  verify: {
    type: 'boolean',
    description: 'Read every object and compare its checksum; with the age identity also what it contains.',
  },
} as const satisfies SettingTable;

export const doctorSettings = {
  repair: { type: 'boolean', description: 'Repair what can be recomputed from other records, e.g. counts.' },
} as const satisfies SettingTable;

export const completionSettings = {
  line: {
    type: 'string',
    value: 'TEXT',
    description: 'Of "completion candidates", which the scripts call: the command line up to the cursor.',
  },
} as const satisfies SettingTable;

export const loginSettings = {
  device: {
    type: 'boolean',
    description: 'Show a code to enter in a browser on another device, e.g. over SSH.',
  },
} as const satisfies SettingTable;

const { secretLike } = coreSettings.database;

export const transferSettings = {
  from: {
    type: 'string',
    value: 'DIR|URL',
    secretLike,
    description:
      'The data directory or postgres:// URL whose data is copied; it is not changed. For a URL with a password: TRIVET_FROM, TRIVET_FROM_FILE or --from-file FILE.',
  },
  to: {
    type: 'string',
    value: 'DIR|URL',
    secretLike,
    description:
      'The directory or postgres:// URL that gets the data; it must contain none. For a URL with a password: TRIVET_TO, TRIVET_TO_FILE or --to-file FILE.',
  },
} as const satisfies SettingTable;
