import { beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kitProblem } from '../core/plugin/plugin-loading.ts';
import { foreignStatement } from '../core/plugin/plugin-migrations.ts';
import { version } from '../core/base/version.ts';
import { compiled, requireBuilt, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

/** A plugin whose operation, route, jobs and check each fail in a different way. */
const faulty = `export const kit = 1;
export default ({ defineModule, operation, closedObject, member, http, Type, defineErrors }) => {
  const errors = { NOT_TODAY: { status: 409, tip: 'Try tomorrow.' } };
  const fail = defineErrors(errors);
  return defineModule({
    name: 'faulty',
    requires: ['auth'],
    errors,
    settings: { 'faulty-key': { type: 'string', secret: true, description: 'A secret of it.' },
      'faulty-size': { type: 'integer', default: 3, minimum: 1, maximum: 9, description: 'A size.' },
      'faulty-rooms': { type: 'table', description: 'Rooms by name.',
        schema: Type.Record(Type.String({ pattern: '^[a-z]+$' }), closedObject({ token: Type.String() })) } },
    corsHeaders: ['x-faulty'],
    operations: [operation({ name: 'go-wrong', toolset: 'faulty', title: 't', description: 'd', effect: 'read',
      access: member('read'), input: closedObject({ how: Type.String() }), output: closedObject({}),
      handler: async ({ how }) => { if (how === 'declared') throw fail.NOT_TODAY('Not today.'); throw new TypeError('a private text'); } })],
    routes: (app, host) => {
      app.get('/faulty', () => { throw new RangeError('a private text'); }, { parse: 'none' });
      app.get('/faulty/me', async ({ request }) => http.jsonAnswer({ userId: (await http.signedInCaller(host, request)).userId }), { parse: 'none' });
    },
    jobs: [
      { name: 'throws', everyMs: 50, run: () => { throw new SyntaxError('a private text'); } },
      { name: 'never-ends', everyMs: 50, run: () => new Promise(() => {}) },
      { name: 'works', everyMs: 50, run: async (host) => host.log.info('faulty_works') },
    ],
    checks: [{ name: 'odd', run: async () => { throw new Error('odd'); } }],
  });
};`;

function written(text: string, name = 'faulty.ts'): string {
  const file = join(temporaryDirectory('plugin'), name);
  writeFileSync(file, text);
  return file;
}

test('what a plugin throws while it runs names it, in logs and answers, and stops nothing else', async () => {
  const where = ['--plugin', written(faulty), '--data', temporaryDirectory('plugin-data')];
  const called = (how: string) =>
    runTrivet(compiled, ['call', 'go-wrong', '-a', `how=${how}`, '--json', ...where]);
  await runTrivet(compiled, ['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=P', ...where]);
  const wrong = await called('wrong');
  expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
  expect(wrong.stderr).toContain('"message":"The plugin \\"faulty\\" failed."');
  expect(wrong.stderr).toContain('"plugin":"faulty","error":"TypeError"');
  expect(wrong.stderr).not.toContain('private');
  expect((await called('declared')).stderr).toContain('"code":"NOT_TODAY"');

  const server = await serveTrivet(compiled, ['--cors-origin', 'https://shop.example', ...where]);
  const failed = await fetch(`${server.origin}/faulty`);
  expect([failed.status, await failed.json()]).toEqual([
    500,
    { error: { code: 'INTERNAL', message: 'The plugin "faulty" failed.' } },
  ]);
  expect((await fetch(`${server.origin}/faulty/me`)).status).toBe(401);
  const preflight = await fetch(`${server.origin}/faulty`, {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
  });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-faulty');
  await Bun.sleep(500);
  const began = performance.now();
  expect(await server.stop()).toBe(0);
  // The job that never ends is abandoned after five seconds.
  expect(performance.now() - began).toBeWithin(4_000, 9_000);
  const log = server.stderr();
  expect(log).toMatch(/"event":"request_failed",.*"plugin":"faulty","error":"RangeError"/);
  expect(log).toMatch(/"event":"job_failed","job":"throws","plugin":"faulty","error":"SyntaxError"/);
  expect(log).toMatch(/"event":"job_failed","job":"never-ends","plugin":"faulty"/);
  expect(log.match(/"event":"faulty_works"/g)?.length).toBeGreaterThan(2);
  expect(log).not.toContain('private');

  const doctor = await runTrivet(compiled, ['doctor', ...where]);
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain(
    'WRONG     faulty odd (plugin_check_failed): The check "odd" of the plugin "faulty" failed: odd.',
  );
}, 60_000);

test('its settings are settings like any other: flag, environment, file, help, and secrets masked', async () => {
  const config = written(
    '"faulty-size" = 4\n[faulty-rooms.blue]\ntoken = "sesame of a room"\n',
    'trivet.toml',
  );
  const shared = ['--plugin', written(faulty), '--config', config];
  const env = { TRIVET_FAULTY_KEY: 'sesame' };
  const printed = await runTrivet(compiled, ['config', 'print', ...shared], { env });
  expect(printed.stdout).toContain(`"***"  # TRIVET_FAULTY_KEY\nfaulty-size = 4  # ${config}: faulty-size\n`);
  expect(printed.stdout).toContain(`faulty-rooms = {"blue":{"token":"***"}}  # ${config}: faulty-rooms\n`);
  expect(printed.stdout).not.toContain('sesame');
  const flags = await runTrivet(compiled, ['config', 'print', ...shared, '--faulty-size', '5'], { env });
  expect(flags.stdout).toContain('faulty-size = 5  # --faulty-size');
  for (const [args, message, exitCode = 2] of [
    [['--faulty-size', '10'], '--faulty-size must be from 1 to 9.'],
    [['--faulty-key', 'sesame'], '--faulty-key would show a secret to every process of this machine.'],
    [['--faulty-sizes', '1'], 'Unknown flag --faulty-sizes. Did you mean --faulty-size?', 64],
  ] as const) {
    const refused = await runTrivet(compiled, ['config', 'print', ...shared, ...args]);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr).toContain(message);
  }
  const { stdout } = await runTrivet(compiled, ['help', ...shared]);
  for (const shown of ['--faulty-size', '--faulty-key-file', 'A size.']) expect(stdout).toContain(shown);
});

/** @see So did a request to an S3 server that took the connection and said nothing: the process outlived its end until that server went. */
test('what a plugin leaves running keeps neither a command nor a stopped server', async () => {
  const leaves = `export default ({ defineModule }) => { setInterval(() => {}, 1_000); return defineModule({ name: 'leaves' }); };`;
  const where = ['--plugin', written(leaves, 'leaves.ts'), '--data', temporaryDirectory('plugin-data')];
  const server = await serveTrivet(compiled, where);
  const [called, stopped] = await Promise.all([
    runTrivet(compiled, ['call', 'get-orgs-list', ...where]),
    server.stop(),
  ]);
  expect([called.exitCode, stopped]).toEqual([0, 0]);
}, 20_000);

test('two plugins with the same name are both named', async () => {
  const one = written("export default (kit) => kit.defineModule({ name: 'twin' });", 'one.ts');
  const two = written("export default (kit) => kit.defineModule({ name: 'twin' });", 'two.ts');
  const { exitCode, stderr } = await runTrivet(compiled, ['help', '--plugin', one, '--plugin', two]);
  expect([exitCode, stderr]).toEqual([
    2,
    `trivet: Two modules are named "twin": the plugin ${two} and the plugin ${one}. Rename one.\n`,
  ]);
});

test.each<readonly [unknown, string | undefined]>([
  [undefined, undefined],
  [2, undefined],
  [3, undefined],
  [1, `was written for kit 1, this Trivet ${version} has kit 2 and later: update the plugin.`],
  [4, `needs kit 4, this Trivet ${version} has kit 3: update Trivet.`],
  [0, 'must say which kit it needs as a whole number: export const kit = 1;'],
  ['2', 'must say which kit it needs as a whole number: export const kit = 1;'],
  [2.5, 'must say which kit it needs as a whole number: export const kit = 1;'],
])('export const kit = %p, here 2 to 3', (kit, problem) => {
  expect(kitProblem(kit, { newest: 3, oldest: kit === undefined ? 1 : 2 })).toBe(problem);
});

test('what a timer or a promise of a plugin throws is one line of the log, and the server goes on', async () => {
  const plugin = written(
    `export const kit = 1;
export default ({ defineModule }) => defineModule({ name: 'careless', requires: ['auth'], start: async () => {
  setTimeout(() => { throw new RangeError('a private text'); }, 500);
  setTimeout(() => void Promise.reject(new TypeError('a private text')), 500);
} });`,
    'careless.ts',
  );
  const server = await serveTrivet(compiled, [
    '--plugin',
    plugin,
    '--data',
    temporaryDirectory('plugin-careless'),
  ]);
  const uncaught = () =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"uncaught_error"'))
      .map((line) => JSON.parse(line) as { error: string; at: string });
  for (let tries = 0; tries < 100 && uncaught().length < 2; tries++) await Bun.sleep(50);
  expect(
    uncaught()
      .map(({ error }) => error)
      .toSorted(),
  ).toEqual(['RangeError', 'TypeError']);
  for (const { at } of uncaught()) expect(at).toContain('careless.ts');
  expect(server.stderr()).not.toContain('private');
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
}, 60_000);

test.each<readonly [string, string | undefined]>([
  ['CREATE TABLE a_one (id integer); CREATE UNIQUE INDEX IF NOT EXISTS a_i ON a_one (id)', undefined],
  ['create index concurrently a_i on a_one (id)', undefined],
  ['CREATE TABLE "a_one" (x text DEFAULT \'; DROP TABLE b\')', undefined],
  ['-- DROP TABLE b;\nALTER TABLE a_one ADD COLUMN y text /* ; COMMIT; */', undefined],
  ['INSERT INTO a_one SELECT id FROM testmgmt_runs', undefined],
  [
    'CREATE TRIGGER a_t AFTER INSERT ON a_one BEGIN UPDATE a_one SET x = 1; DELETE FROM a_two; END',
    undefined,
  ],
  ['CREATE FUNCTION a_f() RETURNS trigger AS $$ BEGIN DELETE FROM b; END $$ LANGUAGE plpgsql', undefined],
  ['CREATE TABLE b (id integer)', 'changes "b"'],
  ['CREATE TABLE a_one (id integer); DROP TABLE IF EXISTS b', 'changes "b"'],
  ['CREATE INDEX runs_fast ON testmgmt_runs (id)', 'changes "runs_fast"'],
  ['ALTER TABLE testmgmt_runs ADD COLUMN a_x text', 'changes "testmgmt_runs"'],
  ['INSERT OR REPLACE INTO auth_users VALUES (1)', 'changes "auth_users"'],
  ['UPDATE "auth_users" SET name = 1', 'changes "auth_users"'],
  ['delete from auth_users', 'changes "auth_users"'],
  ['CREATE TABLE a_one (id integer); COMMIT; DROP TABLE a_one', 'has a statement COMMIT'],
  ['PRAGMA foreign_keys = ON', 'has a statement PRAGMA'],
])('%s', (sql, problem) => {
  const found = foreignStatement({ name: 'a', migrations: { sqlite: [], postgres: [{ tag: 'x', sql }] } });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(`its postgres migration "x" ${problem}`);
});
