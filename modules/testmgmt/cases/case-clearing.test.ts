import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { makeWorld, type World } from '../testing/valid-calls.ts';

let trivet: TestmgmtKernel;
let world: World;
let labelIds: readonly number[];
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  world = await makeWorld(trivet);
  const names = Array.from({ length: 101 }, (_, n) => `label ${n}`);
  const { labels } = await trivet.call('add-labels', { projectId: world.projectId, labels: names });
  labelIds = (labels as Array<{ labelId: number }>).map(({ labelId }) => labelId);
});
afterAll(() => trivet.stop());

const kinds = ['priority', 'type', 'automationStatus', 'platform', 'testCoveredBy'] as const;

/** A test with everything set. */
async function wholeTest(): Promise<Record<string, unknown>> {
  const { projectId, sectionId, squadId, labelId } = world;
  const values = await Promise.all(
    kinds.map(async (kind) => [`${kind}Id`, (await trivet.optionIds(projectId, kind))[0]] as const),
  );
  return trivet.call('create-test', {
    projectId,
    testName: 'whole',
    testDescription: 'text',
    preconditions: 'text',
    steps: [{ action: 'x' }],
    sectionId,
    squadId,
    labels: [labelId],
    ...Object.fromEntries(values),
  });
}

const detailsOf = (testId: unknown) =>
  trivet.call('get-test-details', { projectId: world.projectId, testId });

/** The three ways to change fields of a test. */
const ways = [
  ['update-test', (testId: unknown, set: object) => ({ testId, ...set })],
  ['bulk-update-tests', (testId: unknown, set: object) => ({ tests: [{ testId, ...set }] })],
  [
    'change-tests',
    (testId: unknown, set: object) => ({ projectId: world.projectId, query: `id:${testId}`, set }),
  ],
] as const;

const cleared: ReadonlyArray<readonly [set: object, record: object]> = [
  [{ testDescription: null }, { testDescription: '' }],
  [{ preconditions: null }, { preconditions: '' }],
  [{ sectionId: null }, { sectionId: null, sectionPath: [] }],
  [{ squadId: null }, { squadId: null, squad: null }],
  ...kinds.map((kind) => [{ [`${kind}Id`]: null }, { [`${kind}Id`]: null, [kind]: null }] as const),
  [{ labels: [] }, { labels: [] }],
  [{ steps: [] }, { steps: [] }],
];

describe.each(ways)('%s', (tool, input) => {
  test.each(cleared)('%j clears', async (set, record) => {
    const whole = await wholeTest();
    await trivet.call(tool, input(whole['testId'], set));
    const after = await detailsOf(whole['testId']);
    const { updatedAt } = after;
    expect(after).toEqual({ ...whole, ...record, updatedAt, version: Number(whole['version']) + 1 });
    for (const name of Object.keys(record)) expect(whole[name]).not.toEqual(after[name]);
  });

  test('a name cannot be cleared', async () => {
    const fault = await trivet.refusal(tool, input(world.testId, { testName: null }));
    expect(fault?.code).toBe('INVALID_REQUEST');
  });

  test('labels are added and removed beside those that stay', async () => {
    const { testId } = await wholeTest();
    const [a, b, c] = labelIds;
    await trivet.call(tool, input(testId, { addLabels: [a, b, a] }));
    await trivet.call(tool, input(testId, { addLabels: [b, c], removeLabels: [a] }));
    const record = await detailsOf(testId);
    expect((record['labels'] as Array<{ labelId: number }>).map(({ labelId }) => labelId)).toEqual(
      [world.labelId, b, c].map(Number).toSorted((x, y) => x - y),
    );
    // Removing a label that the test does not have is no error, so the call can be repeated.
    await trivet.call(tool, input(testId, { removeLabels: [a, b, c, world.labelId] }));
    expect(await detailsOf(testId)).toMatchObject({ labels: [] });
  });

  const refusals: ReadonlyArray<readonly [string, () => object, string, RegExp]> = [
    [
      'labels beside addLabels',
      () => ({ labels: [labelIds[0]], addLabels: [labelIds[1]] }),
      'INVALID_REQUEST',
      /labels replaces all labels\. Nothing was written/,
    ],
    [
      'labels beside removeLabels',
      () => ({ labels: [], removeLabels: [labelIds[1]] }),
      'INVALID_REQUEST',
      /labels replaces all labels/,
    ],
    [
      'one label added and removed',
      () => ({ addLabels: labelIds.slice(0, 3), removeLabels: [labelIds[2]] }),
      'INVALID_REQUEST',
      /addLabels and removeLabels both have \d+/,
    ],
    ['a label of nowhere', () => ({ addLabels: [999_999] }), 'NOT_IN_PROJECT', /addLabels\[0\] is not of/],
    [
      'taking away a label of nowhere',
      () => ({ removeLabels: [labelIds[0], 999_999] }),
      'NOT_IN_PROJECT',
      /removeLabels\[1\] is not of/,
    ],
  ];
  test.each(refusals)('refuses %s', async (_title, set, code, message) => {
    const { testId } = await wholeTest();
    const before = await trivet.everything();
    const fault = await trivet.refusal(tool, input(testId, set()));
    expect(fault?.code).toBe(code);
    expect(fault?.message).toMatch(message);
    expect(await trivet.everything()).toBe(before);
  });

  test('a test has at most 100 labels, however they came', async () => {
    const { testId } = await wholeTest();
    await trivet.call(tool, input(testId, { addLabels: labelIds.slice(0, 99) }));
    const before = await trivet.everything();
    const fault = await trivet.refusal(tool, input(testId, { addLabels: labelIds.slice(99, 100) }));
    expect(fault).toMatchObject({ code: 'TOO_MANY_LABELS', causeWord: 'addLabels' });
    expect(fault?.message).toContain(`test ${testId}`);
    expect(await trivet.everything()).toBe(before);
    await trivet.call(
      tool,
      input(testId, { removeLabels: [labelIds[0]], addLabels: labelIds.slice(99, 100) }),
    );
    expect((await detailsOf(testId))['labels']).toHaveLength(100);
  });
});

test('the labels of 1,200 tests are changed in one call, each in its own way', async () => {
  const { projectId } = world;
  const ids = await trivet.makeTests(projectId, 1_200, { labels: [labelIds[0]] });
  await trivet.call('bulk-update-tests', {
    tests: ids.map((testId, n) =>
      n % 2 ? { testId, addLabels: [labelIds[1 + (n % 7)]] } : { testId, removeLabels: [labelIds[0]] },
    ),
  });
  const [even, odd] = [await detailsOf(ids[1_000]), await detailsOf(ids[1_001])];
  expect(even['labels']).toEqual([]);
  expect(odd['labels']).toMatchObject([{ labelId: labelIds[0] }, { labelId: labelIds[1] }]);
});

test('null clears the description of a run and of a project', async () => {
  const { projectId, runId } = world;
  const own = { projectId, runId };
  expect(await trivet.call('edit-run', { ...own, runDescription: 'x' })).toMatchObject({
    runDescription: 'x',
  });
  expect(await trivet.call('edit-run', { ...own, runDescription: null })).toMatchObject({
    runDescription: '',
    runName: 'run',
  });
  await trivet.call('edit-project', { projectId, projectDescription: 'x' });
  expect(await trivet.call('edit-project', { projectId, projectDescription: null })).toMatchObject({
    projectDescription: '',
  });
});
