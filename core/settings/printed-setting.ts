import type { Config } from './config.ts';
import { secretParameter } from './setting-form.ts';
import type { Setting, SettingTable } from './settings.ts';

/** A setting as people may read it: no secret. */
export interface PrintedSetting {
  readonly name: string;
  /** null when it is not set. */
  readonly value: unknown;
  /** e.g. `--port`, `TRIVET_PORT`, `trivet.toml: port`, `default`, `not set`. */
  readonly source: string;
}

const masked = '***';

/** The settings of a table with their values and where each was given. */
export function describeSettings(config: Config, table: SettingTable): readonly PrintedSetting[] {
  const values: Readonly<Record<string, unknown>> = config.read(table);
  return Object.entries(table).map(([name, setting]) => {
    const value = values[name];
    if (value === undefined) return { name, value: null, source: 'not set' };
    return { name, value: withoutSecrets(setting, value), source: config.sourceOf(name) ?? 'default' };
  });
}

function withoutSecrets(setting: Setting, value: unknown): unknown {
  if (setting.secret) return masked;
  if (setting.type === 'table') return withoutSecretMembers(value);
  if (typeof value !== 'string' || !setting.secretLike) return value;
  const shown = withoutSecretParameters(value.replace(/^([a-z]+:\/\/[^/@:]*):.*@/, `$1:${masked}@`));
  // A name alone, before the host, is a secret only where the setting says so.
  return setting.secretLike.test(shown) ? shown.replace(/^([a-z]+:\/\/)[^/@:]*@/, `$1${masked}@`) : shown;
}

const secretParameters = new RegExp(`(${secretParameter.source})[^&#]*`, 'gi');

const withoutSecretParameters = (url: string): string => url.replaceAll(secretParameters, `$1${masked}`);

/** A table may get a new secret member that this file does not know, so the name decides. */
function withoutSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretMembers);
  if (typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value))
    return withoutSecretParameters(value.replace(/^([^/]*\/\/[^/@:]*):[^/]*@/, `$1:${masked}@`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      /secret|password|token|privatekey/i.test(name) ? masked : withoutSecretMembers(member),
    ]),
  );
}
