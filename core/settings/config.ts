import { existsSync, readFileSync } from 'node:fs';
import { exit, UsageError } from '../base/errors.ts';
import { didYouMean } from '../text/nearest-word.ts';
import { readSettingsFile, refuseReadableByOthers } from './settings-file.ts';
import { checkSetting, splitList, type Origin } from './setting-value.ts';
import type { Setting, SettingTable, Values } from './settings.ts';

/**
 * Every setting comes from: flag > environment > file > default. An undeclared name and an invalid value are errors that name the
 * mistake and the remedy; nothing starts with a part of its configuration.
 */
export interface Config {
  /** The values of a table of settings. @throws Error for a setting that was not resolved. */
  read<T extends SettingTable>(table: T): Values<T>;
  /**
   * The values of a setting with `reload`, for code that lives as long as the server.
   * @example config.follow(coreSettings, 'cors-origin')((origins) => (allowed = new Set(origins)));
   */
  follow<T extends SettingTable, N extends keyof T & string>(table: T, name: N): Followed<Values<T>[N]>;
  /** The file that a secret was read from (`--<name>-file`), if any: it may contain a new value later. */
  fileOf(name: string): string | undefined;
  /** The same with other values for some settings. */
  with(values: Readonly<Record<string, unknown>>): Config;
  /** Where a value was given, e.g. `TRIVET_PORT`; undefined for defaults and unset settings. */
  sourceOf(name: string): string | undefined;
  /** Words of the command line that are neither flags nor their values. */
  readonly words: readonly string[];
}

/** Calls `take` with the present value at once, and with each later one. */
export type Followed<V> = (take: (value: V) => void) => void;

export interface Sources {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The settings of a server of which this process is a part: they count, and nothing is read again. */
  readonly inForce?: SettingsInForce | undefined;
}

/** Settings as a process of a server gives them to another one, e.g. as JSON. */
export type SettingsInForce = Readonly<Record<string, SettingInForce>>;

interface SettingInForce {
  /** Checked. Missing where a setting has no value. */
  readonly value?: unknown;
  readonly from?: string | undefined;
  readonly file?: string | undefined;
}

const environmentName = (name: string) => `TRIVET_${name.toUpperCase().replaceAll('-', '_')}`;

/**
 * Reads a setting before all settings are known: which engine, which modules. Reports no error: {@link resolveConfig}, which has the
 * whole table, does.
 */
export function peekSetting(name: string, sources: Sources): string | undefined {
  const { argv, env, inForce } = sources;
  if (inForce) return textOf(inForce[name]?.value);
  for (let i = argv.length - 1; i >= 0; i--) {
    const word = argv[i] ?? '';
    if (word.startsWith(`--${name}=`)) return word.slice(name.length + 3);
    if (word === `--${name}`) return argv[i + 1];
    const file = word.startsWith(`--${name}-file=`)
      ? word.slice(name.length + 8)
      : word === `--${name}-file`
        ? argv[i + 1]
        : undefined;
    if (file && existsSync(file)) return readFileSync(file, 'utf8').trim();
  }
  const key = environmentName(name);
  if (env[key] !== undefined) return env[key];
  const fromFile = env[`${key}_FILE`];
  if (fromFile && existsSync(fromFile)) return readFileSync(fromFile, 'utf8').trim();
  if (name === 'config') return undefined;
  const file = peekSetting('config', sources);
  if (!file || !existsSync(file)) return undefined;
  try {
    const table = readSettingsFile('--config', file);
    const named = table[`${name}-file`];
    const value = table[name] ?? (typeof named === 'string' ? readFileSync(named, 'utf8').trim() : undefined);
    return textOf(value);
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? value.join(',') : String(value);

/** Every value of a setting that may be repeated, in the order given: `--plugin a.ts --plugin b.ts`. */
export function peekList(name: string, sources: Sources): readonly string[] | undefined {
  const repeated: string[] = [];
  for (const [i, word] of sources.inForce ? [] : sources.argv.entries()) {
    if (word.startsWith(`--${name}=`)) repeated.push(word.slice(name.length + 3));
    else if (word === `--${name}` && sources.argv[i + 1] !== undefined)
      repeated.push(sources.argv[i + 1] ?? '');
  }
  if (repeated.length > 0) return repeated.flatMap(splitList);
  const single = peekSetting(name, sources);
  return single === undefined ? undefined : splitList(single);
}

/** Resolves every setting of `table`. @throws UsageError that names the first mistake: 64 for an unknown flag, 2 for a value. */
export function resolveConfig(table: SettingTable, sources: Sources): Config {
  const { flags, words } = readFlags(table, sources.argv);
  const environment = readEnvironment(table, sources.env);
  const file = readFile(table, flags.get('config') ?? environment.get('config'));

  const resolved = new Map<string, unknown>();
  const originOf = (name: string) => flags.get(name) ?? environment.get(name) ?? file.get(name);
  for (const [name, setting] of Object.entries(table)) {
    const origin = originOf(name);
    if (origin) resolved.set(name, checkSetting(setting, origin));
    else if (setting.type === 'boolean') resolved.set(name, false);
    else if ('default' in setting) resolved.set(name, setting.default);
  }

  return configOf({ table, words, originOf }, resolved);
}

/** The settings of a server, for its other processes. */
export const settingsInForce = (table: SettingTable, config: Config): SettingsInForce =>
  Object.fromEntries(
    Object.entries(config.read(table)).map(([name, value]) => [
      name,
      { value, from: config.sourceOf(name), file: config.fileOf(name) },
    ]),
  );

/** The same settings in the process that was given them. */
export const configInForce = (table: SettingTable, given: SettingsInForce): Config =>
  configOf(
    { table, words: [], originOf: (name) => given[name] },
    new Map(Object.entries(given).map(([name, { value }]) => [name, value])),
  );

interface Resolved {
  readonly table: SettingTable;
  readonly words: readonly string[];
  readonly originOf: (name: string) => Pick<SettingInForce, 'from' | 'file'> | undefined;
}

const configOf = (resolved: Resolved, values: ReadonlyMap<string, unknown>): Config => {
  const { table, words, originOf } = resolved;
  return {
    words,
    follow: (part, name) => {
      if (table[name] !== part[name]) throw new Error(`setting "${name}" was not resolved`);
      return (take) => take(values.get(name) as never);
    },
    fileOf: (name) => originOf(name)?.file,
    with: (changed) => configOf(resolved, new Map([...values, ...Object.entries(changed)])),
    sourceOf: (name) => originOf(name)?.from,
    read: <T extends SettingTable>(part: T) => {
      const read: Record<string, unknown> = {};
      for (const name of Object.keys(part)) {
        if (table[name] !== part[name]) throw new Error(`setting "${name}" was not resolved`);
        read[name] = values.get(name);
      }
      return read as Values<T>;
    },
  };
};

function readFlags(table: SettingTable, argv: readonly string[]) {
  const flags = new Map<string, Origin>();
  const words: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === '--') {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const short = word === '-a' ? '--argument' : word === '-h' ? '--help' : word;
    const [key = '', inline] = splitOnce(short.replace(/^--?/, ''), '=');
    const direct = table[key];
    const fromFile = direct ? undefined : secretOfFile(table, key);
    if (!direct && !fromFile) {
      const hint = didYouMean(key, Object.keys(table), (name) => `--${name}`);
      throw new UsageError(`Unknown flag ${word.split('=')[0]}.${hint}`, exit.usage);
    }
    if (direct?.secret) throw secretInFlag(key);
    if (direct?.type === 'boolean') {
      flags.set(key, { from: `--${key}`, value: inline ?? true });
      continue;
    }
    const value = inline ?? argv[++i];
    if (value === undefined || (inline === undefined && value.startsWith('--'))) {
      throw new UsageError(`--${key} needs a value.`, exit.usage);
    }
    if (fromFile) {
      flags.set(fromFile, secretIn(`--${key}`, value, table[fromFile]));
    } else if (direct?.type === 'list') {
      const before = flags.get(key)?.value;
      const parts = key === 'argument' ? [value] : splitList(value);
      if (parts.length === 0) checkSetting(direct, { from: `--${key}`, value });
      flags.set(key, { from: `--${key}`, value: [...(Array.isArray(before) ? before : []), ...parts] });
    } else {
      if (direct?.secretLike?.test(value)) throw secretInFlag(key);
      flags.set(key, { from: `--${key}`, value });
    }
  }
  return { flags, words };
}

const secretInFlag = (key: string) =>
  new UsageError(
    `--${key} would show a secret to every process of this machine. Set ${environmentName(key)}, ` +
      `${environmentName(key)}_FILE or --${key}-file FILE instead.`,
  );

/** The name of the secret that `--<name>-file` gives, if there is one. */
function secretOfFile(table: SettingTable, key: string): string | undefined {
  const name = key.endsWith('-file') ? key.slice(0, -5) : '';
  return table[name]?.secret || table[name]?.secretLike ? name : undefined;
}

function readEnvironment(table: SettingTable, env: Sources['env']) {
  const found = new Map<string, Origin>();
  const byVariable = new Map(Object.keys(table).map((name) => [environmentName(name), name]));
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('TRIVET_') || value === undefined || variable.startsWith('TRIVET_TEST_'))
      continue;
    const direct = byVariable.get(variable);
    if (direct) {
      found.set(direct, { from: variable, value });
      continue;
    }
    const name = variable.endsWith('_FILE') ? byVariable.get(variable.slice(0, -5)) : undefined;
    if (!name) {
      const hint = didYouMean(variable, [...byVariable.keys()], (known) => known);
      throw new UsageError(`Unknown environment variable ${variable}.${hint}`);
    }
    if (!found.has(name)) found.set(name, secretIn(variable, value, table[name]));
  }
  return found;
}

const secretIn = (from: string, file: string, setting: Setting | undefined): Origin => ({
  from,
  value: readSecretFile(from, file, setting),
  file,
});

function readSecretFile(from: string, path: string, setting: Setting | undefined): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch {
    throw new UsageError(`${from}: the file ${path} cannot be read.`);
  }
  if (setting?.ownerOnly || setting?.secretLike?.test(text)) refuseReadableByOthers(from, path);
  return text;
}

function readFile(table: SettingTable, origin: Origin | undefined) {
  const found = new Map<string, Origin>();
  if (!origin) return found;
  const path = String(origin.value);
  for (const [key, value] of Object.entries(readSettingsFile(origin.from, path, table))) {
    const from = `${path}: ${key}`;
    const secret = secretOfFile(table, key);
    if (secret) {
      found.set(secret, secretIn(from, String(value), table[secret]));
    } else if (table[key] && key !== 'config') {
      found.set(key, { from, value });
    } else if (key === 'config') {
      throw new UsageError(`${path}: "config" names a file like this one, which cannot name another one.`);
    } else {
      const remedy =
        didYouMean(key, Object.keys(table)) ||
        ' If a plugin has it, name the plugin, too: plugin = ["FILE.ts"] or --plugin FILE.ts.';
      throw new UsageError(`${path}: unknown key "${key}".${remedy}`);
    }
  }
  return found;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
