import { beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, requireBuilt, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

/** Lines of stderr that are not log lines. */
const said = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"time"'))
    .join('\n');

describe.each([compiled].map((executable) => [executable.name, executable] as const))(
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
      ['two words', ['get-tests', 'x'], 64, 'USAGE', /"x" is not expected here/],
      ['an unknown flag', ['get-tests', '--proj', '1'], 64, 'USAGE', /Unknown flag --proj/],
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
        'USER_NOT_FOUND',
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
    /** @see Finding: of two values for one argument, the second was used silently. */
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
      const remote = (args: string[], secret = token, url = server.origin) =>
        runTrivet(executable, ['call', ...args, '--url', url], { env: { TRIVET_TOKEN: secret } });
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
      // Not the port of the server that has stopped: another test may have it now.
      const nobody = 'http://127.0.0.1:1';
      const gone = await remote(['create-project', '-a', 'orgId=1', '-a', 'projectName=x'], token, nobody);
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
    [['serve', '--prot', '1'], 64, /Unknown flag --prot\. Did you mean --port\?/],
    [['serve', 'now'], 64, /"now" is not expected here/],
    [['--port', '99999'], 2, /--port must be from 0 to 65535/],
    [['--dev', '--host', '0.0.0.0'], 2, /--dev signs anyone in: it works on a loopback address only/],
    [['--dev', '--public-url', 'https://trivet.example'], 2, /--dev signs anyone in.*--public-url/],
    [['--dev', '--allowed-hosts', 'localhost,trivet.example'], 2, /--dev signs anyone in.*--allowed-hosts/],
    [['--dev', '--trusted-proxies', '1'], 2, /--dev signs anyone in.*--trusted-proxies/],
    [
      ['--host', '203.0.113.1', '--port', '0'],
      2,
      /Cannot listen on 203\.0\.113\.1:0: this machine has no such/,
    ],
    // The reason was that of an earlier failure: EEXIST.
    [['--host', 'no-such.invalid', '--port', '0'], 2, /no-such\.invalid:0: this machine has no such address/],
    [['--modules', 'auht'], 2, /--modules: there is no module "auht"\. Did you mean "auth"\?/],
    [
      ['--modules', 'testmgmt'],
      2,
      /The module "testmgmt" requires "auth"\. Load both: --modules testmgmt,auth/,
    ],
    [['--plugin', '/nowhere.ts'], 2, /there is no file \/nowhere\.ts/],
    [['token', 'create', '--email', 'a@b.co'], 64, /--name is required/],
    [
      ['token', 'create', '--email', 'nobody', '--name', 'x'],
      2,
      /--email must be an e-mail address such as ana/,
    ],
    [
      ['token', 'create', '--email', 'a@b.co', '--name', 'x', '--scopes', 'Nope!'],
      2,
      /no scope "Nope!".*Known: auth/,
    ],
    [['dev', 'id-token'], 64, /--email is required/],
  ];
  test.each(cases)('%p', async (args, exitCode, message) => {
    const answer = await runTrivet(compiled, [...args, '--data', temporaryDirectory('cli')]);
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
    expect(JSON.parse((await run(['version', '--json'])).stdout)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      commit: expect.stringMatching(/^([0-9a-f]{40}|unknown)$/),
      bun: Bun.version,
      platform: `${process.platform}-${process.arch}`,
      release: null,
    });
    expect((await run(['tools'])).stdout).toMatch(/^get-orgs-list +testmgmt +List organizations$/m);
    expect(existsSync(join(cwd, 'trivet-data'))).toBe(false);
  });

  test('a port that is taken is said so, with exit code 2', async () => {
    const data = temporaryDirectory('cli');
    const server = await serveTrivet(compiled, ['--data', data]);
    const { port } = new URL(server.origin);
    const second = await runTrivet(compiled, ['--port', port, '--data', data]);
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toMatch(/is taken\. Choose another with --port/);
    await server.stop();
  });

  test('a master key that others can read is refused with the remedy', async () => {
    const data = temporaryDirectory('cli');
    await runTrivet(compiled, ['dev', 'id-token', '--email', 'a@b.co', '--data', data]);
    const key = join(data, 'master.key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(statSync(join(data, 'trivet.db')).mode & 0o777).toBe(0o600);
    Bun.spawnSync(['chmod', '644', key]);
    const answer = await runTrivet(compiled, ['dev', 'id-token', '--email', 'a@b.co', '--data', data]);
    expect(answer).toMatchObject({ exitCode: 2, stdout: '' });
    expect(answer.stderr).toContain(`chmod 600 ${key}`);
  });
});

test('the owner of the machine makes, lists and ends tokens, and turns signing keys', async () => {
  const data = temporaryDirectory('cli');
  const run = async (...args: string[]) => {
    const { exitCode, stdout } = await runTrivet(compiled, [...args, '--data', data, '--json']);
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

/** @see Finding: the first call on a new directory printed a migration message before its error. */
test('a call on a new directory says what it has to say, and nothing else', async () => {
  const call = async (tool: string, ...more: string[]) => {
    const where = ['--data', join(temporaryDirectory('cli'), 'new'), ...more];
    return (await runTrivet(compiled, ['call', tool, ...where])).stderr.split('\n');
  };
  const project = (orgId: number) => ['-a', `orgId=${orgId}`, '-a', 'projectName=x'];
  expect(await call('create-project', ...project(1))).toEqual(['']);
  const [line = '', ...rest] = await call('create-project', ...project(99));
  expect(rest).toEqual(['']);
  expect(JSON.parse(line)).toMatchObject({ error: { code: 'ORGANIZATION_NOT_FOUND' } });
  const logged = await call('create-project', ...project(1), '--log-level', 'info');
  expect(logged.filter((each) => each.includes('"migrated"')).length).toBe(1);
});

/** @see In the wrong directory each answered as if nothing was wrong, and the server refused the token and the link. */
test.each([
  ['dev id-token', ['dev', 'id-token', '--email', 'a@b.co']],
  ['console link', ['console', 'link', '--email', 'a@b.co']],
  ['token create', ['token', 'create', '--email', 'a@b.co', '--name', 'ci']],
])('%s says that it made a new database, once', async (_, words) => {
  const data = join(temporaryDirectory('cli'), 'new');
  const run = async () => (await runTrivet(compiled, [...words, '--data', data])).stderr;
  expect(await run()).toContain(`There was no Trivet database in ${data}: this command created one.`);
  expect(await run()).not.toContain('There was no Trivet database');
});
