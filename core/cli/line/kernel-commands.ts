import type { Config } from '../../settings/config.ts';
import { clientSettings, coreSettings, outputSettings } from '../../settings/settings.ts';
import {
  backupSettings,
  callSettings,
  completionSettings,
  doctorSettings,
  loginSettings,
  migrateSettings,
  promoteSettings,
  replicasSettings,
  restoreSettings,
  transferSettings,
} from '../invocation/command-settings.ts';
import { version, buildOf } from '../../base/version.ts';
import { print } from '../invocation/invocation.ts';
import { place, type KernelCommand } from './command-list.ts';

const { json, ...executorSettings } = clientSettings;
const { url, token } = clientSettings;
const { data, config } = place;

/** The commands of the kernel; modules add theirs. Surfaces are loaded on demand. */
const first: readonly KernelCommand[] = [
  {
    name: 'serve',
    summary: 'Serve HTTP (the default)',
    settings: coreSettings,
    needs: 'machine',
    run: async (invocation) => (await import('../serve/serve.ts')).runServe(invocation),
  },
  {
    name: 'call',
    words: '<tool>',
    summary: 'Run one tool: the result is on stdout, an error on stderr',
    settings: { ...callSettings, ...outputSettings, ...clientSettings, ...place },
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/call.ts')).runCall(invocation),
  },
  {
    name: 'tools',
    summary: 'List the tools',
    settings: {
      json,
      ...executorSettings,
      toolsets: coreSettings.toolsets,
      tools: coreSettings.tools,
      'read-only': coreSettings['read-only'],
      ...place,
    },
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/tools.ts')).runTools(invocation),
  },
  {
    name: 'login',
    summary: 'Sign in at a server with a browser; commands with --url then use it',
    settings: { url, ...loginSettings, json },
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/login.ts')).runLogin(invocation),
  },
  {
    name: 'logout',
    summary: 'Sign out at a server',
    settings: { url, json },
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/login.ts')).runLogout(invocation),
  },
  {
    name: 'whoami',
    summary: 'Show who you are at a server',
    settings: { url, token, json },
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/login.ts')).runWhoami(invocation),
  },
  {
    name: 'backup',
    words: '[<file>|<dir>|-]',
    summary: 'Back up the data directory, also while a server runs on it: to an archive, or as a copy',
    settings: {
      ...backupSettings,
      'backup-dir': coreSettings['backup-dir'],
      'backup-recipient': coreSettings['backup-recipient'],
      json,
      data,
    },
    needs: 'machine',
    run: async (invocation) => (await import('../commands/backup.ts')).runBackup(invocation),
  },
  {
    name: 'restore',
    words: '<file>|<dir>|-|<url>',
    summary: 'Check a backup or a replica and put it in the place of the data; stop the server first',
    settings: { ...restoreSettings, 'replicate-keys': coreSettings['replicate-keys'], json, data },
    needs: 'machine',
    run: async (invocation) => (await import('../commands/restore.ts')).runRestore(invocation),
  },
  {
    name: 'replicas',
    words: '<url>',
    summary: 'List what a replica can restore: its generations, moments, sizes and gaps',
    settings: {
      ...replicasSettings,
      'age-identity': restoreSettings['age-identity'],
      'replicate-keys': coreSettings['replicate-keys'],
      json,
    },
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/replicas.ts')).runReplicas(invocation),
  },
  {
    name: 'promote',
    summary: 'Let a standby take over: its directory becomes the one that is written to',
    settings: {
      ...promoteSettings,
      'age-identity': coreSettings['age-identity'],
      'replicate-keys': coreSettings['replicate-keys'],
      'replicate-lease': coreSettings['replicate-lease'],
      json,
      data,
      config,
    },
    needs: 'machine',
    run: async (invocation) => (await import('../commands/promote.ts')).runPromote(invocation),
  },
  {
    name: 'doctor',
    summary: 'Check the data for problems; exit code 1 when there are any',
    settings: { ...doctorSettings, json, ...place },
    needs: 'machine',
    run: async (invocation) => (await import('../commands/doctor.ts')).runDoctor(invocation),
  },
  {
    name: 'reload',
    summary: 'Let the running server read its configuration again, and show what needs a restart',
    settings: { json, data, config },
    needs: 'machine',
    run: async (invocation) => (await import('../commands/reload.ts')).runReload(invocation),
  },
  {
    name: 'healthcheck',
    summary: 'Ask a running server whether it can serve; exit code 1 when it cannot',
    settings: { url, host: coreSettings.host, port: coreSettings.port, config },
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/healthcheck.ts')).runHealthcheck(invocation),
  },
  {
    name: 'config',
    words: 'print',
    summary: 'Print each setting with its value and where it was given; secrets are masked',
    settings: { json, config },
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/config-print.ts')).runConfigPrint(invocation),
  },
  {
    name: 'plugin',
    words: 'types',
    summary: 'Print the types of the plugin kit: trivet plugin types > trivet-plugin.d.ts',
    settings: {},
    needs: 'nothing',
    run: async (invocation) => (await import('../commands/plugin-types.ts')).runPluginTypes(invocation),
  },
  {
    name: 'migrate',
    summary: 'Migrate the database to the schema of this version without serving',
    settings: { ...migrateSettings, json, ...place },
    needs: 'machine',
    run: async (invocation) => (await import('../commands/migrate.ts')).runMigrate(invocation),
  },
  {
    name: 'compact',
    summary: 'Give the unused space of the SQLite database back to the disk; stop the server first',
    settings: { json, ...place },
    needs: 'machine',
    run: async (invocation) => (await import('../commands/compact.ts')).runCompact(invocation),
  },
  {
    name: 'transfer',
    summary: 'Copy all data to another database, e.g. from SQLite to PostgreSQL; stop the servers first',
    settings: { ...transferSettings, 'database-pooler': coreSettings['database-pooler'], json, config },
    needs: 'machine',
    run: async (invocation) => (await import('../commands/transfer.ts')).runTransfer(invocation),
  },
  {
    name: 'completion',
    words: '<shell>',
    summary: 'Print the completion of commands, tools, parameters and queries for bash, zsh or fish',
    settings: completionSettings,
    needs: 'nothing',
    run: async (invocation, all) => (await import('./completion.ts')).runCompletion(invocation, all),
  },
];

/** Meta commands, which concern all others. */
const last: readonly KernelCommand[] = [
  {
    name: 'version',
    summary: 'Show the version',
    settings: { json },
    needs: 'nothing',
    run: ({ config }) => printVersion(config),
  },
  {
    name: 'help',
    words: '<command>',
    summary: 'Show one command; so do "trivet <command> --help" and -h',
    settings: {},
    needs: 'nothing',
    run: async ({ config, modules }, all) => {
      const { helpPageOf } = await import('./help.ts');
      return print(await helpPageOf(config.words, all, modules));
    },
  },
];

export const kernelCommands = { first, last };

export const printVersion = (config: Config): Promise<number> =>
  print(config.read(clientSettings).json ? `${JSON.stringify(buildOf())}\n` : `trivet ${version}\n`);
