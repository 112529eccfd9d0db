import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { coreSettings, type Setting, type SettingTable } from './settings.ts';

/*
 * Files that decide what this program does: its configuration, its plugins, its secrets.
 */

const othersWrite = 0o002;
const sticky = 0o1000;
/** The group may read the file: container platforms give secrets to non-root processes in this way. */
const groupWritesOrOthers = 0o027;

const modeOf = (path: string): number => statSync(path).mode;

/**
 * Refuses a file that every user of the machine could write or replace: that user could decide what this program runs. Windows has no such
 * modes.
 * @throws UsageError with the remedy.
 */
export function refuseWritableByAll(from: string, path: string): void {
  if (process.platform === 'win32') return;
  if ((modeOf(path) & othersWrite) !== 0)
    throw new UsageError(
      `${from}: ${path} can be written by every user of this machine. Run: chmod o-w ${path}`,
    );
  const directory = dirname(resolve(path));
  const mode = modeOf(directory);
  // In a sticky directory like /tmp only the owner can replace a file.
  if ((mode & othersWrite) !== 0 && (mode & sticky) === 0)
    throw new UsageError(
      `${from}: every user of this machine can replace ${path}, because they may write in its directory. Run: chmod o-w ${directory}`,
    );
}

/** Refuses a file with a secret that others can read. @throws UsageError with the remedy. */
export function refuseReadableByOthers(from: string, path: string): void {
  if (process.platform === 'win32' || (modeOf(path) & groupWritesOrOthers) === 0) return;
  throw new UsageError(`${from}: ${path} can be read by other users of this machine. Run: chmod 600 ${path}`);
}

/** The values of a configuration file; relative paths are resolved against its directory. @throws UsageError. */
export function readSettingsFile(
  from: string,
  path: string,
  table: SettingTable = coreSettings,
): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${from}: the file ${path} cannot be read.`);
  }
  let parsed: Record<string, unknown>;
  try {
    parsed = Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(
      `${path} is not valid TOML: ${error instanceof Error ? error.message : 'unreadable'}`,
    );
  }
  refuseWritableByAll(from, path);
  const base = dirname(resolve(path));
  return Object.fromEntries(
    Object.entries(parsed).map(([key, value]) => {
      if (hasSecret(table[key], value)) refuseReadableByOthers(`${path}: ${key}`, path);
      return [key, isPath(key, table[key]) ? located(base, value) : withLocatedFiles(base, value)];
    }),
  );
}

const hasSecret = (setting: Setting | undefined, value: unknown): boolean =>
  setting?.secret === true ||
  setting?.secretLike?.test(typeof value === 'string' ? value : JSON.stringify(value)) === true;

const isPath = (key: string, setting: Setting | undefined): boolean =>
  key.endsWith('-file') ||
  (setting !== undefined && 'value' in setting && (setting.value === 'DIR' || setting.value === 'FILE'));

/** Otherwise a shell in another directory, or a service, would open another file. */
function located(base: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => located(base, one));
  return typeof value === 'string' && value !== '' ? resolve(base, value) : value;
}

/** A table whose texts named `…File` are paths, e.g. `clientSecretFile` of a provider. */
function withLocatedFiles(base: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key.endsWith('File') ? located(base, one) : withLocatedFiles(base, one),
    ]),
  );
}
