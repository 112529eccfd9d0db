import { clientSettings, coreSettings, outputSettings } from '../../settings/settings.ts';
import {
  backupSettings,
  callSettings,
  completionSettings,
  doctorSettings,
  loginSettings,
  migrateSettings,
  restoreSettings,
  transferSettings,
} from '../invocation/verb-settings.ts';
import { place, type Verb } from './verb.ts';

const { json, ...executorSettings } = clientSettings;
const { url, token } = clientSettings;
const { data, config } = place;

/** The verbs of the kernel; modules add commands. A surface is loaded when it is used. */
export const verbs: readonly Verb[] = [
  {
    name: 'serve',
    summary: 'Serve HTTP (the default)',
    settings: coreSettings,
    run: async (invocation) => (await import('../serve/serve.ts')).runServe(invocation),
  },
  {
    name: 'call',
    words: '<tool>',
    summary: 'Run one tool: the result is on stdout, an error on stderr',
    settings: { ...callSettings, ...outputSettings, ...clientSettings, ...place },
    remote: true,
    run: async (invocation) => (await import('../verbs/call.ts')).runCall(invocation),
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
    remote: true,
    run: async (invocation) => (await import('../verbs/tools.ts')).runTools(invocation),
  },
  {
    name: 'login',
    summary: 'Sign in at a server with a browser; commands with --url then use it',
    settings: { url, ...loginSettings, json },
    remote: true,
    run: async (invocation) => (await import('../verbs/login.ts')).runLogin(invocation),
  },
  {
    name: 'logout',
    summary: 'Sign out at a server',
    settings: { url, json },
    remote: true,
    run: async (invocation) => (await import('../verbs/login.ts')).runLogout(invocation),
  },
  {
    name: 'whoami',
    summary: 'Show who you are at a server',
    settings: { url, token, json },
    remote: true,
    run: async (invocation) => (await import('../verbs/login.ts')).runWhoami(invocation),
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
    run: async (invocation) => (await import('../verbs/backup.ts')).runBackup(invocation),
  },
  {
    name: 'restore',
    words: '<file>|<dir>|-',
    summary: 'Check a backup and put it in the place of the data; stop the server first',
    settings: { ...restoreSettings, json, data },
    run: async (invocation) => (await import('../verbs/restore.ts')).runRestore(invocation),
  },
  {
    name: 'doctor',
    summary: 'Check the data for problems; exit code 1 when there are any',
    settings: { ...doctorSettings, json, ...place },
    run: async (invocation) => (await import('../verbs/doctor.ts')).runDoctor(invocation),
  },
  {
    name: 'healthcheck',
    summary: 'Ask a running server whether it can serve; exit code 1 when it cannot',
    settings: { url, host: coreSettings.host, port: coreSettings.port, config },
    remote: true,
    run: async (invocation) => (await import('../verbs/healthcheck.ts')).runHealthcheck(invocation),
  },
  {
    name: 'config',
    words: 'print',
    summary: 'Print each setting with its value and where it was given; secrets are masked',
    settings: { json, config },
    remote: true,
    run: async (invocation) => (await import('../verbs/config-print.ts')).runConfigPrint(invocation),
  },
  {
    name: 'plugin',
    words: 'types',
    summary: 'Print the types of the plugin kit: trivet plugin types > trivet-plugin.d.ts',
    settings: {},
    remote: true,
    run: async (invocation) => (await import('../verbs/plugin-types.ts')).runPluginTypes(invocation),
  },
  {
    name: 'migrate',
    summary: 'Migrate the database to the schema of this version without serving',
    settings: { ...migrateSettings, json, ...place },
    run: async (invocation) => (await import('../verbs/migrate.ts')).runMigrate(invocation),
  },
  {
    name: 'transfer',
    summary: 'Copy all data to another database, e.g. from SQLite to PostgreSQL; stop the servers first',
    settings: { ...transferSettings, 'database-pooler': coreSettings['database-pooler'], json, config },
    run: async (invocation) => (await import('../verbs/transfer.ts')).runTransfer(invocation),
  },
  {
    name: 'completion',
    words: '<shell>',
    summary: 'Print the completion of commands, tools, parameters and queries for bash, zsh or fish',
    settings: completionSettings,
    run: async (invocation) => (await import('./completion.ts')).runCompletion(invocation, verbs),
  },
];
