import { exit, UsageError } from '../../base/errors.ts';
import { didYouMean, nearest } from '../../text/nearest-word.ts';
import type { Command, CommandFace } from '../../module/command.ts';
import type { Module } from '../../module/module.ts';
import { clientSettings, coreSettings, outputSettings, type SettingTable } from '../../settings/settings.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** A command of the kernel. It prints by itself and returns the exit code. */
export interface KernelCommand extends CommandFace {
  readonly needs: 'nothing' | 'machine';
  run(invocation: Invocation, all: readonly AnyCommand[]): Promise<number>;
}

export type AnyCommand = Command | KernelCommand;

/** The location of the data, a setting of every command that uses a directory. */
export const place = (({ data, database, config }) => ({ data, database, config }))(coreSettings);

/** All commands in the order of help: those of the kernel, those of the modules (with tools first), then the meta commands. */
export function commandsOf(
  modules: readonly Module[],
  kernel: { readonly first: readonly KernelCommand[]; readonly last: readonly KernelCommand[] },
): readonly AnyCommand[] {
  const { tools = [], host = [] } = Object.groupBy(
    modules.flatMap(({ commands = [] }) => commands),
    ({ needs }) => (needs === 'tools' ? 'tools' : 'host'),
  );
  return [...kernel.first, ...tools, ...host, ...kernel.last];
}

/** The settings of a command: its own, and those of what it needs. */
export function settingsOf({ needs, settings }: AnyCommand): SettingTable {
  switch (needs) {
    case 'nothing':
    case 'machine':
      return settings;
    case 'tools':
      return { ...settings, ...outputSettings, ...clientSettings, ...settings, ...place };
    default:
      return { ...settings, json: clientSettings.json, ...place };
  }
}

/** The command named by the first words; `serve` without words. */
export const commandNamed = (
  [first = 'serve', second]: readonly string[],
  commands: readonly AnyCommand[],
): AnyCommand | undefined =>
  commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);

/** The commands whose names begin with a word, e.g. `token`. */
export const groupOf = (word: string, commands: readonly AnyCommand[]): readonly AnyCommand[] =>
  commands.filter(({ name }) => name.startsWith(`${word} `));

/**
 * The command named by the first words, or the group named by a single word; `serve` without words.
 * @throws UsageError when there is neither.
 */
export function chooseCommand(
  words: readonly string[],
  commands: readonly AnyCommand[],
): { readonly command?: AnyCommand; readonly group: readonly AnyCommand[] } {
  const command = commandNamed(words, commands);
  if (command) return { command, group: [] };
  const group = words.length === 1 ? groupOf(words[0] ?? '', commands) : [];
  if (group.length > 0) return { group };
  const known = commands.map(({ name }) => name);
  const given = words.join(' ');
  const closest = nearest(given, known) === undefined ? (words[0] ?? '') : given;
  const hint = didYouMean(closest, known, (name) => `"trivet ${name}"`);
  throw new UsageError(`There is no command "${words[0]}".${hint} See trivet help.`, exit.usage);
}

/** The maximum number of words in a name. */
export const maxWords = 2;

/**
 * Finds the name of the command: the first words that are neither flags nor their values. Flags may come before it.
 * @returns these words and the rest of the command line.
 */
export function splitName(argv: readonly string[], table: SettingTable) {
  let at = 0;
  while (at < argv.length && (argv[at] ?? '').startsWith('-')) {
    const [name = '', inline] = (argv[at] ?? '').replace(/^--?/, '').split('=', 2);
    const setting = table[name] ?? table[name.replace(/-file$/, '')];
    at += setting && setting.type !== 'boolean' && inline === undefined ? 2 : 1;
  }
  const words: string[] = [];
  while (words.length < maxWords && at + words.length < argv.length) {
    const word = argv[at + words.length] ?? '';
    if (word.startsWith('-')) break;
    words.push(word);
  }
  return { words, rest: [...argv.slice(0, at), ...argv.slice(at + words.length)] };
}
