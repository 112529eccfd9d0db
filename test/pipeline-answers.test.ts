import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { gzipSync } from 'bun';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { junitText } from '../modules/testmgmt/testing/junit-text.ts';
import { createToken, compiled, runTrivet, type Running } from './executable.ts';
import {
  resultsCommand,
  startJob,
  startPipelineWorld,
  type JobOptions,
  type PipelineWorld,
} from './pipeline-world.ts';
import { temporaryDirectory } from './temporary.ts';

/* The results and exit codes of `trivet results` and POST /api/results. */

let world: PipelineWorld;
let server: Running;
let readerToken: string;
let projectId: number;
let name: string;
let folder: string;

beforeAll(async () => {
  world = await startPipelineWorld();
  server = await world.serve();
  readerToken = await createToken(compiled, ['--role', 'reader', ...world.where], 'reader@example.org');
}, 60_000);
afterAll(async () => {
  await server.stop();
  await world.stop();
});

const green = junitText({ cart: ['adds an item', 'removes an item'] });
const red = junitText({ cart: ['adds an item', { name: 'removes an item', failed: 'no item' }] });

let projects = 0;
beforeEach(async () => {
  name = `Shop ${++projects}`;
  projectId = await world.makeProject(name);
  folder = temporaryDirectory('reports');
  for (const name of ['more', 'jdk[21]', 'links']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'green.xml'), green);
  writeFileSync(join(folder, 'red.xml'), red);
  writeFileSync(join(folder, 'broken.xml'), '<testsuite><testcase name="a">');
  writeFileSync(join(folder, 'more', 'pay.xml.gz'), gzipSync(junitText({ pay: ['pays by card'] })));
  writeFileSync(join(folder, 'more', 'log.txt'), 'no results');
  writeFileSync(join(folder, 'jdk[21]', 'green.xml'), green);
  symlinkSync('../green.xml', join(folder, 'links', 'newest.xml'));
  symlinkSync('gone.xml', join(folder, 'links', 'gone.xml'));
});

const results = (line: string, options: JobOptions = {}) =>
  world.results([...line.split(' ').filter(Boolean), '--project', name], { cwd: folder, ...options }).ended;
const nothing = { runs: 0, tests: 0, results: 0 };

describe('the exit code', () => {
  test.each([
    ['green.xml', 0],
    ['red.xml', 0],
    ['red.xml --fail-on none', 0],
    ['green.xml --fail-on any', 0],
    ['red.xml --fail-on any', 1],
    ['red.xml --fail-on new', 1],
    ['red.xml --fail-on any --dry-run', 1],
  ])('of trivet results %s is %d', async (line, exitCode) => {
    const ended = await results(line);
    expect([ended.stderr, ended.exitCode]).toEqual(['', exitCode]);
    expect((await world.stored(projectId)).runs).toBe(line.includes('--dry-run') ? 0 : 1);
  });

  test('of --fail-on new is 1 only for a test that did not fail before', async () => {
    const codes: number[] = [];
    for (const [run, file] of [
      ['a', 'red'],
      ['b', 'red'],
      ['c', 'green'],
      ['d', 'red'],
    ])
      codes.push((await results(`${file}.xml --fail-on new --run-key ${run}`)).exitCode);
    expect(codes).toEqual([1, 0, 0, 1]);
  });

  test.each<[string, number, string]>([
    ['broken.xml', 2, 'broken.xml'],
    ['green.xml broken.xml', 2, 'broken.xml'],
    ['more/log.txt', 2, 'log.txt'],
    ['none.xml', 2, 'There is no file none.xml'],
    ['none-*.xml', 2, 'No file matches none-*.xml'],
    ['green.xml --fail-on sometimes', 2, 'any, new, none'],
    ['green.xml --output pdf', 2, 'github'],
    ['green.xml --create maybe', 2, 'on, off'],
    ['', 64, 'Name the files'],
    ['green.xml --no-such-flag', 64, '--no-such-flag'],
    ['green.xml --run-key', 64, '--run-key needs a value'],
  ])('of trivet results %s is %d, and nothing is written', async (line, exitCode, said) => {
    const ended = await results(line);
    expect([ended.exitCode, ended.stdout]).toEqual([exitCode, '']);
    expect(ended.stderr).toContain(said);
    expect(await world.stored(projectId)).toMatchObject(nothing);
  });

  /** @see Finding: these were 1, which says that the results are stored and that tests failed. */
  test('of what takes no results is 2', async () => {
    const run = JSON.parse((await results('green.xml --run-key a')).stdout) as { runId: number };
    const tool = async (...words: readonly string[]) =>
      expect((await runTrivet(compiled, ['call', ...words, ...world.where])).exitCode).toBe(0);
    await tool('run-lock', '-a', `projectId=${projectId}`, '-a', `runId=${run.runId}`);
    const refused = [await results('green.xml --run-key a')];
    await tool('update-project-status', '-a', `projectId=${projectId}`, '-a', 'isActive=false');
    refused.push(await results('green.xml --run-key b'));
    for (const words of [[], ['split', '--shard', '1/2']])
      refused.push(
        await world.results([...words, 'green.xml', '--project', '999999'], { cwd: folder }).ended,
      );
    expect(refused.map(({ exitCode, stdout, stderr }) => [exitCode, stdout, stderr])).toEqual([
      [2, '', expect.stringMatching(/is locked and takes no results\.\nUse another runKey/)],
      [2, '', expect.stringMatching(/is inactive and takes no changes\./)],
      [2, '', expect.stringMatching(/^trivet: There is no project 999999\./)],
      [2, '', expect.stringMatching(/^trivet: There is no project 999999\./)],
    ]);
  });

  const remote = (origin: string, token: string | undefined) =>
    startJob([...resultsCommand, 'green.xml', '--project', name, '--url', origin], {
      cwd: folder,
      env: token === undefined ? {} : { TRIVET_TOKEN: token },
    }).ended;

  test.each<[string, () => [string, string | undefined], number]>([
    ['without a token', () => [server.origin, undefined], 3],
    ['with a token of nobody', () => [server.origin, 'trv_nobody'], 3],
    ['with the token of a reader', () => [server.origin, readerToken], 3],
    ['where nobody listens', () => ['http://127.0.0.1:9', world.token], 4],
  ])(
    '%s',
    async (_title, where, exitCode) => {
      const ended = await remote(...where());
      expect([ended.exitCode, ended.stdout]).toEqual([exitCode, '']);
      expect(ended.stderr).toStartWith('trivet: ');
      expect(await world.stored(projectId)).toMatchObject(nothing);
    },
    60_000,
  );
});

describe('what is uploaded', () => {
  const both = { cases: 3, passed: 3 };
  test.each<[string, string, object, Partial<JobOptions>?]>([
    ['a path', 'green.xml', { cases: 2, passed: 2 }],
    ['a pattern', 'gre*.xml', { cases: 2, passed: 2 }],
    ['a pattern through folders', '**/*.gz', { cases: 1, passed: 1 }],
    ['a folder', 'more', { cases: 1, passed: 1 }],
    ['several', 'green.xml more', both],
    ['stdin', '-', { cases: 2, failed: 1 }, { stdin: red }],
    ['stdin, compressed', '-', { cases: 2, failed: 1 }, { stdin: gzipSync(red) }],
    ['stdin beside a file', '- more/pay.xml.gz', both, { stdin: green }],
    ['a path twice', 'green.xml green.xml', { cases: 2, passed: 2 }],
    ['a file by two paths', 'green.xml ./green.xml ./gre*.xml', { cases: 2, passed: 2 }],
    ['a folder whose name looks like a pattern', 'jdk[21]', { cases: 2, passed: 2 }],
    ['a link to a file, by a pattern', 'links/*.xml', { cases: 2, passed: 2 }],
    ['a link to a file and the file', 'links green.xml', { cases: 2, passed: 2 }],
  ])('%s', async (...[_title, line, totals, options]) => {
    const ended = await results(line, options);
    expect([ended.stderr, ended.exitCode]).toEqual(['', 0]);
    expect(JSON.parse(ended.stdout)).toMatchObject({ totals });
  });
});

describe('the output on a pipe', () => {
  test('is JSON on one line', async () => {
    for (const flags of ['', '--json', '--output json', '--output table --json']) {
      const { stdout } = await results(`red.xml ${flags}`);
      expect(stdout.split('\n')).toEqual([expect.stringMatching(/^\{.*\}$/), '']);
      expect(JSON.parse(stdout)).toMatchObject({
        totals: { cases: 2, failed: 1 },
        failing: [{ message: 'no item' }],
      });
    }
  });
  test.each([
    ['table', /removes an item/],
    ['github', /^::error .*removes an item/m],
    ['gitlab', /section_start:\d+:/],
    ['markdown', /^#+ .*failed/im],
  ])('--output %s', async (output, pattern) => {
    const { stdout, stderr, exitCode } = await results(`red.xml --output ${output}`);
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(stdout).toMatch(pattern);
    // No colours, because stdout is not a terminal.
    if (output !== 'gitlab') expect(stdout).not.toContain('\u001b');
  });
  /** @see issue 13, 54: the documented lines printed one line of JSON into the log. */
  test.each([
    [{ GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '7' }, /^::error .*removes an item/m],
    [{ GITLAB_CI: 'true', CI_PIPELINE_ID: '7' }, /section_start:\d+:/],
    [{ CIRCLECI: 'true', CIRCLE_WORKFLOW_ID: '7' }, /^Failed: 1 of 2 tests/],
    [{ BUILDKITE: 'true', BUILDKITE_BUILD_ID: '7' }, /^Failed: 1 of 2 tests/],
  ])('in a CI is that of the CI: %j', async (env, pattern) => {
    const { stdout, exitCode } = await results('red.xml', { env });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(pattern) as string]);
    const json = await results('red.xml --json', { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ totals: { failed: 1 } });
  });
  test('in a job of GitHub, the summary of the step is written without being asked for', async () => {
    const summary = join(folder, 'auto.md');
    await results('red.xml', {
      env: { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '8', GITHUB_STEP_SUMMARY: summary },
    });
    expect(readFileSync(summary, 'utf8')).toContain('removes an item');
  });
  /** @see issue 13, 56 */
  test.each([['broken.xml'], ['more/log.txt']])('an error says nothing of tools: %s', async (line) => {
    const { stderr } = await results(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain('ingest-results');
    const asJson = await results(`${line} --json`);
    expect(asJson.stderr).not.toContain('ingest-results');
  });
  test('of GitHub is also the summary of the step, after what is there', async () => {
    const summary = join(folder, 'summary.md');
    writeFileSync(summary, 'before\n');
    await results('red.xml --output github', { env: { GITHUB_STEP_SUMMARY: summary } });
    expect(readFileSync(summary, 'utf8')).toMatch(/^before\n[^]*removes an item/);
  });
});

describe('POST /api/results', () => {
  const post = (
    query: string,
    body: string | Uint8Array<ArrayBuffer> | FormData,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${server.origin}/api/results${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.token}`, ...headers },
      body,
    });
  const formOf = (fields: Readonly<Record<string, string>>, files: readonly string[] = [green]) => {
    const form = new FormData();
    for (const [key, value] of Object.entries(fields)) form.append(key, value);
    for (const [number, file] of files.entries()) form.append('file', new Blob([file]), `${number}.xml`);
    return form;
  };
  const xml = { 'content-type': 'application/xml' };
  const inProject = () => `?project=${encodeURIComponent(name)}`;

  test.each<[string, () => Promise<Response>, object]>([
    [
      'a form, the project in the query',
      () => post(inProject(), formOf({ runKey: 'b' })),
      { runKey: 'b', totals: { cases: 2 } },
    ],
    [
      'a form, the project in it',
      () => post('', formOf({ projectId: String(projectId) })),
      { totals: { cases: 2 } },
    ],
    [
      'a form of two files',
      () => post(inProject(), formOf({}, [green, junitText({ pay: ['pays'] })])),
      { totals: { cases: 3 } },
    ],
    [
      'one file as it is',
      () => post(`${inProject()}&runKey=b`, red, xml),
      { runKey: 'b', totals: { cases: 2, failed: 1 } },
    ],
    [
      'one file, compressed',
      () => post(inProject(), gzipSync(red), xml),
      { totals: { cases: 2, failed: 1 } },
    ],
    [
      'a dry run',
      () => post(`${inProject()}&dryRun=true`, red, xml),
      { dryRun: true, runId: null, created: 2 },
    ],
  ])('takes %s', async (_title, request, expected) => {
    const response = await request();
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({})]);
    const again = await (await request()).json();
    expect(again).toMatchObject('created' in expected ? expected : { ...expected, created: 0 });
    expect((await world.stored(projectId)).runs).toBe('dryRun' in expected ? 0 : 1);
  });

  const large = 'x'.repeat(33 * 2 ** 20);
  test.each<[string, () => Promise<Response>, number, string]>([
    ['no project', () => post('', green, xml), 400, 'INVALID_REQUEST'],
    ['a parameter that is none', () => post(`${inProject()}&nothing=1`, green, xml), 400, 'INVALID_REQUEST'],
    ['a parameter twice', () => post(`${inProject()}&runKey=a&runKey=b`, green, xml), 400, 'INVALID_REQUEST'],
    [
      'a word that is no boolean',
      () => post(`${inProject()}&dryRun=maybe`, green, xml),
      400,
      'INVALID_REQUEST',
    ],
    ['a form without a file', () => post(inProject(), formOf({}, [])), 400, 'NO_RESULT_FILES'],
    ['a file that is none', () => post(inProject(), 'hello', xml), 400, 'RESULT_FILE_UNREADABLE'],
    [
      'one good, one broken',
      () => post(inProject(), formOf({}, [green, '<testsuite'])),
      400,
      'RESULT_FILE_UNREADABLE',
    ],
    [
      'JSON',
      () => post(inProject(), '{}', { 'content-type': 'application/json' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['too large', () => post(inProject(), large, xml), 413, 'PAYLOAD_TOO_LARGE'],
    ['no token', () => post(inProject(), green, { ...xml, authorization: '' }), 401, 'UNAUTHENTICATED'],
    [
      'a reader',
      () => post(inProject(), green, { ...xml, authorization: `Bearer ${readerToken}` }),
      403,
      'FORBIDDEN',
    ],
    ['a project that nobody has', () => post('?projectId=4711', green, xml), 404, 'PROJECT_NOT_FOUND'],
    ['a name that no project has', () => post('?project=Nowhere', green, xml), 404, 'PROJECT_NOT_FOUND'],
  ])('refuses %s', async (_title, request, status, code) => {
    const response = await request();
    expect([response.status, await response.json()]).toEqual([
      status,
      { error: expect.objectContaining({ code }) },
    ]);
    expect(await world.stored(projectId)).toMatchObject(nothing);
  });

  test('refuses a project of another organization as one that is not there', async () => {
    const member = await createToken(compiled, ['--role', 'member', ...world.where], 'member@example.org');
    const { orgId } = await world.call('create-organization', { orgName: 'Others' });
    const foreign = Number(
      (await world.call('create-project', { orgId, projectName: 'Theirs' }))['projectId'],
    );
    const headers = { ...xml, authorization: `Bearer ${member}` };
    expect((await post(inProject(), green, headers)).status).toBe(200);
    for (const query of [`?projectId=${foreign}`, '?project=Theirs']) {
      const response = await post(query, green, headers);
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { error: { code: 'PROJECT_NOT_FOUND' } },
      ]);
    }
    expect(await world.stored(foreign)).toMatchObject(nothing);
  });
});

describe('a file for the comment of a pull request', () => {
  test('begins with the same line in every build', async () => {
    const lines: string[] = [];
    for (const file of ['green.xml', 'red.xml']) {
      expect((await results(`${file} --comment-file comment.md`)).exitCode).toBe(0);
      const text = readFileSync(join(folder, 'comment.md'), 'utf8');
      expect(text).toContain(file === 'red.xml' ? 'Failed: 1 of 2 tests' : 'Passed');
      lines.push(text.split('\n')[0] ?? '');
    }
    const first = `<!-- trivet results of project ${projectId} -->`;
    expect(lines).toEqual([first, first]);
  });

  test('that cannot be written is said, and the results are stored', async () => {
    const ended = await results('green.xml --comment-file missing/comment.md');
    expect([ended.exitCode, ended.stderr]).toEqual([
      0,
      expect.stringContaining('missing/comment.md was not written'),
    ]);
    expect((await world.stored(projectId)).runs).toBe(1);
  });
});

describe('trivet results split', () => {
  const ofFiles = (seconds: Readonly<Record<string, number>>) =>
    `<testsuites>${Object.entries(seconds)
      .map(
        ([file, time]) =>
          `<testsuite><testcase name="of ${file}" file="${file}" time="${time}"/></testsuite>`,
      )
      .join('')}</testsuites>`;
  const split = async (line: string) => {
    const ended = await results(`split ${line}`);
    expect(ended.stderr).toBe('');
    return ended.stdout;
  };

  test('divides by what files took, without the build that asks', async () => {
    writeFileSync(
      join(folder, 'timed.xml'),
      ofFiles({ 'a.test.ts': 9, 'b.test.ts': 3, 'c.test.ts': 3, 'd.test.ts': 3 }),
    );
    await results('timed.xml --run-key one');
    const files = 'd.test.ts b.test.ts a.test.ts c.test.ts';
    const shards = async () => [await split(`--shard 1/2 ${files}`), await split(`--shard 2/2 ${files}`)];
    const wanted = ['a.test.ts\n', 'b.test.ts\nc.test.ts\nd.test.ts\n'];
    expect(await shards()).toEqual(wanted);
    // Another job of the build that asks has uploaded other times.
    writeFileSync(join(folder, 'timed.xml'), ofFiles({ 'a.test.ts': 1 }));
    await results('timed.xml --run-key two');
    expect(await split(`--shard 1/2 --run-key two ${files}`)).toBe(wanted[0] ?? '');
    expect(JSON.parse(await split(`--shards 2 --run-key two --json ${files}`))).toEqual({
      shards: [
        { files: ['a.test.ts'], durationMs: 9_000 },
        { files: ['b.test.ts', 'c.test.ts', 'd.test.ts'], durationMs: 9_000 },
      ],
      unknown: 0,
    });
  });

  test('without any results it divides by number, and reads patterns', async () => {
    for (const file of ['x.test.ts', 'y.test.ts', 'z.test.ts']) writeFileSync(join(folder, file), '');
    expect([await split('--shard 1/2 *.test.ts'), await split('--shard 2/2 *.test.ts')]).toEqual([
      'x.test.ts\nz.test.ts\n',
      'y.test.ts\n',
    ]);
  });

  test.each([
    ['a file whose name looks like a pattern', 'pages/[id].test.ts', 'pages/[id].test.ts\n'],
    ['a file by two paths', './x.test.ts x.test.ts', './x.test.ts\n'],
    ['a file that is not there', 'y.test.ts', 'y.test.ts\n'],
  ])('takes %s', async (_what, line, printed) => {
    mkdirSync(join(folder, 'pages'));
    for (const file of ['x.test.ts', 'pages/[id].test.ts']) writeFileSync(join(folder, file), '');
    expect(await split(`--shard 1/1 ${line}`)).toBe(printed);
  });

  test.each([
    ['--shard 3/2 a', 'Give --shard as K/N'],
    ['--shard 0/2 a', 'Give --shard as K/N'],
    ['a', 'Give --shard as K/N'],
    ['--shard 1/2', 'Name the test files'],
    ['--shard 1/2 *.none', 'No file matches *.none'],
  ])('split %s is refused', async (line, message) => {
    const ended = await results(`split ${line}`);
    expect([ended.exitCode, ended.stdout]).toEqual([expect.any(Number), '']);
    expect(ended.exitCode).not.toBe(0);
    expect(ended.stderr).toContain(message);
  });
});
