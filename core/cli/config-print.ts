import { exit, UsageError } from '../errors.ts';
import { clientSettings, coreSettings, type Setting, type SettingTable } from '../settings/settings.ts';
import { print, type Invocation } from './invocation.ts';
import { jsonShown, shown } from './terminal-text.ts';
import { moduleSettings } from './verbs.ts';

interface Printed {
  readonly name: string;
  /** null when it is not set. */
  readonly value: unknown;
  /** e.g. `--port`, `TRIVET_PORT`, `trivet.toml: port`, `default`, `not set`. */
  readonly source: string;
}

const masked = '***';

/** `trivet config print`: what a server of this command line, environment and file would work with. Opens no data. */
export async function runConfigPrint({ config, modules }: Invocation): Promise<number> {
  if (config.words.length !== 1 || config.words[0] !== 'print')
    throw new UsageError('trivet config has one verb: trivet config print.', exit.usage);
  const table: SettingTable = { ...coreSettings, ...clientSettings, ...moduleSettings(modules) };
  const values: Readonly<Record<string, unknown>> = config.read(table);
  const printed = Object.entries(table).map(([name, setting]): Printed => {
    const value = values[name];
    if (value === undefined) return { name, value: null, source: 'not set' };
    return { name, value: withoutSecrets(setting, value), source: config.sourceOf(name) ?? 'default' };
  });
  const { json } = config.read(clientSettings);
  return print(json ? `${jsonShown({ settings: printed })}\n` : shown(printed.map(lineOf).join('')));
}

/** In the form of the configuration file. */
function lineOf({ name, value, source }: Printed): string {
  return value === null ? `# ${name} is not set\n` : `${name} = ${JSON.stringify(value)}  # ${source}\n`;
}

function withoutSecrets(setting: Setting, value: unknown): unknown {
  if (setting.secret) return masked;
  if (setting.type === 'table') return withoutSecretMembers(value);
  if (typeof value !== 'string' || !setting.secretLike) return value;
  return value
    .replace(/^([a-z]+:\/\/[^/@:]*):.*@/, `$1:${masked}@`)
    .replaceAll(/([?&]password=)[^&]*/g, `$1${masked}`);
}

/** A table may get a member with a secret that this file does not know: the name decides. */
function withoutSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      /secret|password|token|privatekey/i.test(name) ? masked : withoutSecretMembers(member),
    ]),
  );
}
