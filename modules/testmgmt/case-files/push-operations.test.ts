import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
});
afterAll(() => trivet.stop());
beforeEach(async () => {
  projectId = await trivet.makeProject();
});

type Row = Readonly<Record<string, unknown>> & { readonly testId: number; readonly version: number };
const rows = (answer: Record<string, unknown>) => answer['tests'] as readonly Row[];
const push = async (tests: readonly object[], more: object = {}) =>
  rows(await trivet.call('push-tests', { projectId, tests, ...more }));
const pull = async () => rows(await trivet.call('pull-tests', { projectId }));
const activities = async () =>
  ((await trivet.call('list-activity', { projectId }))['activities'] as readonly unknown[]).length;

const whole = {
  testName: 'Pay',
  section: ['Checkout', 'Payment'],
  testDescription: 'By card',
  preconditions: 'An account',
  steps: [{ action: 'Pay', expected: 'Thanks' }],
  priority: 'High',
  squad: 'Web',
  labels: ['smoke', 'new label'],
  estimateSeconds: 90,
};

test('new tests are stored with all names, and read back as they are', async () => {
  expect(await push([whole, { testName: 'Leave' }])).toMatchObject([
    { version: 1, outcome: 'created' },
    { version: 1, outcome: 'created' },
  ]);
  expect(await pull()).toMatchObject([whole, { testName: 'Leave', section: [], labels: [], priority: null }]);
});

test('the given fields change, null and empty lists clear, and the same call again changes nothing', async () => {
  const [one] = await push([whole]);
  const change = {
    testId: one?.testId,
    version: 1,
    priority: null,
    labels: [],
    section: [],
    testName: 'Pay now',
  };
  expect(await push([change])).toMatchObject([{ version: 2, outcome: 'changed' }]);
  const now = { ...whole, testName: 'Pay now', priority: null, labels: [], section: [] };
  expect(await pull()).toMatchObject([now]);
  const before = await activities();
  // The answer was lost: the old version, and nothing to do.
  expect(await push([change])).toMatchObject([{ version: 2, outcome: 'unchanged' }]);
  expect(await activities()).toBe(before);
});

test('a test that changed meanwhile refuses all', async () => {
  const [one, other] = await push([whole, { testName: 'Leave' }]);
  await trivet.call('update-test', { testId: other?.testId, testDescription: 'theirs' });
  const before = await trivet.everything();
  const both = [
    { testId: one?.testId, version: 1, testName: 'Mine' },
    { testId: other?.testId, version: 1, testDescription: 'mine' },
  ];
  const refused = await trivet.refusal('push-tests', { projectId, tests: both });
  expect(refused).toMatchObject({
    code: 'TEST_CHANGED',
    message: expect.stringContaining(`@T${other?.testId} (version 2)`),
  });
  expect(await trivet.everything()).toBe(before);
  await trivet.call('delete-test', { projectId, testId: one?.testId });
  const deleted = await trivet.refusal('push-tests', { projectId, tests: both.slice(0, 1) });
  expect(deleted?.message).toContain(`@T${one?.testId} (deleted)`);
});

describe('a new test that is there already', () => {
  test.each<[string, object, object, string]>([
    ['of the same name and section', {}, {}, 'found'],
    ['of another name', { testName: 'Pay ' }, {}, 'found'],
    ['of another section', { section: ['Checkout'] }, {}, 'created'],
    ['of no section', { section: [] }, {}, 'created'],
    ['that has another file', {}, { otherThan: true }, 'created'],
  ])('%s', async (_title, change, { otherThan = false }: { otherThan?: boolean }, outcome) => {
    const [one] = await push([whole]);
    const again = { ...whole, ...change, ...(otherThan && { otherThan: [one?.testId] }) };
    const [found] = await push([again]);
    expect(found).toMatchObject({ outcome });
    expect(found?.testId === one?.testId).toBe(outcome === 'found');
  });

  test('twice in one call: one of them is it', async () => {
    await push([whole]);
    expect((await push([whole, whole])).map(({ outcome }) => outcome)).toEqual(['found', 'created']);
  });

  test('one that the same call deletes is not it', async () => {
    const [one] = await push([whole]);
    const deleted = [{ testId: one?.testId, version: 1 }];
    expect(await push([whole], { deleted })).toMatchObject([{ outcome: 'created' }]);
    expect(await pull()).toMatchObject([whole]);
  });

  test('two pushes at once create it once', async () => {
    const both = await Promise.all([push([whole]), push([whole])]);
    expect(
      both
        .flat()
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(['created', 'found']);
    expect((await pull()).length).toBe(1);
  });
});

test('what is deleted, what strict refuses, and what a dry run leaves', async () => {
  const [one] = await push([whole]);
  const before = await trivet.everything();
  const strict = await trivet.refusal('push-tests', {
    projectId,
    tests: [{ testName: 'x', labels: ['smke'] }],
    strict: true,
  });
  expect(strict).toMatchObject({
    code: 'IMPORT_CREATES',
    message: expect.stringContaining('did you mean "smoke"'),
  });
  const dry = await trivet.call('push-tests', {
    projectId,
    tests: [{ testName: 'x', labels: ['odd'] }],
    dryRun: true,
  });
  expect(dry).toMatchObject({
    dryRun: true,
    tests: [{ outcome: 'created' }],
    creates: { labels: [{ name: 'odd' }] },
  });
  expect(await trivet.everything()).toBe(before);
  const deleted = [{ testId: one?.testId, version: 1 }];
  expect(await trivet.call('push-tests', { projectId, tests: [], deleted })).toMatchObject({
    deletedCount: 1,
  });
  expect(await pull()).toEqual([]);
  for (const [tests, message] of [
    [[{ testId: one?.testId }], 'tests[0].version'],
    [[{ labels: [] }], 'tests[0].testName'],
  ] as const)
    expect((await trivet.refusal('push-tests', { projectId, tests }))?.message).toContain(message);
});

test('pages join up', async () => {
  await push(Array.from({ length: 7 }, (_, n) => ({ testName: `t${n}`, testDescription: 'x'.repeat(100) })));
  const found: string[] = [];
  for (let after: unknown = 0; after !== undefined;) {
    const page = await trivet.call('pull-tests', { projectId, after, limit: 3 });
    found.push(...rows(page).map(({ testName }) => String(testName)));
    after = page['nextAfter'];
  }
  expect(found).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6']);
});
