import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

const format = 'testrail-csv';
const file = (rows: readonly string[]) =>
  ['ID,Title,Section Hierarchy,Priority,Preconditions,Labels,References,Steps,Browser', ...rows].join('\n');
const both = file([
  'C1,Sign in,Account > Login,High,A user,"smoke, web",SHOP-1,Open it,Chrome',
  'C2,Sign out,Account,Low,,,,Leave,',
]);

async function makeProject(): Promise<number> {
  const projectId = await trivet.makeProject();
  await trivet.call('create-field', { projectId, key: 'browser', name: 'Browser', kind: 'text' });
  return projectId;
}

interface Shown {
  readonly testId: number;
  readonly testName: string;
  readonly version: number;
}
const shown = async (projectId: number): Promise<readonly Shown[]> => {
  const { tests } = (await trivet.call('get-tests', { projectId })) as unknown as { tests: Shown[] };
  return Promise.all(
    tests.map(
      async ({ testId }) =>
        (await trivet.call('get-test-details', { projectId, testId })) as unknown as Shown,
    ),
  );
};
const counts = (created: number, updated: number, restored: number, unchanged: number) => ({
  createdCount: created,
  updatedCount: updated,
  restoredCount: restored,
  unchangedCount: unchanged,
});
const load = (projectId: number, content: string, more: object = {}) =>
  trivet.call('import-tests', { projectId, content, format, ...more });
const newestActivity = async (projectId: number) =>
  ((await trivet.call('list-activity', { projectId }))['activities'] as Array<{ activityId: number }>)[0]
    ?.activityId;

describe('the same tests are imported again', () => {
  test('unchanged ones stay as they are, changed ones are updated', async () => {
    const projectId = await makeProject();
    expect(await load(projectId, both)).toMatchObject(counts(2, 0, 0, 0));
    const before = await trivet.everything();
    expect(await load(projectId, both)).toMatchObject(counts(0, 0, 0, 2));
    expect(await trivet.everything()).toBe(before);
    const changed = file([
      'C1,Sign in,Account > Login,Critical,,"web",SHOP-1,Open it,',
      'C2,Sign out,Account,Low,,,,Leave,',
      'C3,Register,Account,Low,,,SHOP-2,Go,Firefox',
    ]);
    expect(await load(projectId, changed, { preview: true })).toMatchObject({
      ...counts(1, 1, 0, 1),
      dryRun: true,
    });
    expect(await trivet.everything()).toBe(before);
    expect(await load(projectId, changed)).toMatchObject(counts(1, 1, 0, 1));
    expect(await shown(projectId)).toMatchObject([
      {
        testName: 'Sign in',
        priority: 'Critical',
        preconditions: '',
        labels: [{ labelName: 'web' }],
        fields: null,
        version: 2,
      },
      { testName: 'Sign out', version: 1 },
      { testName: 'Register', fields: { browser: 'Firefox' }, version: 1 },
    ]);
  });

  test('a field that the file does not have stays', async () => {
    const projectId = await makeProject();
    await load(projectId, both);
    await load(projectId, 'ID,Title,Section Hierarchy\nC1,Sign in now,Account > Login\n');
    expect(await shown(projectId)).toMatchObject([
      { testName: 'Sign in now', priority: 'High', fields: { browser: 'Chrome' }, preconditions: 'A user' },
      { testName: 'Sign out' },
    ]);
  });

  test('a deleted test comes back and is not doubled', async () => {
    const projectId = await makeProject();
    await load(projectId, both);
    const [first] = await shown(projectId);
    await trivet.call('delete-test', { projectId, testId: first?.testId });
    expect(await load(projectId, both)).toMatchObject(counts(0, 0, 1, 1));
    expect((await shown(projectId)).map(({ testId }) => testId)).toContain(first?.testId ?? 0);
    expect((await shown(projectId)).length).toBe(2);
  });

  test('ids of another source, project or product are others', async () => {
    const projectId = await makeProject();
    await load(projectId, both);
    expect(await load(projectId, both, { source: 'testrail-shop' })).toMatchObject(counts(2, 0, 0, 0));
    expect(await load(await makeProject(), both)).toMatchObject(counts(2, 0, 0, 0));
  });

  test('the XML of a product updates what its CSV made', async () => {
    const projectId = await makeProject();
    await load(projectId, both);
    const content =
      '<suite><sections><section><name>Account</name><cases><case><id>C2</id><title>Log out</title></case></cases></section></sections></suite>';
    expect(await load(projectId, content, { format: 'testrail-xml' })).toMatchObject(counts(0, 1, 0, 0));
    expect(await shown(projectId)).toMatchObject([{ testName: 'Sign in' }, { testName: 'Log out' }]);
  });

  test.each([
    ['the second into the first', 0, 1, 'Sign in'],
    ['the first into the second', 1, 0, 'Sign out'],
  ])('the ids of a merged test lead to the one that it became: %s', async (_, to, from, testName) => {
    const projectId = await makeProject();
    await load(projectId, both);
    const tests = await shown(projectId);
    const ids = { testId: tests[to]?.testId, mergedTestId: tests[from]?.testId };
    await trivet.call('merge-tests', { projectId, ...ids });
    expect(await load(projectId, both)).toMatchObject(counts(0, 0, 0, 2));
    expect(await shown(projectId)).toMatchObject([{ testName }]);
  });
});

describe('undo-activity takes an import back', () => {
  const comparable = (tests: readonly Shown[]) =>
    tests.map((one) => ({ ...one, version: 0, updatedAt: '', updatedBy: 0 }));

  test('created and updated and restored tests', async () => {
    const projectId = await makeProject();
    await load(projectId, both);
    const [first, second] = await shown(projectId);
    await trivet.call('update-test', { testId: first?.testId, testDescription: 'written here' });
    await trivet.call('delete-test', { projectId, testId: second?.testId });
    const before = comparable(await shown(projectId));
    trivet.clock.advance(1_000);
    const next = file([
      'C1,Sign in!,Other,Low,,,,Else,Firefox',
      'C2,Sign out,Account,High,,,,Leave,',
      'C3,New,Account,Low,,,,Go,',
    ]);
    expect(await load(projectId, next)).toMatchObject(counts(1, 1, 1, 0));
    expect(comparable(await shown(projectId))).not.toEqual(before);
    const activityId = await newestActivity(projectId);
    trivet.clock.advance(1_000);
    expect(await trivet.call('undo-activity', { activityId })).toMatchObject({
      changedTests: 2,
      deletedTests: 2,
    });
    expect(comparable(await shown(projectId))).toEqual(before);
    trivet.clock.advance(1_000);
    expect(await load(projectId, next)).toMatchObject(counts(0, 1, 2, 0));
    expect((await shown(projectId)).map(({ testName }) => testName)).toEqual(['Sign in!', 'Sign out', 'New']);
  });
});

test('two rows with one id are a fault, and a review refuses nothing half-written', async () => {
  const projectId = await makeProject();
  const before = await trivet.everything();
  const fault = await trivet.refusal('import-tests', {
    projectId,
    format,
    content: file(['C1,a,,,,,,,', 'C1x,b,,,,,,,', 'C1,c,,,,,,,']),
  });
  expect(fault).toMatchObject({
    code: 'IMPORT_FAULTY',
    message: expect.stringContaining('has the id "C1" of row 2'),
  });
  expect(await trivet.everything()).toBe(before);
});

test('a preview shows the mapping, the tests and what is not understood', async () => {
  const projectId = await makeProject();
  const content = 'Case name;What to do;Browser;Owner;No\nSign in;Open;Chrome;Ann;7\n';
  const mapping = { 'Case name': 'testName', 'what to do': 'steps', No: 'externalId' };
  expect(
    await trivet.call('import-tests', { projectId, content, format: 'table', mapping, preview: true }),
  ).toMatchObject({
    dryRun: true,
    createdCount: 1,
    mapping: [
      { column: 'Case name', to: 'testName' },
      { column: 'What to do', to: 'steps' },
      { column: 'Browser', to: 'cf.browser' },
      { column: 'Owner', to: null },
      { column: 'No', to: 'externalId' },
    ],
    tests: [
      { testName: 'Sign in', steps: [{ action: 'Open' }], fields: { browser: 'Chrome' }, externalId: '7' },
    ],
    ignoredColumns: ['Owner'],
    hints: [expect.stringContaining('create-field { key: "owner"')],
  });
  for (const [wrong, words] of [
    [{ Caze: 'testName' }, 'names the column "Caze"'],
    [{ Owner: 'owner' }, 'which is no field'],
    [{ Owner: 'cf.owner' }, 'create-field'],
  ] as const)
    expect(
      (await trivet.refusal('import-tests', { projectId, content, format: 'table', mapping: wrong }))
        ?.message,
    ).toContain(words);
});

test.each(['cf.my-field', 'cf.owner', 'My Field 2', 'Case-Type', 'Größe'])(
  'who does what the hint about the column %s says keeps it',
  async (column) => {
    const projectId = await makeProject();
    const content = `Title;${column}\nSign in;Ann\n`;
    const first = await trivet.call('import-tests', { projectId, content, format: 'table' });
    const [hint = ''] = first['hints'] as string[];
    const [, key, name, kind] = /\{ key: "(.*)", name: "(.*)", kind: "(.*)" \}/.exec(hint) ?? [];
    expect(name).toBe(column.replace(/^cf\./, ''));
    await trivet.call('create-field', { projectId, key, name, kind });
    const again = await trivet.call('import-tests', { projectId, content, format: 'table' });
    expect(again).toMatchObject({ ignoredColumns: [] });
  },
);
