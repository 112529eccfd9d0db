import { expect, test } from 'bun:test';
import { apiVersion, parseClientHeaders } from './client-headers.ts';

const from = (headers: Record<string, string>) => ({ get: (name: string) => headers[name] ?? null });
const ok = { api_version: '1', 'auth-userid': '7' };

test.each<[string | undefined, 'below' | 'ok' | 'invalid']>([
  [undefined, 'below'],
  ['0', 'below'],
  ['-1', 'below'],
  ['1', 'ok'],
  ['01', 'ok'],
  ['9223372036854775807', 'ok'],
  ['9223372036854775808', 'invalid'],
  ['1.0', 'invalid'],
  ['1e3', 'invalid'],
  ['one', 'invalid'],
  ['', 'invalid'],
])('api_version %p is %s', (value, expected) => {
  expect(apiVersion(from(value === undefined ? {} : { api_version: value }))).toBe(expected);
});

test.each<[string, string | null]>([
  ['7', '7'],
  ['007', '7'],
  ['-0', '0'],
  ['-12', '-12'],
  ['9007199254740993', '9007199254740993'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9223372036854775808', null],
  ['-9223372036854775809', null],
  ['+5', null],
  ['1.0', null],
  ['1e3', null],
  ['0x10', null],
  ['', null],
  ['7, 8', null],
  ['٧', null],
])('auth-userid %p is user %p', (value, userId) => {
  const parsed = parseClientHeaders(from({ ...ok, 'auth-userid': value }));
  if (userId === null) {
    expect(parsed).toEqual({
      kind: 'invalid',
      message: 'Invalid request: header auth-userid must be a signed 64-bit integer',
    });
  } else {
    expect(parsed).toMatchObject({ kind: 'client', client: { userId } });
  }
});

test('an endless auth-userid is refused without converting it', () => {
  const parsed = parseClientHeaders(from({ ...ok, 'auth-userid': '1'.repeat(1_000_000) }));
  expect(parsed).toMatchObject({ kind: 'invalid' });
});

test('the gate precedes every other check', () => {
  expect(parseClientHeaders(from({}))).toEqual({ kind: 'gated' });
  expect(parseClientHeaders(from({ api_version: '0', 'auth-userid': 'x', 'x-tenant-id': '/' }))).toEqual({
    kind: 'gated',
  });
});

test.each<[string, Record<string, string>, string]>([
  ['no user', { api_version: '1' }, 'header auth-userid is required'],
  ['a version that is no long', { ...ok, api_version: 'x' }, 'header api_version must be a long'],
  [
    'an unsafe tenant',
    { ...ok, 'x-tenant-id': 'a/b' },
    'header x-tenant-id must be 1 to 128 letters, digits, dots, underscores, colons or hyphens',
  ],
  [
    'an endless version',
    { ...ok, app_version: '1'.repeat(257) },
    'header app_version must have at most 256 characters',
  ],
])('refuses %s', (_, headers, problem) => {
  expect(parseClientHeaders(from(headers))).toEqual({
    kind: 'invalid',
    message: `Invalid request: ${problem}`,
  });
});

test('reads the rest, with its defaults', () => {
  expect(parseClientHeaders(from(ok))).toEqual({
    kind: 'client',
    client: {
      tenantId: 'default',
      userId: '7',
      appVersion: null,
      hotupdateVersion: null,
      packageName: null,
      timeZone: null,
    },
  });
  const sent = {
    'x-tenant-id': ' shop.eu ',
    app_version: '1.2',
    codepush_version: 'v9',
    package_name: 'com.a',
    tz: 'Europe/Rome',
  };
  expect(parseClientHeaders(from({ ...ok, ...sent }))).toEqual({
    kind: 'client',
    client: {
      tenantId: 'shop.eu',
      userId: '7',
      appVersion: '1.2',
      hotupdateVersion: 'v9',
      packageName: 'com.a',
      timeZone: 'Europe/Rome',
    },
  });
  expect(parseClientHeaders(from({ ...ok, ...sent, hotupdate_version: 'v10' }))).toMatchObject({
    client: { hotupdateVersion: 'v10' },
  });
});
