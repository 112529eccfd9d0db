import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, compiled, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Common mistakes on the command line, and the places where people look for help.
 *
 * Mutation note: seen to fail when a reading command may begin a database, when refuseUrl is left out, and when the cut is not compared
 * with what is known.
 */
/** @see Finding: token list, keys list, auth doctor and reading calls created a new instance in whatever folder they were run. */
describe('a command that reads, in the wrong folder', () => {
  const readers: ReadonlyArray<readonly [string]> = [
    ['token list'],
    ['keys list'],
    ['call get-orgs-list'],
    ['call no-such-tool'],
    ['tools --as a@b.co'],
    ['migrate --check'],
    ['doctor'],
  ];
  test.each(readers)('%s says where it looked and makes nothing', async (line) => {
    const cwd = temporaryDirectory('wrong');
    const answer = await runTrivet(compiled, line.split(' '), { cwd });
    const unknown = line.includes('no-such-tool');
    expect([answer.exitCode, answer.stdout]).toEqual([unknown ? 1 : 2, '']);
    expect(answer.stderr).toContain(unknown ? 'There is no tool' : `There is no Trivet database in ${cwd}`);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

test('auth doctor looks at the configuration alone: it needs no data and makes none', async () => {
  const cwd = temporaryDirectory('wrong');
  const answer = await runTrivet(compiled, ['auth', 'doctor'], { cwd });
  expect([answer.exitCode, answer.stdout]).toEqual([
    1,
    expect.stringContaining('No identity provider') as string,
  ]);
  expect(readdirSync(cwd)).toEqual([]);
});

test.each([[['version']], [['config', 'print']], [['completion', 'bash']]])(
  '%p asks no server: --url is refused, and the variable of the environment is not',
  async (args) => {
    const given = await runTrivet(compiled, [...args, '--url', 'http://127.0.0.1:1']);
    expect([given.exitCode, given.stdout]).toEqual([64, '']);
    expect(given.stderr).toContain('asks no server: leave out --url');
    const there = await runTrivet(compiled, args, { env: { TRIVET_URL: 'http://127.0.0.1:1' } });
    expect([there.exitCode, there.stderr]).toEqual([0, '']);
  },
);

/** @see Finding: verbs that cannot use --url ignored it and acted on a new local directory instead. */
test.each([
  [['token', 'list']],
  [['token', 'create', '--email', 'a@b.co', '--name', 'x']],
  [['keys', 'list']],
  [['dev', 'id-token', '--email', 'a@b.co']],
  [['backup', 'x']],
  [['migrate']],
  [['serve']],
])('%p refuses a server somewhere else', async (args) => {
  const cwd = temporaryDirectory('url');
  const ways = [
    await runTrivet(compiled, [...args, '--url', 'http://127.0.0.1:1'], { cwd }),
    await runTrivet(compiled, args, { cwd, env: { TRIVET_URL: 'http://127.0.0.1:1' } }),
  ];
  for (const answer of ways) {
    expect([answer.exitCode, answer.stdout]).toEqual([64, '']);
    expect(answer.stderr).toContain('not on the server of --url or TRIVET_URL');
  }
  expect(readdirSync(cwd)).toEqual([]);
});

describe('help is where people look for it', () => {
  const page = async (...args: string[]) => {
    const { exitCode, stdout } = await runTrivet(compiled, args, { cwd: temporaryDirectory('help') });
    expect([args, exitCode]).toEqual([args, 0]);
    return stdout;
  };
  test('of one command: four ways, one page', async () => {
    const pages = [
      await page('token', 'create', '--help'),
      await page('token', 'create', '-h'),
      await page('help', 'token', 'create'),
      await page('--help', 'token', 'create'),
    ];
    expect(pages[0]).toMatch(/--scopes WORDS/);
    expect(new Set(pages).size).toBe(1);
  });
  test('of everything', async () => {
    const all = await page('help');
    expect([await page('-h'), await page('--help')]).toEqual([all, all]);
  });
  test('a group alone lists its commands', async () => {
    expect(await page('token')).toMatch(/trivet token create[^]*trivet token list[^]*trivet token revoke/);
    expect(await page('keys')).toMatch(/trivet keys list[^]*trivet keys rotate/);
    expect(await page('help', 'token')).toBe(await page('token'));
  });
  test('of a tool: its parameters and a call of it', async () => {
    const text = await page('call', 'run-update-test-status', '--help');
    expect(text).toMatch(/testResults +array, required/);
    expect(text).toContain(
      `trivet call run-update-test-status -a runId=1 -a projectId=1 -a testResults='[{"testId":1,"status":"passed"}]'`,
    );
    expect(await page('help', 'call', 'run-update-test-status')).toBe(text);
    const either = await page('call', 'assign-tests', '--help');
    expect(either).toMatch(/assignTo +array,null, required/);
    expect(either).toContain(`-a assignTo='[1]'\n`);
    const unknown = await runTrivet(compiled, ['call', 'get-test', '--help']);
    expect(unknown.exitCode).toBe(64);
    expect(unknown.stderr).toContain('get-tests');
  });
  test('global flags stand before the verb as well', async () => {
    const data = temporaryDirectory('global');
    const made = await runTrivet(compiled, [
      '--data',
      data,
      '--json',
      'token',
      'create',
      '--email',
      'a@b.co',
      '--name',
      'x',
    ]);
    expect(JSON.parse(made.stdout)).toMatchObject({ email: 'a@b.co' });
    const called = await runTrivet(compiled, [`--data=${data}`, '--json', 'call', 'get-orgs-list']);
    expect(JSON.parse(called.stdout)).toMatchObject({ total: 1 });
    const failed = await runTrivet(compiled, ['--data', data, 'call', 'get-tests', '-a', 'projectId=9']);
    expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: 'PROJECT_NOT_FOUND' } });
  });
});

/** @see Finding: unknown toolsets and tools resulted in an empty list, with exit code 0. */
test.each([
  [
    ['tools', '--toolsets', 'testmgnt'],
    /no toolset "testmgnt"\. Did you mean "testmgmt"\? Known: auth, cta, testmgmt, extra/,
  ],
  [['tools', '--tools', 'get-test'], /no tool "get-test"\. Did you mean "get-tests"\? Known: /],
  [['serve', '--toolsets', 'x'], /no toolset "x"/],
  [['--mcp', '--toolsets', 'x'], /no toolset "x"/],
  [['--mcp', '--tools', 'x'], /no tool "x"/],
  [['call', 'create-project', '--toolsets', 'x'], /no toolset \\"x\\"/],
] satisfies ReadonlyArray<readonly [string[], RegExp]>)(
  '%p is refused with what is known',
  async (args, message) => {
    const cwd = temporaryDirectory('unknown');
    const answer = await runTrivet(compiled, args, { cwd });
    expect([answer.exitCode, answer.stdout]).toEqual([2, '']);
    expect(answer.stderr).toMatch(message);
    expect(readdirSync(cwd)).toEqual([]);
  },
);

/** @see Finding: the password of --database could be read by every process of the machine. */
test('a database URL with a password is not taken from the command line, but from a file', async () => {
  const url = 'postgres://user:pa55word@127.0.0.1:1/db';
  const answer = await runTrivet(compiled, ['migrate', '--check', '--database', url]);
  expect([answer.exitCode, answer.stdout]).toEqual([2, '']);
  expect(answer.stderr).toMatch(/TRIVET_DATABASE_FILE or --database-file FILE/);
  expect(answer.stderr).not.toContain('pa55word');
  const file = join(temporaryDirectory('url'), 'url');
  writeFileSync(file, `${url}\n`, { mode: 0o600 });
  for (const way of [
    runTrivet(compiled, ['migrate', '--check', '--database-file', file]),
    runTrivet(compiled, ['migrate', '--check'], { env: { TRIVET_DATABASE_FILE: file } }),
  ]) {
    const { exitCode, stderr } = await way;
    // It is used: the connection fails because nothing listens there.
    expect([exitCode, stderr.includes('pa55word')]).toEqual([4, false]);
  }
});

test('migrate brings a database to the schema, and says what is missing', async () => {
  const data = join(temporaryDirectory('migrate'), 'data');
  const run = async (...args: string[]) => {
    const { exitCode, stdout } = await runTrivet(compiled, ['migrate', ...args, '--json', '--data', data]);
    return {
      exitCode,
      data: JSON.parse(stdout || 'null') as { applied?: string[]; missing?: string[] } | null,
    };
  };
  const first = await run();
  expect([first.exitCode, (first.data?.applied ?? []).length > 0]).toEqual([0, true]);
  expect(await run()).toMatchObject({ exitCode: 0, data: { applied: [] } });
  expect(await run('--check')).toMatchObject({ exitCode: 0, data: { missing: [] } });
  const file = new Database(join(data, 'trivet.db'));
  const newest = first.data?.applied?.at(-1) ?? '';
  file.run('DELETE FROM trivet_migrations WHERE tag IN (?, ?)', [newest, `expand/${newest}`]);
  file.close();
  expect(await run('--check')).toMatchObject({ exitCode: 1, data: { missing: [newest] } });
  const verbs = [
    ['token', 'list'],
    ['call', 'get-orgs-list'],
    ['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=x'],
    ['--mcp'],
  ];
  for (const args of verbs) {
    const answer = await runTrivet(compiled, [...args, '--data', data]);
    expect([args, answer.exitCode, answer.stdout]).toEqual([args, 2, '']);
    expect(answer.stderr).toMatch(/is older than this Trivet.*run trivet migrate/);
  }
});

test('doctor finds what is wrong and puts right what can be worked out again', async () => {
  const data = join(temporaryDirectory('doctor'), 'data');
  const run = (...args: string[]) => runTrivet(compiled, [...args, '--data', data]);
  await run('call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=x');
  expect(await run('doctor')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('ok        testmgmt counts') as string,
  });
  const file = new Database(join(data, 'trivet.db'));
  file.run('UPDATE testmgmt_projects SET tests_count = 5');
  file.close();
  const found = await run('doctor', '--json');
  expect([found.exitCode, JSON.parse(found.stdout)]).toMatchObject([1, { ok: false }]);
  expect(found.stdout).toContain('testsCount says 5 instead of 0');
  expect((await run('doctor', '--repair')).exitCode).toBe(0);
  expect((await run('doctor')).exitCode).toBe(0);
});

/** @see Finding: the start command printed for MCP clients executed the bunfig.toml of the client's current directory. */
test('the configuration for MCP clients runs nothing of their directory', async () => {
  const data = temporaryDirectory('snippet');
  const server = await serveTrivet(compiled, ['--data', data]);
  await server.stop();
  const line =
    server
      .stderr()
      .split('\n')
      .find((one) => one.includes('mcpServers')) ?? '{}';
  const { message } = JSON.parse(line) as { message: string };
  const { mcpServers } = JSON.parse(message) as {
    mcpServers: { trivet: { command: string; args: string[] } };
  };
  const cwd = temporaryDirectory('stranger');
  const mark = join(cwd, 'RAN');
  writeFileSync(join(cwd, 'preload.ts'), `require('node:fs').writeFileSync(${JSON.stringify(mark)}, 'x');`);
  writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
  writeFileSync(join(cwd, '.env'), 'TRIVET_UNKNOWN=1\n');
  const { command, args } = mcpServers.trivet;
  const child = Bun.spawn([command, ...args], {
    cwd,
    env: cleanEnvironment(),
    stdin: new Blob(['{"jsonrpc":"2.0","id":1,"method":"ping"}\n']),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  expect(await new Response(child.stdout).text()).toContain('"result":{}');
  expect(existsSync(mark)).toBe(false);
});
