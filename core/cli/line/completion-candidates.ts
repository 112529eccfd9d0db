import type { SettingTable } from '../../settings/settings.ts';
import { commandNamed, groupOf, settingsOf, type AnyCommand } from './command-list.ts';

/** Everything that a command line may contain. */
export interface CompletionWorld {
  readonly commands: readonly AnyCommand[];
  readonly tools: readonly string[];
  readonly toolsets: readonly string[];
  /** The parameters of a tool as JSON Schema, by name. */
  parametersOf(tool: string): Promise<Readonly<Record<string, Parameter>>>;
  /** Possible continuations of the text of a parameter. */
  completed(tool: string, parameter: string, text: string): Promise<readonly string[]>;
}

interface Parameter {
  readonly type?: unknown;
  readonly enum?: readonly string[];
  readonly items?: Parameter;
}

/** Longer lines are not completed: nobody types them. */
const longestLine = 8_192;

/**
 * What the last word of a command line may be: whole words, without the quote that opens it.
 * @param line the command line up to the cursor, with the name of the program.
 */
export async function candidates(line: string, world: CompletionWorld): Promise<readonly string[]> {
  if (line.length > longestLine) return [];
  const words = wordsOf(line).slice(1);
  const last = words.pop() ?? '';
  const previous = words.at(-1) ?? '';
  const plain = plainWords(words, world);
  const settings = flagsOf(plain, world);
  const starting = (all: readonly string[]) => all.filter((one) => one.startsWith(last));

  const flag = /^--([\w-]+)$/.exec(previous)?.[1];
  const setting = flag === undefined ? undefined : settings[flag];
  if (flag === 'toolsets' || flag === 'tools')
    return listed(last, flag === 'tools' ? world.tools : world.toolsets);
  if (setting?.type === 'string' && setting.choices) return starting(setting.choices);
  const [first, second] = plain;
  if (first === 'call' && second !== undefined && (previous === '-a' || flag === 'argument'))
    return argumentWords(second, last, world);
  if (setting && setting.type !== 'boolean') return [];
  if (last.startsWith('--')) return starting(Object.keys(settings).map((name) => `--${name}`));
  const firstWords = () => [...new Set(world.commands.map(({ name }) => name.split(' ')[0] ?? name))];
  if (first === undefined) return starting(firstWords());
  if (first === 'call') return second === undefined ? starting(world.tools) : starting(['-a']);
  if (first === 'help') return starting(second === 'call' ? world.tools : firstWords());
  if (first === 'completion') return starting(['bash', 'zsh', 'fish']);
  const completes = commandNamed(plain, world.commands)?.completes;
  if (completes) return world.completed(completes.tool, completes.parameter, last);
  if (second !== undefined) return [];
  return starting(groupOf(first, world.commands).map(({ name }) => name.slice(first.length + 1)));
}

/** The flags of the command that these words name. */
function flagsOf(words: readonly string[], { commands }: CompletionWorld): SettingTable {
  const command = commandNamed(words, commands);
  return command ? settingsOf(command) : {};
}

/** `projectId=`, or a value of a parameter with a few possible values. */
async function argumentWords(tool: string, word: string, world: CompletionWorld): Promise<readonly string[]> {
  const parameters = await world.parametersOf(tool);
  const at = word.indexOf('=');
  if (at < 0)
    return Object.keys(parameters)
      .filter((name) => name.startsWith(word))
      .map((name) => `${name}=`);
  const [name, value] = [word.slice(0, at), word.slice(at + 1)];
  const parameter = parameters[name];
  if (!parameter) return [];
  const found = parameter.enum
    ? parameter.enum.filter((one) => one.startsWith(value))
    : parameter.type === 'boolean'
      ? ['true', 'false'].filter((one) => one.startsWith(value))
      : parameter.items?.enum
        ? listed(value, parameter.items.enum)
        : await world.completed(tool, name, value);
  return found.map((one) => `${name}=${one}`);
}

/** Completes the last of several names separated by commas. */
function listed(text: string, names: readonly string[]): readonly string[] {
  const before = text.slice(0, text.lastIndexOf(',') + 1);
  return names.filter((name) => name.startsWith(text.slice(before.length))).map((name) => before + name);
}

/** Words that are neither flags nor their values. */
function plainWords(words: readonly string[], world: CompletionWorld): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      found.push(word);
      continue;
    }
    const setting = flagsOf(found, world)[word.replace(/^--?/, '')];
    if (word === '-a' || (setting && setting.type !== 'boolean')) at++;
  }
  return found;
}

/** The words of a shell line: quotes group, and a backslash escapes the next character. The last word may be empty. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let begun = false;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (character === '\\' && quote !== "'") {
      word += line[++at] ?? '';
      begun = true;
    } else if (quote === character) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      begun = true;
    } else if (quote === '' && /\s/.test(character)) {
      if (begun) words.push(word);
      [word, begun] = ['', false];
    } else {
      word += character;
      begun = true;
    }
  }
  return [...words, word];
}
