import type { Config } from './config.ts';
import type { SettingTable, Values } from './settings.ts';

/** The settings of a server, some of which change while it runs. */
export interface LiveConfig {
  /** Everything that has it sees the new values. */
  readonly config: Config;
  /** Takes the values of another configuration for these settings; all others stay. */
  take(next: Config, names: readonly string[]): void;
}

export function liveConfig(first: Config): LiveConfig {
  /** Where the value of a setting comes from, unless from the first configuration. */
  const taken = new Map<string, Config>();
  const followers = new Map<string, ReadonlyArray<() => void>>();
  const sourceOf = (name: string): Config => taken.get(name) ?? first;
  const config: Config = {
    words: first.words,
    with: (values) => withValues(config, values),
    fileOf: (name) => sourceOf(name).fileOf(name),
    sourceOf: (name) => sourceOf(name).sourceOf(name),
    read: (table) => {
      const read = { ...first.read(table) };
      for (const [name, source] of taken) {
        const setting = table[name];
        if (setting) Object.assign(read, source.read({ [name]: setting }));
      }
      return read;
    },
    follow: (table, name) => (take) => {
      const tell = () => sourceOf(name).follow(table, name)(take);
      followers.set(name, [...(followers.get(name) ?? []), tell]);
      tell();
    },
  };
  return {
    config,
    take: (next, names) => {
      for (const name of names) taken.set(name, next);
      for (const name of names) for (const tell of followers.get(name) ?? []) tell();
    },
  };
}

const withValues = (config: Config, values: Readonly<Record<string, unknown>>): Config => {
  const over = (table: SettingTable) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(table, name)));
  return {
    ...config,
    with: (more) => withValues(config, { ...values, ...more }),
    read: <T extends SettingTable>(table: T): Values<T> => ({ ...config.read(table), ...over(table) }),
    follow: (table, name) => (take) =>
      Object.hasOwn(values, name) ? take(values[name] as never) : config.follow(table, name)(take),
  };
};
