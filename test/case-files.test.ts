import { beforeEach, describe, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { compiled, runTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Test cases as files, by the commands as a person runs them: on a data directory, in a folder with other files in it, in two clones.
 */
let data: string;
let folder: string;

beforeEach(async () => {
  data = temporaryDirectory('cases-data');
  folder = temporaryDirectory('cases-folder');
  await tool('create-project', { orgId: 1, projectName: 'Shop' });
});

const tool = async (name: string, input: object): Promise<Record<string, unknown>> => {
  const done = await runTrivet(compiled, [
    'call',
    name,
    '--args',
    JSON.stringify(input),
    '--json',
    '--data',
    data,
  ]);
  expect({ name, stderr: done.stderr, exitCode: done.exitCode }).toEqual({ name, stderr: '', exitCode: 0 });
  return JSON.parse(done.stdout) as Record<string, unknown>;
};
type Answer = Record<string, unknown> & { readonly tests: ReadonlyArray<Record<string, unknown>> };
const cases = async (words: string, cwd = folder) => {
  const [command = '', ...rest] = words.split(' ');
  const where = ['pull', 'push'].includes(command) ? ['--data', data] : [];
  const done = await runTrivet(compiled, ['cases', command, ...rest, '--json', ...where], { cwd });
  const answer = done.stdout === '' ? null : (JSON.parse(done.stdout) as Answer);
  return { ...done, answer };
};
const did = async (words: string, cwd?: string) => {
  const { answer, exitCode, stderr } = await cases(words, cwd);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return (answer?.tests ?? []).map((one) => [one['outcome'] ?? one['state'], one['testId']]);
};
const write = (path: string, text: string, cwd = folder) => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
const read = (path: string, cwd = folder) => readFileSync(join(cwd, path), 'utf8');
const replaced = (path: string, from: string, to: string, cwd = folder) => {
  const text = read(path, cwd);
  expect(text).toContain(from);
  write(path, text.replace(from, to), cwd);
};
const serverTests = async () =>
  (await tool('pull-tests', { projectId: 1 }))['tests'] as ReadonlyArray<Record<string, unknown>>;

const file = 'Checkout/Payment.test.md';
const text = `---
owner: payments
---
# Payment

## Pay by card

With a *valid* card.

### Steps

1. Open
   Expected: It is there
2. Pay

### Notes

As they are.

## Pay by invoice
`;

test('from files to a server and back: ids are written, the rest stays byte for byte, twice changes nothing', async () => {
  write(file, text.replaceAll('\n', '\r\n'));
  write('README.md', '## no test');
  expect(await did('status')).toEqual([
    ['new', null],
    ['new', null],
  ]);
  expect(await did('push')).toEqual([
    ['created', 1],
    ['created', 2],
  ]);
  const written = read(file);
  expect(written.replaceAll(/<!-- test\r\nid: @T\d\r\n-->\r\n/g, '')).toBe(text.replaceAll('\n', '\r\n'));
  const stored = await serverTests();
  expect(stored).toMatchObject([
    {
      testName: 'Pay by card',
      section: ['Checkout', 'Payment'],
      testDescription: 'With a *valid* card.\n\n### Notes\n\nAs they are.',
      steps: [{ action: 'Open', expected: 'It is there' }, { action: 'Pay' }],
    },
    { testName: 'Pay by invoice' },
  ]);
  const known = read('.trivet/cases.json');
  const activities = await tool('list-activity', { projectId: 1 });
  for (const command of ['push', 'pull', 'push', 'status']) expect(await did(command)).toEqual([]);
  expect([read(file), read('.trivet/cases.json'), await serverTests()]).toEqual([written, known, stored]);
  expect(await tool('list-activity', { projectId: 1 })).toEqual(activities);
  expect(existsSync(join(folder, 'README.md'))).toBe(true);
}, 60_000);

test('both sides change other fields, and other lines of one text: nothing is lost', async () => {
  write(file, text);
  await did('push');
  await tool('update-test', {
    testId: 1,
    testName: 'Pay by credit card',
    testDescription: 'With a *valid* card.\n\n### Notes\n\nAs they are.\nMore.',
  });
  replaced(file, 'With a *valid* card.', 'With a valid card.');
  const refused = await cases('push');
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('@T1 (version 2)')]);
  expect(await did('pull')).toEqual([['changed', 1]]);
  expect(await did('push')).toEqual([['changed', 1]]);
  expect(read(file)).toContain('## Pay by credit card\n');
  expect((await serverTests())[0]).toMatchObject({
    testName: 'Pay by credit card',
    testDescription: 'With a valid card.\n\n### Notes\n\nAs they are.\nMore.',
  });
}, 60_000);

test('one side of each conflict and no marks: the value counts, and a name other than the heading stops a push', async () => {
  write(file, '<!-- test\npriority: High\n-->\n## Pay by card\n');
  await did('push');
  const { priorities } = await tool('get-priority', { projectId: 1 });
  const values = priorities as ReadonlyArray<{
    readonly priorityId: number;
    readonly priorityName: string;
  }>;
  const priorityId = values.find(({ priorityName }) => priorityName === 'Low')?.priorityId;
  await tool('update-test', { testId: 1, testName: 'Theirs', priorityId });
  replaced(file, '## Pay by card', '## Ours');
  replaced(file, 'priority: High', 'priority: Critical');
  expect(await cases('pull')).toMatchObject({ exitCode: 1 });
  // The server's side of both.
  write(
    file,
    read(file)
      .split('\n')
      .filter(
        (line) =>
          !['<<<<<<< file', 'name: Ours', 'priority: Critical', '=======', '>>>>>>> server'].includes(line),
      )
      .join('\n'),
  );
  const refused = await cases('push');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('remove the line "name:"')]);
  replaced(file, '## Ours', '## Theirs');
  expect(await did('push')).toEqual([]);
  expect((await serverTests())[0]).toMatchObject({ testName: 'Theirs', priority: 'Low' });
}, 60_000);

test('a conflict is marked in its test, stops a push, and is over once somebody has chosen', async () => {
  write(file, text);
  await did('push');
  await tool('update-test', {
    testId: 1,
    testName: 'Theirs',
    testDescription: 'theirs',
    steps: [{ action: 'Open' }],
  });
  replaced(file, '## Pay by card', '## Ours');
  replaced(file, 'With a *valid* card.', 'ours');
  replaced(file, '2. Pay', '2. Pay now');
  const pulled = await cases('pull');
  expect([pulled.exitCode, pulled.answer?.tests.map(({ outcome }) => outcome)]).toEqual([1, ['conflict']]);
  expect(read(file)).toContain('<<<<<<< file\nname: Ours\n=======\nname: Theirs\n>>>>>>> server\n');
  expect((await cases('status')).exitCode).toBe(1);
  // Also when nothing has come since.
  const again = await cases('pull');
  expect([again.exitCode, again.answer?.tests.map(({ outcome }) => outcome)]).toEqual([1, ['conflict']]);
  const refused = await cases('push');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`${file}:`)]);
  expect(refused.stderr).toContain('marks of a conflict');
  // Whoever wants what the server has, in all.
  const chosen = read(file)
    .replaceAll(
      /<<<<<<< file\n(?:(?!=======\n)[^\n]*\n)*=======\n((?:(?!>>>>>>> )[^\n]*\n)*)>>>>>>> server\n/g,
      '$1',
    )
    .replace('name: Theirs\n', '')
    .replace('## Ours', '## Theirs');
  write(file, chosen);
  await did('push');
  expect((await serverTests())[0]).toMatchObject({
    testName: 'Theirs',
    testDescription: 'theirs',
    steps: [{ action: 'Open' }],
  });
  expect(await did('status')).toEqual([]);
}, 60_000);

test('a moved file and a new heading are a new section and name: the id and its history go on', async () => {
  write(file, text);
  await did('push');
  await tool('create-run', { projectId: 1, runName: 'One', testIds: [1] });
  await tool('run-update-test-status', {
    projectId: 1,
    runId: 1,
    testResults: [{ testId: 1, status: 'failed' }],
  });
  mkdirSync(join(folder, 'Shop'));
  renameSync(join(folder, file), join(folder, 'Shop/Paying.test.md'));
  replaced('Shop/Paying.test.md', '## Pay by card', '## Card');
  expect(await did('push')).toEqual([
    ['changed', 1],
    ['changed', 2],
  ]);
  expect(await serverTests()).toMatchObject([
    { testId: 1, testName: 'Card', section: ['Shop', 'Paying'] },
    { testId: 2, section: ['Shop', 'Paying'] },
  ]);
  expect((await tool('get-test-status-history', { projectId: 1, testId: 1 }))['history']).toHaveLength(1);
  // And the other way round: the server moves a test to another file.
  await tool('update-test', { testId: 2, section: 'Shop > Invoices', create: true });
  expect(await did('pull')).toEqual([['changed', 2]]);
  expect(read('Shop/Invoices.test.md')).toContain('id: @T2\n-->\n## Pay by invoice');
  expect(read('Shop/Paying.test.md')).not.toContain('@T2');
}, 60_000);

test('two clones that push the same new test have one, and one that knows another text merges it', async () => {
  const other = temporaryDirectory('cases-clone');
  write(file, text);
  write(file, text.replace('With a *valid* card.', 'Theirs.'), other);
  await did('push');
  const second = await cases('push', other);
  expect([second.exitCode, second.answer?.tests.map(({ outcome, testId }) => [outcome, testId])]).toEqual([
    0,
    [
      ['found', 1],
      ['found', 2],
    ],
  ]);
  expect(second.stderr).toContain('trivet cases pull');
  expect(await serverTests()).toHaveLength(2);
  expect((await cases('pull', other)).exitCode).toBe(1);
  expect(read(file, other)).toContain('<<<<<<< file\nTheirs.\n=======\nWith a *valid* card.\n>>>>>>> server');
  expect(read('.trivet/cases.json', other)).toContain('"@T2"');
}, 60_000);

test('a clone without the contents merges by the versions of the server', async () => {
  write(file, text);
  await did('push');
  const clone = temporaryDirectory('cases-clone');
  cpSync(folder, clone, { recursive: true });
  rmSync(join(clone, '.trivet/base.jsonl'));
  await tool('update-test', { testId: 1, testName: 'Card' });
  replaced(file, 'With a *valid* card.', 'Other', clone);
  expect(await did('pull', clone)).toEqual([['changed', 1]]);
  expect(read(file, clone)).toContain('## Card\n\nOther\n');
}, 60_000);

/** @see Finding: a pull looked only at the versions of tests, and a section that was renamed stayed where it was, until a push made it anew. */
test('what was renamed or moved on the server is so after a pull, also in a clone with changes of its own', async () => {
  const [start, clone, fresh] = ['start', 'clone', 'fresh'].map((name) =>
    temporaryDirectory(`cases-${name}`),
  ) as [string, string, string];
  write(file, '<!-- test\nlabels: smoke\n-->\n## Pay\n\nBy card.\n\n## Refund\n', start);
  await did('push', start);
  await did('pull --project Shop');
  cpSync(folder, clone, { recursive: true });
  rmSync(join(clone, '.trivet/base.jsonl'));
  replaced(file, 'By card.', 'By invoice.', clone);
  const { sections } = await tool('get-sections', { projectId: 1 });
  const sectionId = (sections as Answer[]).find((one) => one['sectionName'] === 'Payment')?.['sectionId'];
  await tool('edit-section', { sectionId, sectionName: 'Paying' });
  await tool('move-section', { sectionId, parentSectionId: null });
  await tool('edit-metadata', { projectId: 1, kind: 'label', id: 1, name: 'quick' });
  const outcomes = [
    ['changed', 1],
    ['changed', 2],
  ];
  for (const cwd of [folder, clone]) expect(await did('pull', cwd)).toEqual(outcomes);
  await did('pull --project Shop', fresh);
  const renamed = 'Paying.test.md';
  for (const cwd of [folder, clone]) {
    expect(existsSync(join(cwd, file))).toBe(false);
    expect(read('.trivet/cases.json', cwd)).toBe(read('.trivet/cases.json', fresh));
    expect(read(renamed, cwd).replace('invoice', 'card')).toBe(read(renamed, fresh));
  }
  expect([await did('pull'), await did('push')]).toEqual([[], []]);
  expect(await did('push', clone)).toEqual([['changed', 1]]);
  expect(await tool('get-sections', { projectId: 1 })).toMatchObject({ total: 2 });
}, 60_000);

/** @see It showed no field: the texts that were pulled are not committed. */
test.skipIf(Bun.which('git') === null)(
  'a clone of a Git repository has a difference without a server, as far as the last commit is what was pulled',
  async () => {
    write(file, text);
    await did('push');
    const clone = join(temporaryDirectory('cases-git'), 'clone');
    const git = (cwd: string, ...words: string[]) => {
      const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
      const done = Bun.spawnSync(['git', ...author, ...words], { cwd });
      expect([words[0], done.exitCode, done.stderr.toString()]).toMatchObject([
        words[0],
        0,
        expect.any(String),
      ]);
    };
    git(folder, 'init', '-q');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'pulled');
    git(folder, 'clone', '-q', folder, clone);
    expect(existsSync(join(clone, '.trivet/base.jsonl'))).toBe(false);
    replaced(file, 'With a *valid* card.', 'With any card.', clone);
    const fields = async () => {
      const { answer, exitCode } = await cases('diff', clone);
      expect(exitCode).toBe(0);
      return (answer?.tests ?? []).map((one) => [one['testId'], one['fields']]);
    };
    expect(await fields()).toEqual([[1, [expect.objectContaining({ field: 'testDescription' })]]]);
    // What was committed since is not what was pulled.
    git(clone, 'commit', '-qam', 'changed');
    replaced(file, 'With any card.', 'With no card.', clone);
    expect(await fields()).toEqual([[1, null]]);
  },
  60_000,
);

test('what is gone from the files is said, and deleted only when asked', async () => {
  write(file, text);
  await did('push');
  write(file, read(file).slice(0, read(file).indexOf('<!-- test\nid: @T2')));
  expect(await did('status')).toEqual([['deleted', 2]]);
  const kept = await cases('push');
  expect(kept.stderr).toContain('--delete');
  expect((await cases('pull')).answer?.tests).toMatchObject([{ outcome: 'deleted here', testId: 2 }]);
  expect(await serverTests()).toHaveLength(2);
  expect((await cases('push --delete')).answer).toMatchObject({ deleted: [2] });
  expect(await serverTests()).toHaveLength(1);
  await tool('delete-test', { projectId: 1, testId: 1 });
  expect(await did('pull')).toEqual([['removed', 1]]);
  expect(read(file)).toBe('---\nowner: payments\n---\n# Payment\n\n');
}, 60_000);

test('push --check is Markdown for a pull request, and writes nothing', async () => {
  write(file, text);
  await did('push');
  replaced(file, 'With a *valid* card.', 'With ```fences``` and <b>.');
  replaced(file, '## Pay by invoice', '## Pay *later*');
  const before = [read(file), read('.trivet/cases.json'), await serverTests()];
  const checked = await runTrivet(compiled, ['cases', 'push', '--check', '--data', data], { cwd: folder });
  expect(checked.exitCode).toBe(0);
  expect(checked.stdout).toStartWith('### Test cases: 0 new, 2 changed, 0 deleted\n');
  expect(checked.stdout).toContain(
    '````diff\n  testDescription\n- With a *valid* card.\n+ With ```fences``` and <b>.\n',
  );
  expect(checked.stdout).toContain('Pay \\*later\\*');
  expect([read(file), read('.trivet/cases.json'), await serverTests()]).toEqual(before);
}, 60_000);

describe('is refused with its place, and nothing is written', () => {
  const twice = '<!-- test\nid: @T1\n-->\n## A\n';
  test.each<[string, () => void, string, string]>([
    [
      'the same id twice',
      () => (write('a.test.md', twice), write('b.test.md', twice)),
      'push',
      'b.test.md:4: @T1 is also at a.test.md:4',
    ],
    ['an id of elsewhere', () => write('a.test.md', twice), 'push', '@T1 is not in .trivet/cases.json'],
    [
      'a comment without a test',
      () => write('a.test.md', '<!-- test\nid: @T1\n-->\n'),
      'status',
      'a.test.md:1: A comment',
    ],
    [
      'another encoding',
      () => writeFileSync(join(folder, 'a.test.md'), Buffer.from([0x23, 0xff, 0xfe])),
      'pull',
      'not UTF-8',
    ],
    ['no JSON', () => write('.trivet/cases.json', '<<<<<<< HEAD'), 'pull', 'It is not JSON'],
    [
      'another project',
      () => write('.trivet/cases.json', '{"format":1,"server":null,"project":7,"tests":{}}'),
      'pull --project 1',
      'project 7, not of 1',
    ],
    [
      'another server',
      () => write('.trivet/cases.json', '{"format":1,"server":"https://a.example","project":1,"tests":{}}'),
      'pull --url http://127.0.0.1:1',
      'https://a.example',
    ],
    [
      'a name without text',
      () => write(`${'x'.repeat(100)}/y.test.md`, `## ${'n'.repeat(300)}\n`),
      'push',
      'testName',
    ],
  ])(
    '%s',
    async (_title, make, command, said) => {
      make();
      const [name = '', ...rest] = command.split(' ');
      const where = rest.includes('--url') || name === 'status' ? [] : ['--data', data];
      const done = await runTrivet(compiled, ['cases', name, ...rest, ...where], {
        cwd: folder,
        ...(rest.includes('--url') && { env: { TRIVET_TOKEN: 'x' } }),
      });
      expect(done.exitCode).not.toBe(0);
      expect(done.stderr).toContain(said);
      expect(await serverTests()).toEqual([]);
    },
    60_000,
  );

  /** @see Finding: "Nothing to push", with exit code 0, so a pipeline with a misspelt folder stored nothing and stayed green. */
  test.each(['push none --project 1', 'push none --project 1 --check', 'status none', 'diff none'])(
    'a folder that is not there: %s',
    async (line) => {
      const where = line.startsWith('push') ? ['--data', data] : [];
      const done = await runTrivet(compiled, ['cases', ...line.split(' '), ...where], { cwd: folder });
      expect([done.exitCode, done.stderr]).toEqual([2, 'trivet: There is no folder none.\n']);
    },
    60_000,
  );

  test('a folder that is a link', async () => {
    await tool('create-test', { projectId: 1, testName: 'A', section: 'Out', create: true });
    const outside = temporaryDirectory('cases-outside');
    symlinkSync(outside, join(folder, '.trivet'));
    const done = await cases('pull');
    expect([done.exitCode, done.stderr]).toEqual([2, expect.stringContaining('is a link')]);
    expect(existsSync(join(outside, 'cases.json'))).toBe(false);
  }, 60_000);
});
