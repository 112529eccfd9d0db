import { beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  compiled,
  executables,
  fromSource,
  requireBuilt,
  runTrivet,
  serveTrivet,
} from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

/** Lines of stderr that are not log lines. */
const said = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"time"'))
    .join('\n');

describe.each(executables.map((executable) => [executable.name, executable] as const))(
  'trivet call from %s',
  (_name, executable) => {
    const data = temporaryDirectory('cli');
    const call = (args: string[], options = {}) =>
      runTrivet(executable, ['call', ...args, '--data', data], options);

    test('arguments in place, from a file, from stdin, one by one: the result alone on stdout', async () => {
      const file = join(temporaryDirectory('cli'), 'args.json');
      writeFileSync(file, '{"orgId":1,"projectName":"from a file"}');
      const ways: ReadonlyArray<readonly [string[], string, object?]> = [
        [['--args', '{"orgId":1,"projectName":"in place"}'], 'in place'],
        [['--args', `@${file}`], 'from a file'],
        [['--args', '-'], 'from stdin', { stdin: '{"orgId":1,"projectName":"from stdin"}' }],
        [['-a', 'orgId=1', '-a', 'projectName=a=b,c'], 'a=b,c'],
        [['--args', '{"orgId":1,"projectName":"x"}', '-a', 'projectName=beats'], 'beats'],
      ];
      for (const [args, projectName, options] of ways) {
        const { exitCode, stdout, stderr } = await call(['create-project', ...args], options);
        expect({ exitCode, said: said(stderr) }).toEqual({ exitCode: 0, said: '' });
        expect(JSON.parse(stdout)).toMatchObject({ projectName });
      }
    });

    const failures: ReadonlyArray<readonly [string, string[], number, string, RegExp]> = [
      [
        'the tool failed',
        ['get-tests', '-a', 'projectId=999'],
        1,
        'PROJECT_NOT_FOUND',
        /There is no project 999/,
      ],
      [
        'bad arguments',
        ['get-tests', '-a', 'projectId=x'],
        2,
        'INVALID_REQUEST',
        /projectId must be a whole number/,
      ],
      [
        'missing arguments',
        ['create-project'],
        2,
        'INVALID_REQUEST',
        /orgId is required; projectName is required/,
      ],
      ['no such tool', ['get-test'], 1, 'UNKNOWN_TOOL', /Did you mean "get-tests"\?/],
      ['no tool', [], 64, 'USAGE', /Name a tool/],
      ['two words', ['get-tests', 'x'], 64, 'USAGE', /"x" means nothing here/],
      ['an unknown flag', ['get-tests', '--proj', '1'], 2, 'INVALID_REQUEST', /Unknown flag --proj/],
      ['no JSON', ['get-tests', '--args', '{'], 2, 'INVALID_REQUEST', /--args is not JSON/],
      ['a list', ['get-tests', '--args', '[]'], 2, 'INVALID_REQUEST', /must be a JSON object/],
      [
        'a file that is not there',
        ['get-tests', '--args', '@/nowhere.json'],
        2,
        'INVALID_REQUEST',
        /cannot be read/,
      ],
      [
        'someone unknown',
        ['get-orgs-list', '--as', 'nobody@example.org'],
        1,
        'UNKNOWN_USER',
        /No active user/,
      ],
      [
        '--url without a token',
        ['get-orgs-list', '--url', 'http://127.0.0.1:1'],
        3,
        'UNAUTHENTICATED',
        /TRIVET_TOKEN/,
      ],
      [
        'a write in read-only mode',
        ['create-project', '--read-only'],
        1,
        'UNKNOWN_TOOL',
        /no tool "create-project" here/,
      ],
    ];
    /** @see of two values for one argument the second was taken without a word. */
    test('an argument that is given twice is refused before anything is opened', async () => {
      const answer = await call(['create-project', '-a', 'orgId=1', '-a', 'orgId=2']);
      expect([answer.exitCode, answer.stdout]).toEqual([2, '']);
      expect(answer.stderr).toContain('-a names orgId twice');
    });

    test.each(failures)('%s', async (_title, args, exitCode, code, message) => {
      const answer = await call(args);
      expect({ exitCode: answer.exitCode, stdout: answer.stdout }).toEqual({ exitCode, stdout: '' });
      const [line = '', ...more] = said(answer.stderr).split('\n');
      expect(more).toEqual([]);
      const { error } = JSON.parse(line) as { error: { code: string; message: string } };
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
    });

    test('against a server: same answers, same errors, while it runs on the same data', async () => {
      const server = await serveTrivet(executable, ['--data', data]);
      const made = await runTrivet(executable, [
        'token',
        'create',
        '--email',
        'ci@example.org',
        '--name',
        'ci',
        '--json',
        '--data',
        data,
      ]);
      const { token, role } = JSON.parse(made.stdout) as { token: string; role: string };
      expect(role).toBe('admin');
      const remote = (args: string[], secret = token) =>
        runTrivet(executable, ['call', ...args, '--url', server.origin], { env: { TRIVET_TOKEN: secret } });
      const far = await remote(['get-projects', '-a', 'orgId=1']);
      const near = await call(['get-projects', '-a', 'orgId=1']);
      expect(JSON.parse(far.stdout)).toEqual(JSON.parse(near.stdout));
      const farError = await remote(['get-tests', '-a', 'projectId=999']);
      const nearError = await call(['get-tests', '-a', 'projectId=999']);
      expect(farError.exitCode).toBe(1);
      expect(JSON.parse(farError.stderr)).toEqual(JSON.parse(said(nearError.stderr)));
      expect((await remote(['get-orgs-list'], 'trv_wrong')).exitCode).toBe(3);
      expect(await server.stop()).toBe(0);
      expect(server.stderr()).not.toContain(token);
      const gone = await remote(['create-project', '-a', 'orgId=1', '-a', 'projectName=x']);
      expect(gone.exitCode).toBe(4);
      expect(JSON.parse(gone.stderr)).toMatchObject({ error: { code: 'UPSTREAM_UNREACHABLE' } });
    });

    test('a result larger than a pipe takes at once arrives whole', async () => {
      const args = { orgId: 1, projectName: 'long', projectDescription: 'ä'.repeat(20_000) };
      for (let i = 0; i < 3; i++)
        await call(['create-project', '--args', '-'], { stdin: JSON.stringify(args) });
      const tools = await runTrivet(executable, ['tools', '--json']);
      expect(() => JSON.parse(tools.stdout) as unknown).not.toThrow();
      const whole = await call(['create-project', '--args', '-'], { stdin: JSON.stringify(args) });
      expect((JSON.parse(whole.stdout) as { projectDescription: string }).projectDescription).toBe(
        args.projectDescription,
      );
    });
  },
);

describe('other verbs', () => {
  const cases: ReadonlyArray<readonly [string[], number, RegExp]> = [
    [['serv'], 64, /There is no command "serv"\. Did you mean "trivet serve"\?/],
    [['token', 'creat'], 64, /Did you mean "trivet token create"\?/],
    [['serve', '--prot', '1'], 2, /Unknown flag --prot\. Did you mean --port\?/],
    [['serve', 'now'], 64, /"now" means nothing here/],
    [['--port', '99999'], 2, /--port must be from 0 to 65535/],
    [['--dev', '--host', '0.0.0.0'], 2, /--dev signs anyone in: it works on a loopback address only/],
    [['--modules', 'auht'], 2, /There is no module "auht"\. Did you mean "auth"\?/],
    [
      ['--modules', 'testmgmt'],
      2,
      /The module "testmgmt" requires "auth"\. Load both: --modules testmgmt,auth/,
    ],
    [['--plugin', '/nowhere.ts'], 2, /there is no file \/nowhere\.ts/],
    [['token', 'create', '--email', 'a@b.co'], 64, /--name is required/],
    [['token', 'create', '--email', 'nobody', '--name', 'x'], 2, /--email must be of the form/],
    [
      ['token', 'create', '--email', 'a@b.co', '--name', 'x', '--scopes', 'Nope!'],
      2,
      /no scope "Nope!".*Known: auth/,
    ],
    [['dev', 'id-token'], 64, /--email is required/],
  ];
  test.each(cases)('%p', async (args, exitCode, message) => {
    const answer = await runTrivet(fromSource, [...args, '--data', temporaryDirectory('cli')]);
    expect({ exitCode: answer.exitCode, stdout: answer.stdout }).toEqual({ exitCode, stdout: '' });
    expect(said(answer.stderr)).toMatch(message);
    expect(answer.stderr).not.toMatch(/\n\s+at /);
  });

  test('help, version and tools answer on stdout and make no data directory', async () => {
    const cwd = temporaryDirectory('cli');
    const run = (args: string[]) => runTrivet(compiled, args, { cwd });
    expect((await run(['--help'])).stdout).toMatch(/trivet call <tool>[\s\S]*--port N/);
    expect((await run(['call', '--help'])).stdout).toMatch(/--args JSON/);
    expect((await run(['token', 'create', '--help'])).stdout).toMatch(/--scopes WORDS/);
    expect((await run(['--version'])).stdout).toMatch(/^trivet \d+\.\d+\.\d+\n$/);
    expect((await run(['tools'])).stdout).toMatch(/^get-orgs-list +testmgmt +List organizations$/m);
    expect(existsSync(join(cwd, 'trivet-data'))).toBe(false);
  });

  test('a port that is taken is said so, with exit code 2', async () => {
    const data = temporaryDirectory('cli');
    const server = await serveTrivet(fromSource, ['--data', data]);
    const { port } = new URL(server.origin);
    const second = await runTrivet(fromSource, ['--port', port, '--data', data]);
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toMatch(/is taken\. Choose another with --port/);
    await server.stop();
  });

  test('a master key that others can read is refused with the remedy', async () => {
    const data = temporaryDirectory('cli');
    await runTrivet(fromSource, ['dev', 'id-token', '--email', 'a@b.co', '--data', data]);
    const key = join(data, 'master.key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(statSync(join(data, 'trivet.db')).mode & 0o777).toBe(0o600);
    Bun.spawnSync(['chmod', '644', key]);
    const answer = await runTrivet(fromSource, ['dev', 'id-token', '--email', 'a@b.co', '--data', data]);
    expect(answer).toMatchObject({ exitCode: 2, stdout: '' });
    expect(answer.stderr).toContain(`chmod 600 ${key}`);
  });
});

test('the owner of the machine makes, lists and ends tokens, and turns signing keys', async () => {
  const data = temporaryDirectory('cli');
  const run = async (...args: string[]) => {
    const { exitCode, stdout } = await runTrivet(fromSource, [...args, '--data', data, '--json']);
    return { exitCode, data: stdout === '' ? null : (JSON.parse(stdout) as Record<string, unknown>) };
  };
  const made = await run(
    'token',
    'create',
    '--email',
    'a@b.co',
    '--name',
    'ci',
    '--scopes',
    'read-only',
    '--expires',
    '1h',
  );
  expect(made.data).toMatchObject({ tokenId: 1, name: 'ci', scopes: ['read-only'], role: 'member' });
  const listed = await run('token', 'list');
  expect(listed.data).toMatchObject({
    tokens: [{ tokenId: 1, name: 'ci', scopes: ['read-only'], email: 'a@b.co' }],
  });
  expect(JSON.stringify(listed.data)).not.toContain(String(made.data?.['token']).slice(4, 12));
  expect((await run('token', 'revoke', '--id', '1')).exitCode).toBe(0);
  expect(await run('token', 'revoke', '--id', '1')).toEqual({ exitCode: 1, data: null });
  expect((await run('token', 'list')).data).toEqual({ tokens: [] });

  const statuses = async (...args: string[]) => {
    const { data: answer } = await run('keys', ...args);
    const { keys } = answer as { keys: Array<{ status: string }> };
    return keys.map(({ status }) => status);
  };
  expect(await statuses('list')).toEqual([]);
  expect(await statuses('rotate')).toEqual(['active']);
  expect(await statuses('rotate')).toEqual(['active', 'next']);
  expect(await statuses('rotate', '--now')).toEqual(['retired', 'active']);
  expect((await run('keys', 'rotate', '--drop', 'nothing')).exitCode).toBe(2);
});

/** @see the first call on a new directory wrote what it had migrated before its error. */
test('a call on a new directory says what it has to say, and nothing else', async () => {
  const call = async (tool: string, ...more: string[]) => {
    const where = ['--data', join(temporaryDirectory('cli'), 'new'), ...more];
    return (await runTrivet(fromSource, ['call', tool, ...where])).stderr.split('\n');
  };
  const project = (orgId: number) => ['-a', `orgId=${orgId}`, '-a', 'projectName=x'];
  expect(await call('create-project', ...project(1))).toEqual(['']);
  const [line = '', ...rest] = await call('create-project', ...project(99));
  expect(rest).toEqual(['']);
  expect(JSON.parse(line)).toMatchObject({ error: { code: 'ORGANIZATION_NOT_FOUND' } });
  const logged = await call('create-project', ...project(1), '--log-level', 'info');
  expect(logged.filter((each) => each.includes('"migrated"')).length).toBe(1);
});

/** @see "trivet call download-tests … | head" ended with a stack on stderr and exit code 1. */
describe('a reader that leaves early', () => {
  const data = temporaryDirectory('cli');
  const started = (args: readonly string[], env = {}) =>
    Bun.spawn([...compiled.command, ...args, '--data', data], {
      env: cleanEnvironment(env),
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });

  test.each([
    ['the list of tools', ['tools', '--json']],
    ['a file', ['call', 'download-tests', '-a', 'projectId=1']],
    ['a result', ['call', 'get-test-details', '-a', 'projectId=1', '-a', 'testId=1']],
  ] as const)('%s: no failure, and nothing on stderr', async (_title, args) => {
    const big = Array.from({ length: 100 }, () => ({ action: 'x'.repeat(2_000) }));
    const make = (tool: string, given: object) =>
      runTrivet(compiled, ['call', tool, '--args', '-', '--data', data], { stdin: JSON.stringify(given) });
    await make('create-project', { orgId: 1, projectName: 'Shop' });
    await make('create-test', { projectId: 1, testName: 'Long', steps: big });
    const child = started(args);
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    expect({ exitCode: await child.exited, stderr: await new Response(child.stderr).text() }).toEqual({
      exitCode: 0,
      stderr: '',
    });
  });

  test('an MCP client that closes only its reading end ends the session', async () => {
    const child = started(['--mcp']);
    await child.stdout.cancel();
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await child.stdin.flush();
    expect({ exitCode: await child.exited, stderr: await new Response(child.stderr).text() }).toEqual({
      exitCode: 0,
      stderr: '',
    });
  });

  test('a disk that is full is said in one line', async () => {
    const child = Bun.spawn([...compiled.command, 'call', 'get-orgs-list', '--data', data], {
      env: cleanEnvironment(),
      stdout: Bun.file('/dev/full'),
      stderr: 'pipe',
    });
    expect(JSON.parse(await new Response(child.stderr).text())).toMatchObject({
      error: { code: 'OUTPUT_FAILED' },
    });
    expect(await child.exited).toBe(1);
  });

  /** @see the first Ctrl-C did nothing while the list of tools was awaited. */
  test('Ctrl-C ends a call that waits for a silent server', async () => {
    const silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Bun.sleep(60_000) as never });
    const child = started(['call', 'get-orgs-list', '--url', silent.url.origin], {
      TRIVET_TOKEN: 'trv_x',
    });
    while (silent.pendingRequests === 0) await Bun.sleep(5);
    child.kill('SIGINT');
    await child.exited;
    expect(child.signalCode).toBe('SIGINT');
    await silent.stop(true);
  });
});

describe('a hostile current directory', () => {
  // Agents start us in strangers' repositories: nothing that lies there may run or configure anything.
  test('nothing of it runs inside the executable', async () => {
    const cwd = temporaryDirectory('hostile');
    const mark = join(cwd, 'RAN');
    writeFileSync(join(cwd, 'preload.ts'), `require('node:fs').writeFileSync(${JSON.stringify(mark)}, 'x');`);
    writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
    writeFileSync(
      join(cwd, '.env'),
      `TRIVET_PORT=1\nTRIVET_UNKNOWN=1\nNODE_OPTIONS=--require=./preload.ts\n`,
    );
    writeFileSync(join(cwd, 'tsconfig.json'), '{"compilerOptions":{"paths":{"elysia":["./preload.ts"]}}}');
    writeFileSync(join(cwd, 'package.json'), '{"type":"module","imports":{"#x":"./preload.ts"}}');
    mkdirSync(join(cwd, 'node_modules', 'elysia'), { recursive: true });
    writeFileSync(join(cwd, 'node_modules', 'elysia', 'index.js'), readFileSync(join(cwd, 'preload.ts')));
    const data = temporaryDirectory('hostile-data');
    const made = ['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=x', '--data', data];
    const called = await runTrivet(compiled, made, { cwd });
    expect(called).toMatchObject({ exitCode: 0 });
    const server = await serveTrivet(compiled, ['--data', data], { cwd });
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    await server.stop();
    expect(existsSync(mark)).toBe(false);
  });
});
