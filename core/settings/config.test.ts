import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/temporary.ts';
import { UsageError } from '../base/errors.ts';
import { peekList, peekSetting, resolveConfig } from './config.ts';
import { callSettings } from '../cli/invocation/command-settings.ts';
import { clientSettings, coreSettings } from './settings.ts';

const table = { ...coreSettings, ...clientSettings, ...callSettings };
const directory = temporaryDirectory('config');
const file = (name: string, text: string) => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const toml = file('good.toml', 'port = 9001\nmodules = ["auth", "cta"]\ndev = true\nhost = "::1"\n');
const secret = file('token', 'from a file\n');

describe('where a value comes from: flag > environment > file > default', () => {
  const cases: ReadonlyArray<readonly [string, string[], Record<string, string>, Record<string, unknown>]> = [
    ['default', [], {}, { port: 8787, host: '127.0.0.1', dev: false }],
    ['file', ['--config', toml], {}, { port: 9001, host: '::1', dev: true, modules: ['auth', 'cta'] }],
    ['environment beats file', ['--config', toml], { TRIVET_PORT: '9002' }, { port: 9002, host: '::1' }],
    ['flag beats environment', ['--port', '9003'], { TRIVET_PORT: '9002' }, { port: 9003 }],
    ['the file itself from the environment', [], { TRIVET_CONFIG: toml }, { port: 9001 }],
    ['flag with equals sign', ['--port=9004'], {}, { port: 9004 }],
    [
      'list: repeated and by commas',
      ['--plugin', 'a.ts', '--plugin=b.ts,c.ts'],
      {},
      { plugin: ['a.ts', 'b.ts', 'c.ts'] },
    ],
    [
      'origins of pages and of apps in a web view',
      ['--cors-origin', 'http://localhost:5173,capacitor://localhost,https://[::1]:8443,null'],
      {},
      { 'cors-origin': ['http://localhost:5173', 'capacitor://localhost', 'https://[::1]:8443', 'null'] },
    ],
    ['boolean word in the environment', [], { TRIVET_DEV: 'false' }, { dev: false }],
    ['secret from a file by flag', ['--token-file', secret], {}, { token: 'from a file' }],
    ['secret from a file by environment', [], { TRIVET_TOKEN_FILE: secret }, { token: 'from a file' }],
    ['secret itself beats its file', [], { TRIVET_TOKEN: 'x', TRIVET_TOKEN_FILE: secret }, { token: 'x' }],
    [
      '-a keeps commas and equals signs',
      ['-a', 'x=1,2', '-a', 'y=a=b'],
      {},
      { argument: ['x=1,2', 'y=a=b'] },
    ],
  ];
  test.each(cases)('%s', (_title, argv, env, expected) => {
    expect(resolveConfig(table, { argv, env }).read(table)).toMatchObject(expected);
  });
});

describe('a mistake is named with its remedy and exit code 2', () => {
  const cases: ReadonlyArray<readonly [string, string[], Record<string, string>, RegExp]> = [
    ['unknown flag', ['--prot', '1'], {}, /^Unknown flag --prot\. Did you mean --port\?$/],
    ['unknown flag far from all', ['--zzzzzzzz'], {}, /^Unknown flag --zzzzzzzz\.$/],
    // Backups were then made in clear.
    [
      'no recipient',
      ['--backup-recipient', ''],
      {},
      /^--backup-recipient must be a text that is not empty\.$/,
    ],
    [
      'no recipient in the environment',
      [],
      { TRIVET_REPLICATE_RECIPIENT: ' , ' },
      /^TRIVET_REPLICATE_RECIPIENT must be a text that is not empty\.$/,
    ],
    [
      'unknown environment variable',
      [],
      { TRIVET_PROT: '1' },
      /^Unknown environment variable TRIVET_PROT\. Did you mean TRIVET_PORT\?$/,
    ],
    [
      'unknown key',
      ['--config', file('key.toml', 'prot = 1\n')],
      {},
      /key\.toml: unknown key "prot"\. Did you mean "port"\?$/,
    ],
    [
      'a key of a plugin that is not loaded',
      ['--config', file('plugged.toml', '[webhooks-endpoints.build]\nurl = "https://build.example/"\n')],
      {},
      /plugged\.toml: unknown key "webhooks-endpoints"\. If a plugin has it, name the plugin, too: plugin = \["FILE\.ts"\] or --plugin FILE\.ts\.$/,
    ],
    [
      'a file that names another one',
      ['--config', file('config.toml', 'config = "good.toml"\n')],
      {},
      /config\.toml: "config" names a file like this one, which cannot name another one\.$/,
    ],
    [
      'missing file',
      ['--config', join(directory, 'none.toml')],
      {},
      /^--config: the file .* cannot be read\.$/,
    ],
    ['broken file', ['--config', file('broken.toml', 'a = = 1')], {}, /is not valid TOML/],
    ['not a number', ['--port', 'eighty'], {}, /^--port must be a whole number from 0 to 65535\.$/],
    ['out of bounds', [], { TRIVET_PORT: '65536' }, /^TRIVET_PORT must be from 0 to 65535\.$/],
    ['float', ['--port', '80.5'], {}, /^--port must be a whole number/],
    [
      'bad choice',
      ['--log-level', 'wran'],
      {},
      /^--log-level must be one of debug, info, warn, error \(did you mean "warn"\?\)\.$/,
    ],
    ['bad form', ['--database', 'mysql://x'], {}, /^--database must be a URL such as postgres:/],
    // Each of these was taken, and then refused every request, without a word.
    ...['https://a.example/', 'https://A.example', 'https://a.example:443', 'a.example', '*'].map(
      (origin): readonly [string, string[], Record<string, string>, RegExp] => [
        `an origin that no browser sends: ${origin}`,
        ['--cors-origin', `https://b.example,${origin}`],
        {},
        /^--cors-origin must be web origins such as https:\/\/app\.example, without a path or a slash at the end, not "\S+"\.$/,
      ],
    ),
    [
      'an address instead of a host name',
      [],
      { TRIVET_ALLOWED_HOSTS: 'https://a.example' },
      /^TRIVET_ALLOWED_HOSTS must be names of hosts .*, not "https:\/\/a\.example"\.$/,
    ],
    [
      'a public address with a slash',
      ['--public-url', 'https://a.example/'],
      {},
      /^--public-url must be an origin such as https:\/\/trivet\.example, without a path or a slash at the end\.$/,
    ],
    [
      'a public address with an impossible port',
      ['--public-url', 'https://a.example:87871'],
      {},
      /^--public-url must be an origin/,
    ],
    [
      'a replica that is a path',
      ['--replicate', '/mnt/nas'],
      {},
      /^--replicate must be file:\/\/\/DIR or s3:\/\/BUCKET\/PREFIX\.$/,
    ],
    ['bad boolean', [], { TRIVET_DEV: 'yes' }, /^TRIVET_DEV must be true or false\.$/],
    ['no value', ['--port'], {}, /^--port needs a value\.$/],
    ['flag instead of a value', ['--port', '--dev'], {}, /^--port needs a value\.$/],
    [
      'secret on the command line',
      ['--token', 'x'],
      {},
      /^--token would show a secret .* TRIVET_TOKEN_FILE or --token-file FILE/,
    ],
    [
      'secret file that is not there',
      ['--token-file', join(directory, 'none')],
      {},
      /^--token-file: the file .* cannot be read/,
    ],
    [
      'wrong type in the file',
      ['--config', file('type.toml', 'port = "x"\n')],
      {},
      /type\.toml: port must be a whole number/,
    ],
  ];
  test.each(cases)('%s', (_title, argv, env, message) => {
    expect(() => resolveConfig(table, { argv, env })).toThrow(message);
    try {
      resolveConfig(table, { argv, env });
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      const isFlag = /^Unknown flag|needs a value/.test((error as UsageError).message);
      expect((error as UsageError).exitCode).toBe(isFlag ? 64 : 2);
    }
  });
  test('an error never shows the value of a secret', () => {
    expect(() => resolveConfig(table, { argv: ['--token', 'hush'], env: {} })).not.toThrow(/hush/);
  });
});

test('words that are no flags are kept in order, also after --', () => {
  expect(resolveConfig(table, { argv: ['a', '--port', '1', 'b', '--', '--c'], env: {} }).words).toEqual([
    'a',
    'b',
    '--c',
  ]);
});

test('a setting can be looked up before the whole table is known', () => {
  const env = { TRIVET_DATABASE: 'postgres://e' };
  expect(peekSetting('database', { argv: ['--database=postgres://f'], env })).toBe('postgres://f');
  expect(peekSetting('database', { argv: ['--unknown', '--database', 'postgres://g'], env })).toBe(
    'postgres://g',
  );
  expect(peekSetting('database', { argv: [], env })).toBe('postgres://e');
  expect(peekSetting('host', { argv: ['--config', toml], env: {} })).toBe('::1');
  expect(peekList('modules', { argv: ['--config', toml], env: {} })).toEqual(['auth', 'cta']);
  expect(peekList('modules', { argv: ['--modules', 'auth', '--modules=cta'], env: {} })).toEqual([
    'auth',
    'cta',
  ]);
  expect(peekSetting('database', { argv: [], env: {} })).toBeUndefined();
});

/** @see examples/plugins/run-summary.ts: the interface of plugins says what a text must be by a pattern. */
test.each([
  ['https://chat.example', undefined],
  ['{origin}/page', undefined],
  ['chat.example', /^--target must be of the form URL \(\^\(https\?:\\\/\\\/\|\\\{origin\\\}\)\)\.$/],
])('a setting of a plugin with a pattern: %s', (value, message) => {
  const own = {
    target: { type: 'string', value: 'URL', pattern: /^(https?:\/\/|\{origin\})/, description: 'x' },
  } as const;
  const resolved = () => resolveConfig(own, { argv: ['--target', value], env: {} }).read(own).target;
  if (message === undefined) expect(resolved()).toBe(value);
  else expect(resolved).toThrow(message);
});
