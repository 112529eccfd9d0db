import { afterAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '../../../core/base/actor.ts';
import { engine } from '../../../core/db/query/engine.ts';
import { startTestKernel } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { toolsOf } from '../../../test/tools.ts';
import { originKind } from './setting-origin.ts';

const directory = temporaryDirectory('settings');
const config = join(directory, 'trivet.toml');
const secret = 'not-for-anybody-else';
writeFileSync(
  config,
  `access-ttl = 600
[providers.staff]
issuer = "https://issuer.example"
clientId = "app"
clientSecret = "${secret}"
`,
  { mode: 0o600 },
);
const trivet = await startTestKernel({ settings: { config } });
const { call, refusal, owner } = await toolsOf(trivet);
afterAll(() => trivet.stop());

interface Setting {
  readonly name: string;
  readonly value: unknown;
}
const everySetting = async () =>
  (await call('get-server-settings', { limit: 500 }))['settings'] as readonly Setting[];

describe('settings', () => {
  const cases: ReadonlyArray<readonly [string, object]> = [
    ['port', { value: 0, origin: 'flag', source: '--port', fixed: true, reload: false }],
    [
      'access-ttl',
      { value: 600, origin: 'file', source: `${config}: access-ttl`, fixed: false, reload: true },
    ],
    ['refresh-idle', { value: 2_592_000, origin: 'default', source: 'default', reload: true }],
    ['public-url', { value: null, origin: 'not set', source: 'not set', fixed: false }],
    ['dev', { value: true, description: expect.stringContaining('ID tokens') as string }],
  ];
  test.each(cases)('%s', async (name, expected) => {
    expect((await everySetting()).find((one) => one.name === name)).toMatchObject(expected);
  });

  test('a secret is masked', async () => {
    const settings = await everySetting();
    expect(settings.find(({ name }) => name === 'providers')?.value).toMatchObject({
      staff: { clientId: 'app', clientSecret: '***' },
    });
    expect(JSON.stringify(settings)).not.toContain(secret);
    // Client settings are not server settings.
    expect(settings.map(({ name }) => name)).not.toContain('token');
  });

  test('pages fit together', async () => {
    const all = (await everySetting()).map(({ name }) => name);
    const { total, settings, nextOffset } = await call('get-server-settings', { limit: 5, offset: 3 });
    expect([total, nextOffset]).toEqual([all.length, 8]);
    expect((settings as readonly Setting[]).map(({ name }) => name)).toEqual(all.slice(3, 8));
  });

  test.each([
    ['cta-require-token', '--cta-require-token', 'flag'],
    ['master-key', '--master-key-file', 'flag'],
    ['master-key', 'TRIVET_MASTER_KEY', 'environment'],
    ['master-key', 'TRIVET_MASTER_KEY_FILE', 'environment'],
    ['master-key', '/etc/trivet.toml: master-key-file', 'file'],
    ['port', '--strange.toml: port', 'file'],
    ['port', 'default', 'default'],
    ['public-url', 'not set', 'not set'],
  ] as const)('%s of %s is of kind %s', (name, source, expected) => {
    expect(originKind({ name, value: 1, source })).toBe(expected);
  });
});

test('health: what runs, its checks, how much data there is', async () => {
  const health = await call('get-server-health');
  expect(health).toMatchObject({
    version: trivet.kernel.host.version,
    engine: engine(),
    ready: true,
    checks: expect.arrayContaining(
      ['storage', 'schema', 'auth'].map((name) => ({
        name,
        ok: true,
        code: null,
        cause: null,
        message: null,
        remedy: null,
      })),
    ) as object[],
    lastBackup: null,
  });
  const { bytes, tables } = health['data'] as {
    bytes: number;
    tables: Array<{ table: string; rows: number; atLeast: boolean }>;
  };
  expect(bytes).toBeGreaterThan(100_000);
  expect(tables.length).toBe(12);
  expect(tables.find(({ table }) => table === 'trivet_migrations')?.rows).toBeGreaterThan(10);
  expect(tables.map(({ rows }) => rows)).toEqual(tables.map(({ rows }) => rows).toSorted((a, b) => b - a));
  writeFileSync(
    join(trivet.directory, 'last-backup.json'),
    JSON.stringify({ at: 0, file: '/secret/place.tar.gz', bytes: 7 }),
  );
  const after = await call('get-server-health');
  expect(after['lastBackup']).toEqual({ at: '1970-01-01T00:00:00.000Z', bytes: 7 });
  expect(JSON.stringify(after)).not.toContain('/secret/');
});

test('a check that fails is named with its remedy', async () => {
  const other = await startTestKernel({
    plugins: [
      {
        name: 'broken',
        ready: async () => {
          throw new Error('secret detail');
        },
      },
    ],
  });
  const health = await (await toolsOf(other)).call('get-server-health');
  await other.stop();
  expect(health).toMatchObject({ ready: false });
  expect((health['checks'] as Array<{ name: string }>).find(({ name }) => name === 'broken')).toMatchObject({
    ok: false,
    code: 'INTERNAL',
    remedy: expect.any(String) as string,
  });
  expect(JSON.stringify(health)).not.toContain('secret detail');
});

test.each<[string, Partial<Actor>]>([
  ['a member of the first organization', { roles: new Map([[1, 'member']]) }],
  ['an administrator of another one', { roles: new Map([[2, 'admin']]) }],
])('%s sees neither', async (_who, rights) => {
  for (const tool of ['get-server-settings', 'get-server-health'])
    expect(await refusal(tool, {}, { ...owner, ...rights })).toMatchObject({ code: 'FORBIDDEN' });
});
