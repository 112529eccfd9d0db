import { moduleSettings } from '../../kernel/module-loading.ts';
import type { Command, Module, ShortCall, ToolCommand } from '../../module/module.ts';
import { clientSettings, coreSettings, type Setting, type SettingTable } from '../../settings/settings.ts';
import type { Operation } from '../../tools/operation.ts';
import { version } from '../../base/version.ts';
import {
  commandsOf,
  settingsOfShort,
  settingsOfToolCommand,
  shortCallsOf,
  toolCommandsOf,
  type Verb,
} from './verb.ts';
import { verbs } from './verbs.ts';

/** The page of `trivet help`. */
export function helpText(modules: readonly Module[]): string {
  const lines: ReadonlyArray<readonly [string, string]> = [
    ...verbs.map(({ name, words, summary }) => [words ? `${name} ${words}` : name, summary] as const),
    ...shortCallsOf(modules).map(({ verb, words, summary }) => [`${verb} ${words}`, summary] as const),
    ...toolCommandsOf(modules).map(({ verb, words, summary }) => [`${verb} ${words}`, summary] as const),
    ['--mcp', 'Serve the Model Context Protocol on stdin and stdout'],
    ...commandsOf(modules).map(({ verb, summary }) => [verb, summary] as const),
    ['version', 'Show the version'],
    ['help <command>', 'Show one command; so do "trivet <command> --help" and -h'],
  ];
  return [
    `trivet ${version}: sign-in, call-to-action state and test management in one executable`,
    '',
    ...lines.map(([name, summary]) => `  trivet ${name.padEnd(16)} ${summary}`),
    '',
    'Every flag is also TRIVET_<FLAG> in the environment and a key of the --config file (TOML).',
    'A flag may stand before or after the command.',
    '',
    flagLines({ ...coreSettings, ...clientSettings, ...moduleSettings(modules) }),
  ].join('\n');
}

export const verbText = ({ name, words, summary, settings }: Verb): string =>
  `trivet ${words ? `${name} ${words}` : name}: ${summary}.\n\n${flagLines(settings)}`;

export const shortText = (short: ShortCall): string =>
  `trivet ${short.verb} ${short.words}: ${short.summary}.\n\n${flagLines(settingsOfShort(short))}`;

export const toolCommandText = (command: ToolCommand): string =>
  `trivet ${command.verb} ${command.words}: ${command.summary}.\n\n${flagLines(settingsOfToolCommand(command))}`;

export function commandText({ verb, summary, settings }: Command): string {
  const { data, database, config } = coreSettings;
  const shared = { json: clientSettings.json, data, database, config };
  return `trivet ${verb}: ${summary}.\n\n${flagLines({ ...settings, ...shared })}`;
}

/** The page of a group of commands, e.g. those that begin with `token`. */
export const groupText = (group: string, commands: readonly Command[]): string =>
  [
    `trivet ${group}:`,
    '',
    ...commands.map(({ verb, summary }) => `  trivet ${verb.padEnd(16)} ${summary}`),
    '',
    `"trivet help ${commands[0]?.verb ?? group}" shows what one of them takes.`,
    '',
  ].join('\n');

/** The page of a tool: its description, its parameters and an example. */
export function toolText(operation: Pick<Operation, 'name' | 'title' | 'description' | 'input'>): string {
  const { name, title, description, input } = operation;
  const required = new Set(input.required);
  const parameters = Object.entries(input.properties as Record<string, ParameterSchema>);
  const lines = parameters.map(([key, schema]) => {
    const need = required.has(key) ? 'required' : 'optional';
    const choices = schema.enum ? ` One of ${schema.enum.join(', ')}.` : '';
    const usual = schema.default === undefined ? '' : ` Default ${JSON.stringify(schema.default)}.`;
    return `  ${key.padEnd(20)} ${schema.type ?? 'any'}, ${need}. ${schema.description ?? ''}${choices}${usual}`.trimEnd();
  });
  const given = parameters.filter(([key]) => required.has(key));
  const pairs = given.map(([key, schema]) => ` -a ${key}=${shellWord(exampleOf(schema))}`).join('');
  return [
    `trivet call ${name}: ${title}`,
    '',
    description,
    '',
    lines.length === 0 ? '  It takes no parameters.' : lines.join('\n'),
    '',
    'Example:',
    `  trivet call ${name}${pairs}`,
    '',
  ].join('\n');
}

interface ParameterSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly items?: ParameterSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
}

/** A value that is valid by the schema, with only its required properties. */
function exampleOf(schema: ParameterSchema): unknown {
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return [exampleOf(schema.items ?? {})];
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((key) => [key, exampleOf(schema.properties?.[key] ?? {})]),
      );
    default:
      return 'text';
  }
}

function shellWord(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.,:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
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
