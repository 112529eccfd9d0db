import { exit, UsageError } from '../../base/errors.ts';
import { didYouMean } from '../../text/nearest-word.ts';
import { typesOf } from '../invocation/typed-argument.ts';
import { moduleSettings } from '../../kernel/module-loading.ts';
import type { Module } from '../../module/module.ts';
import { clientSettings, coreSettings, type Setting, type SettingTable } from '../../settings/settings.ts';
import type { Operation } from '../../tools/operation.ts';
import { shellWord } from '../../base/own-command.ts';
import { version } from '../../base/version.ts';
import { defaultText } from '../../settings/time-setting.ts';
import { operationOf, toolNames } from '../invocation/invocation.ts';
import { chooseCommand, maxWords, settingsOf, type AnyCommand } from './command-list.ts';

/** The page of a command, a group, a tool (`call get-tests`), or of everything. @throws UsageError for an unknown name. */
export async function helpPageOf(
  words: readonly string[],
  commands: readonly AnyCommand[],
  modules: readonly Module[],
): Promise<string> {
  if (words.length === 0) return pageOfAll(commands, modules);
  const [first = '', second] = words;
  const { command, group } = chooseCommand(words.slice(0, maxWords), commands);
  if (!command) return pageOfGroup(first, group);
  const { name, summary } = command;
  if (name === 'help' || name === 'version') return pageOfAll(commands, modules);
  if (name === 'call' && second !== undefined) return pageOfTool(await toolToShow(second, modules));
  return `trivet ${usageOf(command)}: ${summary}.\n\n${flagLines(settingsOf(command))}`;
}

async function toolToShow(tool: string, modules: readonly Module[]): Promise<Operation> {
  const operation = await operationOf({ modules }, tool);
  if (operation) return operation;
  const names = toolNames({ modules }).map(({ name }) => name);
  throw new UsageError(
    `There is no tool "${tool}".${didYouMean(tool, names)} "trivet tools" lists them.`,
    exit.usage,
  );
}

/** A command as it is typed, with its arguments. */
const usageOf = ({ name, words }: AnyCommand) => (words ? `${name} ${words}` : name);

const lineOf = (usage: string, summary: string) => `  trivet ${usage.padEnd(16)} ${summary}`;

function pageOfAll(commands: readonly AnyCommand[], modules: readonly Module[]): string {
  const [serve = '', ...others] = commands.map((command) => lineOf(usageOf(command), command.summary));
  return [
    `trivet ${version}: sign-in, call-to-action state and test management in one executable`,
    '',
    serve,
    lineOf('--mcp', 'Serve the Model Context Protocol on stdin and stdout'),
    ...others,
    '',
    'Every flag is also TRIVET_<FLAG> in the environment and a key of the --config file (TOML).',
    'A flag may stand before or after the command.',
    '',
    flagLines({ ...coreSettings, ...clientSettings, ...moduleSettings(modules) }),
  ].join('\n');
}

const pageOfGroup = (group: string, commands: readonly AnyCommand[]): string =>
  [
    `trivet ${group}:`,
    '',
    ...commands.map(({ name, summary }) => lineOf(name, summary)),
    '',
    `"trivet help ${commands[0]?.name ?? group}" shows what one of them takes.`,
    '',
  ].join('\n');

/** The page of a tool: its description, its parameters and an example. */
function pageOfTool({ name, title, description, input }: Operation): string {
  const required = new Set(input.required);
  const parameters = Object.entries(input.properties as Record<string, ParameterSchema>);
  const lines = parameters.map(([key, schema]) => {
    const need = required.has(key) ? 'required' : 'optional';
    const choices = schema.enum ? ` One of ${schema.enum.join(', ')}.` : '';
    const usual = schema.default === undefined ? '' : ` Default ${JSON.stringify(schema.default)}.`;
    return `  ${key.padEnd(20)} ${[...new Set(typesOf(schema))].join() || 'any'}, ${need}. ${schema.description ?? ''}${choices}${usual}`.trimEnd();
  });
  const given = parameters.filter(([key]) => required.has(key));
  const pairs = given.map(([key, schema]) => ` -a ${key}=${valueWord(exampleOf(schema))}`).join('');
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
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly ParameterSchema[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly items?: ParameterSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
}

/** A value that is valid by the schema, with only its required properties. */
function exampleOf(schema: ParameterSchema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0]);
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

const valueWord = (value: unknown): string =>
  shellWord(typeof value === 'string' ? value : JSON.stringify(value));

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
      return `--${name} ${setting.unit ? 'TIME' : 'N'}`;
    case 'table':
      return `[${name}] in the file`;
    default:
      return `--${name} ${setting.value ?? (setting.type === 'string' ? setting.choices?.join('|') : undefined) ?? 'TEXT'}`;
  }
}

function shownDefault(setting: Setting): string {
  const text = defaultText(setting);
  return text === '' ? '' : ` (default ${text})`;
}
