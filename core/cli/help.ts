import type { Command, Module } from '../module.ts';
import { callSettings, clientSettings, coreSettings, type Setting, type SettingTable } from '../settings.ts';
import { version } from '../version.ts';

/** The help of everything, or of one command. */
export function helpText(modules: readonly Module[], command: Command | undefined, verb: string): string {
  if (command) {
    return `trivet ${command.verb}: ${command.summary}\n\n${flagLines({ ...command.settings, json: clientSettings.json, data: coreSettings.data })}`;
  }
  if (verb === 'call') {
    return `trivet call <tool>: run one tool; the result is on stdout, an error on stderr.\n\n${flagLines({ ...callSettings, ...clientSettings, data: coreSettings.data })}`;
  }
  if (verb === 'backup') {
    return `trivet backup <dir>: copy the data directory, also while a server runs on it; the copy is a data directory itself.\n\n${flagLines({ json: clientSettings.json, data: coreSettings.data })}`;
  }
  const commands = modules.flatMap((module) => module.commands ?? []);
  const verbs: ReadonlyArray<readonly [string, string]> = [
    ['serve', 'Serve HTTP (the default)'],
    ['--mcp', 'Speak the Model Context Protocol on stdin and stdout'],
    ['call <tool>', 'Run one tool'],
    ['tools', 'List the tools'],
    ['backup <dir>', 'Copy the data directory, also while a server runs on it'],
    ...commands.map(({ verb: name, summary }) => [name, summary] as const),
    ['help', 'Show this; "trivet <command> --help" shows one command'],
  ];
  const settings = Object.assign(
    {},
    coreSettings,
    clientSettings,
    ...modules.map((module) => module.settings ?? {}),
  ) as SettingTable;
  return [
    `trivet ${version}: sign-in, call-to-action state and test management in one executable`,
    '',
    ...verbs.map(([name, summary]) => `  trivet ${name.padEnd(16)} ${summary}`),
    '',
    'Every flag is also TRIVET_<FLAG> in the environment and a key of the file of --config (TOML).',
    '',
    flagLines(settings),
  ].join('\n');
}

function flagLines(table: SettingTable): string {
  return Object.entries(table)
    .map(
      ([name, setting]) =>
        `  ${shownFlag(name, setting).padEnd(34)} ${setting.description}${shownDefault(setting)}\n`,
    )
    .join('');
}

function shownFlag(name: string, setting: Setting): string {
  if (setting.secret) return `--${name}-file FILE`;
  switch (setting.type) {
    case 'boolean':
      return `--${name}`;
    case 'integer':
      return `--${name} N`;
    case 'table':
      return `[${name}] in the file`;
    default:
      return `--${name} ${setting.value ?? (setting.type === 'string' ? setting.choices?.join('|') : undefined) ?? 'TEXT'}`;
  }
}

const shownDefault = (setting: Setting) =>
  'default' in setting && setting.default !== undefined && String(setting.default) !== ''
    ? ` (default ${String(setting.default)})`
    : '';
