import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/temporary.ts';
import { peekList, peekSetting, resolveConfig } from './config.ts';
import { readSettingsFile } from './settings-file.ts';
import { coreSettings, type SettingTable } from './settings.ts';

const providers = {
  type: 'table',
  schema: { type: 'object' },
  secretLike: /"clientSecret"/,
  description: '',
};
const table = { ...coreSettings, providers } as unknown as SettingTable;

/** A file of its own directory, with modes. */
function file(text: string, mode = 0o600, directoryMode = 0o755): string {
  const directory = temporaryDirectory('settings');
  const path = join(directory, 'trivet.toml');
  writeFileSync(path, text);
  chmodSync(path, mode);
  chmodSync(directory, directoryMode);
  return path;
}

const refusal = (path: string): string | null => {
  try {
    readSettingsFile('--config', path, table);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
};

describe('who may write or read a configuration file', () => {
  const plain = 'port = 9001\n';
  const password = 'database = "postgres://trivet:pa55@db.example/trivet"\n';
  const clientSecret = '[providers.google]\nclientId = "x"\nclientSecret = "s3cret"\n';
  const cases: ReadonlyArray<readonly [string, string, number, number, RegExp | null]> = [
    ['its owner', plain, 0o600, 0o700, null],
    ['everybody reads it', plain, 0o644, 0o755, null],
    ['the group writes it', plain, 0o660, 0o775, null],
    ['everybody writes it', plain, 0o646, 0o755, /can be written by every user.*chmod o-w .*trivet\.toml$/],
    [
      'everybody writes in its directory',
      plain,
      0o600,
      0o777,
      /every user of this machine can replace.*chmod o-w/,
    ],
    ['a directory like /tmp', plain, 0o600, 0o1777, null],
    [
      'a password that everybody reads',
      password,
      0o644,
      0o755,
      /database.*can be read by other users.*chmod 600/,
    ],
    ['a password that the group reads', password, 0o640, 0o755, null],
    ['a database without a password', 'database = "postgres://db.example/trivet"\n', 0o644, 0o755, null],
    [
      'a secret of a client that everybody reads',
      clientSecret,
      0o644,
      0o755,
      /providers.*can be read by other users/,
    ],
    ['a secret of a client', clientSecret, 0o640, 0o755, null],
  ];
  test.each(cases)('%s', (_, text, mode, directoryMode, message) => {
    const refused = refusal(file(text, mode, directoryMode));
    if (message === null) expect(refused).toBeNull();
    else expect(refused).toMatch(message);
    expect(refused ?? '').not.toMatch(/pa55|s3cret/);
  });
});

test('relative paths are those of its directory, not of the shell', () => {
  const path = file(
    'data = "data"\nplugin = ["a.ts", "/opt/b.ts"]\nbackup-dir = "../backups"\ndatabase-file = "db.url"\nhost = "localhost"\n' +
      '[providers.google]\nclientId = "x"\nclientSecretFile = "google.secret"\n',
  );
  const directory = join(path, '..');
  mkdirSync(join(directory, 'data'));
  writeFileSync(join(directory, 'db.url'), 'postgres://db.example/trivet');
  const config = resolveConfig(table, { argv: ['--config', path], env: {} }).read(table);
  expect(config).toMatchObject({
    data: join(directory, 'data'),
    plugin: [join(directory, 'a.ts'), '/opt/b.ts'],
    'backup-dir': join(directory, '../backups'),
    database: 'postgres://db.example/trivet',
    host: 'localhost',
    providers: { google: { clientId: 'x', clientSecretFile: join(directory, 'google.secret') } },
  });
  const sources = { argv: ['--config', path], env: {} };
  expect(peekSetting('database', sources)).toBe('postgres://db.example/trivet');
  expect(peekList('plugin', sources)).toEqual([join(directory, 'a.ts'), '/opt/b.ts']);
});
