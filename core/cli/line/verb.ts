import type { Command, Module, ShortCall, ToolCommand } from '../../module/module.ts';
import { clientSettings, coreSettings, outputSettings, type SettingTable } from '../../settings/settings.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** A command of the kernel. */
export interface Verb {
  readonly name: string;
  /** The words after it, as help shows them. */
  readonly words?: string;
  readonly summary: string;
  /** The settings that its own page shows. */
  readonly settings: SettingTable;
  /** It can work on another server (`--url`). */
  readonly remote?: true;
  readonly run: (invocation: Invocation) => Promise<number>;
}

/** Where the data is, which every command of a directory takes. */
export const place = (({ data, database, config }) => ({ data, database, config }))(coreSettings);

export const commandsOf = (modules: readonly Module[]): readonly Command[] =>
  modules.flatMap((module) => module.commands ?? []);

export const shortCallsOf = (modules: readonly Module[]): readonly ShortCall[] =>
  modules.flatMap((module) => module.shortCalls ?? []);

export const toolCommandsOf = (modules: readonly Module[]): readonly ToolCommand[] =>
  modules.flatMap((module) => module.toolCommands ?? []);

/** Every verb, as it is written: those of the kernel and of the modules. */
export const verbNames = (verbs: readonly Verb[], modules: readonly Module[]): readonly string[] => [
  ...verbs.map(({ name }) => name),
  ...shortCallsOf(modules).map(({ verb }) => verb),
  ...toolCommandsOf(modules).map(({ verb }) => verb),
  'help',
  'version',
  ...commandsOf(modules).map(({ verb }) => verb),
];

/** What a short form takes besides its words. */
export const settingsOfShort = ({ settings }: ShortCall): SettingTable => ({
  ...settings,
  ...outputSettings,
  ...clientSettings,
  ...place,
});

/** What a command that works by tools takes besides its words. */
export const settingsOfToolCommand = ({ settings }: ToolCommand): SettingTable => ({
  ...clientSettings,
  ...settings,
  ...place,
});

/** A verb has at most this number of words. */
const maxWords = 2;

/**
 * Finds the verb: the first words that are neither flags nor their values. Flags may come before it.
 * @returns its words (none means `serve`) and the rest of the command line.
 */
export function splitVerb(argv: readonly string[], table: SettingTable) {
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
