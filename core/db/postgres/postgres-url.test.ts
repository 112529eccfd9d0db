import { expect, test } from 'bun:test';
import { UsageError } from '../../base/errors.ts';
import { parsePostgresUrl, hostNamesOf } from './postgres-url.ts';

const plain = {
  hosts: [{ hostname: 'localhost', port: 5432 }],
  username: undefined,
  password: undefined,
  database: undefined,
  tls: undefined,
  tlsRoot: undefined,
  target: 'any',
  connectTimeoutSeconds: 10,
  parameters: {},
} as const;

test.each<[string, object]>([
  ['postgres://', {}],
  ['postgresql://db', { hosts: [{ hostname: 'db', port: 5432 }] }],
  [
    'postgres://ann:p%40ss@db:6432/trivet',
    { hosts: [{ hostname: 'db', port: 6432 }], username: 'ann', password: 'p@ss', database: 'trivet' },
  ],
  ['postgres://ann@/trivet', { username: 'ann', database: 'trivet' }],
  ['postgres://ann:a:b@db', { hosts: [{ hostname: 'db', port: 5432 }], username: 'ann', password: 'a:b' }],
  ['postgres://ann:a@b@db', { hosts: [{ hostname: 'db', port: 5432 }], username: 'ann', password: 'a@b' }],
  ['postgres://[::1]:1/x', { hosts: [{ hostname: '::1', port: 1 }], database: 'x' }],
  ['postgres://%2Frun%2Fpg/x', { hosts: [{ hostname: '/run/pg', port: 5432 }], database: 'x' }],
  [
    'postgres://one:1,two/x',
    {
      hosts: [
        { hostname: 'one', port: 1 },
        { hostname: 'two', port: 5432 },
      ],
      database: 'x',
      target: 'read-write',
    },
  ],
  [
    'postgres://one,two/x?target_session_attrs=any&sslmode=require&sslrootcert=/ca.pem&connect_timeout=3&search_path=a',
    {
      hosts: [
        { hostname: 'one', port: 5432 },
        { hostname: 'two', port: 5432 },
      ],
      database: 'x',
      tls: 'require',
      tlsRoot: '/ca.pem',
      connectTimeoutSeconds: 3,
      parameters: { search_path: 'a' },
    },
  ],
])('%s', (url, expected) => expect(parsePostgresUrl(url)).toEqual({ ...plain, ...expected } as never));

test.each<[string, RegExp]>([
  ['mysql://secret@db', /is not of the form postgres:\/\/USER:PASSWORD@HOST:PORT\/DATABASE\.$/],
  ['postgres://secret:secret@db:x/y', /has a host that is not HOST or HOST:PORT\.$/],
  ['postgres://db:70000', /has a port outside of 1 to 65535\.$/],
  ['postgres://secret:100%secret@db', /has a password with a "%"/],
  ['postgres://secret@db?sslmode=on', /has a sslmode that is not one of disable, .*verify-full\.$/],
  ['postgres://secret@db?target_session_attrs=standby', /has a target_session_attrs that is not one of any,/],
  ['postgres://secret@db?connect_timeout=1h', /has a connect_timeout that is not a number of seconds\.$/],
])('%s is refused, and nothing of the login is repeated', (url, message) => {
  expect(() => parsePostgresUrl(url)).toThrow(message);
  expect(() => parsePostgresUrl(url)).toThrow(UsageError);
  expect(() => parsePostgresUrl(url)).not.toThrow(/secret/);
});

test('servers are shown without the login', () => {
  expect(hostNamesOf(parsePostgresUrl('postgres://a:b@one:1,[::1],%2Frun/x'))).toBe('one:1, ::1:5432, /run');
});
