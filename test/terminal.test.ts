import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet, type Running } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/* Features for people at a terminal: tables, short forms, completion in real shells. */

const data = temporaryDirectory('terminal');
const at = ['--data', data];
let server: Running;
beforeAll(async () => {
  requireBuilt();
  server = await serveTrivet(compiled, at);
  const call = async (tool: string, args: object) => {
    const { exitCode, stderr } = await runTrivet(compiled, [
      'call',
      tool,
      '--args',
      JSON.stringify(args),
      ...at,
    ]);
    expect([stderr, exitCode]).toEqual(['', 0]);
  };
  await call('create-project', { orgId: 1, projectName: 'Shop' });
  await call('add-labels', { projectId: 1, labels: ['smoke'] });
  const tests = [{ testName: 'Pay', labels: [1] }, { testName: 'Cancel' }];
  await call('bulk-add-tests', { projectId: 1, tests });
  await call('create-run', { projectId: 1, runName: 'Nightly', testIds: [1] });
}, 60_000);
afterAll(() => server.stop());

const run = async (...args: readonly string[]) => runTrivet(compiled, [...args, ...at]);
const printed = async (...args: readonly string[]) => {
  const { stdout, stderr, exitCode } = await run(...args);
  expect([stderr, exitCode]).toEqual(['', 0]);
  return stdout;
};

describe('a result is printed', () => {
  const ids = ['call', 'get-tests', '-a', 'projectId=1', '-a', 'fields=testId,testName'];
  test('as JSON on one line to a program', async () => {
    const expected = {
      total: 2,
      limit: 50,
      offset: 0,
      tests: [
        { testId: 1, testName: 'Pay' },
        { testId: 2, testName: 'Cancel' },
      ],
    };
    for (const more of [[], ['--json'], ['--output', 'json']])
      expect(await printed(...ids, ...more)).toBe(`${JSON.stringify(expected)}\n`);
  });
  test('as a line for each record', async () => {
    expect(await printed(...ids, '--output', 'ndjson')).toBe(
      '{"testId":1,"testName":"Pay"}\n{"testId":2,"testName":"Cancel"}\n',
    );
    const one = JSON.parse(
      await printed('call', 'run-detail', '-a', 'projectId=1', '-a', 'runId=1', '--output', 'ndjson'),
    ) as object;
    expect(one).toMatchObject({ runId: 1 });
  });
  test('as a table', async () => {
    expect(await printed(...ids, '--output', 'table')).toBe(
      'testId  testName\n──────  ────────\n     1  Pay\n     2  Cancel\n\n2 in all\n',
    );
  });
  test('in no other way', async () => {
    expect(await run(...ids, '--output', 'xml')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('table, json, ndjson') as string,
    });
  });
  test('of lists of ids without JSON', async () => {
    expect(
      JSON.parse(
        await printed('call', 'create-run', '-a', 'projectId=1', '-a', 'runName=x', '-a', 'testIds=1,2'),
      ),
    ).toMatchObject({ counts: { total: 2 } });
  });
});

describe('short forms', () => {
  test.each([
    ['tests', ['Pay', 'Cancel']],
    ['tests label:smoke', ['Pay']],
    ['tests label:smoke runs:0', ['Pay']],
    ['tests --project shop label:none', ['Cancel']],
    ['tests --project 1 --limit 1', ['Pay', '1 of 2, from 1; go on with offset 1']],
    ['runs', ['Nightly', 'total 1, untested 1']],
    ['runs status:locked', ['Nothing.']],
  ])('trivet %s', async (line, expected) => {
    const text = await printed(...line.split(' '), '--output', 'table');
    for (const part of expected) expect(text).toContain(part);
    for (const other of ['Pay', 'Cancel', 'Nightly'].filter((name) => !expected.includes(name)))
      if (!(other === 'Nightly' && line === 'runs')) expect(text).not.toContain(`  ${other}\n`);
  });

  test('work on a server, and print JSON to programs', async () => {
    const token = await createToken(compiled, at);
    const { stdout, exitCode } = await runTrivet(compiled, ['tests', 'label:smoke', '--url', server.origin], {
      env: { TRIVET_TOKEN: token },
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ total: 1, tests: [{ testId: 1 }] });
  });

  test.each([
    ['tests lable:smoke', 'Did you mean "label"?'],
    ['tests --project Shpo', 'Did you mean "Shop"?'],
    ['tests --limit 9000', '--limit must be from 1 to 500'],
    ['tets', 'Did you mean "trivet tests"?'],
  ])('trivet %s says what is wrong', async (line, message) => {
    const { stderr, exitCode } = await run(...line.split(' '));
    expect(stderr).toContain(message);
    expect(exitCode).not.toBe(0);
  });

  test('ask which project when there are several, and say how to make one when there is none', async () => {
    const elsewhere = ['--data', temporaryDirectory('terminal')];
    await createToken(compiled, elsewhere);
    expect((await runTrivet(compiled, ['tests', ...elsewhere])).stderr).toContain('There is no project yet.');
    for (const name of ['A', 'B'])
      await runTrivet(compiled, [
        'call',
        'create-project',
        '-a',
        'orgId=1',
        '-a',
        `projectName=${name}`,
        ...elsewhere,
      ]);
    const { stderr, exitCode } = await runTrivet(compiled, ['tests', ...elsewhere]);
    expect([stderr, exitCode]).toEqual([expect.stringContaining('Which project?') as string, 2]);
    expect(stderr).toContain('1 A, 2 B');
  });
});

describe('completion', () => {
  const cases: ReadonlyArray<readonly [line: string, expected: readonly string[]]> = [
    ['trivet te', ['tests']],
    ['trivet token ', ['create', 'list', 'revoke']],
    ['trivet call get-test-d', ['get-test-details']],
    ['trivet --data x call get-test-d', ['get-test-details']],
    ['trivet call get-test-details -a ', ['testId=', 'projectId=', 'version=', 'asOf=']],
    ['trivet call get-tests -a projectId=1 -a li', ['limit=']],
    ['trivet call download-report -a format=p', ['format=pdf']],
    ['trivet call get-tests -a fields=testId,testN', ['fields=testId,testName']],
    ['trivet call update-project-status -a isActive=', ['isActive=true', 'isActive=false']],
    ['trivet call get-tests -a query=last:pas', ['query=last:passed']],
    ['trivet call get-tests --outp', ['--output']],
    ['trivet call get-tests --output n', ['ndjson']],
    ['trivet --mcp --toolsets testmgmt,ins', ['testmgmt,insights']],
    ['trivet tests last:pas', ['last:passed']],
    ['trivet tests "label:smoke -fla', ['label:smoke -flaky:']],
    ['trivet runs prog', ['progress:']],
    ['trivet help call get-test-d', ['get-test-details']],
    ['trivet completion f', ['fish']],
    ['trivet call no-such-tool -a ', []],
    ['trivet call get-tests -a nothing=', []],
    ['trivet --port ', []],
    [`trivet tests ${'x'.repeat(9_000)}`, []],
  ];
  test.each(cases)('%s', async (line, expected) => {
    const { stdout, exitCode } = await runTrivet(compiled, ['completion', 'candidates', `--line=${line}`]);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').filter(Boolean)).toEqual([...expected]);
  });

  test.each([[[]], [['powershell']], [['bash', 'zsh']], [['candidates']]])(
    'of %j names the shells',
    async (words) => {
      const { stderr, exitCode } = await runTrivet(compiled, ['completion', ...words]);
      expect([stderr, exitCode]).toEqual([expect.stringContaining('bash|zsh|fish') as string, 64]);
    },
  );

  /** A directory in which `trivet` is the executable. */
  const path = () => {
    const directory = temporaryDirectory('path');
    mkdirSync(directory, { recursive: true });
    symlinkSync(compiled.command[0] ?? '', join(directory, 'trivet'));
    return `${directory}:${process.env['PATH'] ?? ''}`;
  };
  const shell = async (command: readonly string[]) => {
    const child = Bun.spawn([...command], {
      env: { PATH: path(), HOME: temporaryDirectory('home') },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect([error, await child.exited]).toEqual(['', 0]);
    return out.split('\n').filter(Boolean);
  };

  // Splits words like bash: also at = and :, but not in an open quote.
  test.each<[string, readonly string[], readonly string[]]>([
    ['trivet call get-test-d', ['trivet', 'call', 'get-test-d'], ['get-test-details']],
    ['trivet call get-tests -a li', ['trivet', 'call', 'get-tests', '-a', 'li'], ['limit=']],
    [
      'trivet call get-tests -a query=last:p',
      ['trivet', 'call', 'get-tests', '-a', 'query', '=', 'last', ':', 'p'],
      ['passed'],
    ],
    [
      'trivet call download-tests -a format=',
      ['trivet', 'call', 'download-tests', '-a', 'format', '='],
      ['json', 'csv'],
    ],
    [
      'trivet tests "label:smoke last:p',
      ['trivet', 'tests', '"label:smoke last:p'],
      ['label:smoke last:passed'],
    ],
    ['trivet tests flaky:', ['trivet', 'tests', 'flaky', ':'], ['yes', 'no']],
  ])('in bash: %s', async (line, words, expected) => {
    const script = `source <(trivet completion bash); COMP_LINE="$1"; COMP_POINT=\${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trivet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(await shell(['bash', '--norc', '-c', script, 'bash', line, ...words])).toEqual([...expected]);
  });

  test.if(Bun.which('fish') !== null)('in fish, where it is installed', async () => {
    const script = `source (trivet completion fish | psub); complete -C 'trivet call get-test-d'; complete -C 'trivet tests last:pas'`;
    expect(await shell(['fish', '--no-config', '-c', script])).toEqual(['get-test-details', 'last:passed']);
  });

  test.if(Bun.which('zsh') !== null)('zsh reads its script, where it is installed', async () => {
    expect(
      await shell([
        'zsh',
        '-f',
        '-c',
        'autoload -Uz compinit; compinit -u -D; source <(trivet completion zsh); print ${_comps[trivet]}',
      ]),
    ).toEqual(['_trivet']);
  });
});
