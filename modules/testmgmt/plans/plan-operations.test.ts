import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { plannedRunName } from './plan-entries.ts';

let trivet: TestmgmtKernel;
let projectId = 0;
let testIds: readonly number[] = [];
let browsers: readonly number[] = [];
let systems: readonly number[] = [];
let groupIds: readonly number[] = [];
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());
beforeEach(async () => {
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 3);
  const groups = [
    await group('Browser', ['Chrome', 'Edge', 'Firefox']),
    await group('System', ['Linux', 'macOS', 'Windows']),
  ];
  groupIds = groups.map(({ groupId }) => groupId);
  [browsers = [], systems = []] = groups.map(({ values }) => values.map(({ valueId }) => valueId));
});

interface Group {
  groupId: number;
  name: string;
  values: Array<{ valueId: number; name: string }>;
}

const call = (tool: string, args: object = {}) => trivet.call(tool, { projectId, ...args });
const refusal = async (tool: string, args: object = {}) =>
  (await trivet.refusal(tool, { projectId, ...args }))?.code;
const group = async (name: string, values: readonly string[]) =>
  (await call('create-configuration-group', { name, values })) as unknown as Group;
const groups = async () => (await call('get-configuration-groups'))['groups'] as Group[];
interface MadePlan {
  tests: number;
  plan?: { planId: number };
  runs: Array<{
    runId: number | null;
    runName: string;
    tests: number;
    configurations: Array<{ value: string }>;
  }>;
}
const plan = async (args: object, entry: object = {}) =>
  (await call('create-plan', {
    name: '1.4',
    entries: [{ testIds, ...entry }],
    ...args,
  })) as unknown as MadePlan;

describe('a plan', () => {
  test('of 3 × 3 configurations makes nine runs', async () => {
    const { milestoneId } = await call('create-milestone', { name: 'm' });
    const made = await plan(
      { milestoneId, dueOn: '2026-12-24', description: ' why ' },
      { configurations: 'all' },
    );
    expect([made.tests, made.runs.length]).toEqual([27, 9]);
    expect(made.runs[1]).toMatchObject({
      runName: '1.4 (Chrome, macOS)',
      tests: 3,
      configurations: [
        { group: 'Browser', value: 'Chrome' },
        { group: 'System', value: 'macOS' },
      ],
    });
    const planId = made.plan?.planId;
    expect(await call('run-detail', { runId: made.runs[8]?.runId })).toMatchObject({
      milestoneId,
      planId,
      dueOn: '2026-12-24',
      configurations: [{ valueId: browsers[2] }, { valueId: systems[2] }],
      counts: { untested: 3 },
    });
    const read = (await call('get-plan', { planId })) as { runs: unknown[] };
    expect(read).toMatchObject({ name: '1.4', description: 'why', runsCount: 9, counts: { total: 27 } });
    expect(read.runs.length).toBe(9);
    expect(await call('get-plans')).toMatchObject({ total: 1, plans: [{ planId, runsCount: 9 }] });
    const found = async (query: string) => (await call('get-runs', { query }))['total'];
    expect([
      await found(`plan:${planId}`),
      await found('plan:"1.4"'),
      await found('config:Chrome'),
      await found('config:chrome config:Windows'),
      await found('config:Chrome,Edge'),
      await found('config:none'),
      await found('-config:Chrome'),
      await found('plan:none'),
    ]).toEqual([9, 9, 3, 1, 6, 0, 6, 0]);
  });

  test('of pairs makes as few as contain every pair', async () => {
    await group('Language', ['de', 'en', 'fr']);
    const { runs } = await plan({ dryRun: true }, { configurations: 'pairwise' });
    expect(runs.length).toBeGreaterThanOrEqual(9);
    expect(runs.length).toBeLessThanOrEqual(10);
    const pairs = new Set(
      runs.flatMap(({ configurations: [a, b, c] }) => [
        `${a?.value} ${b?.value}`,
        `${a?.value} ${c?.value}`,
        `${b?.value} ${c?.value}`,
      ]),
    );
    expect(pairs.size).toBe(27);
  });

  test('takes given combinations, selected groups, and none', async () => {
    const entries = [
      { testIds, configurations: [[browsers[0], systems[2]], [systems[1]]] },
      { query: `id:${testIds[0]}`, configurations: 'all', groupIds: [groupIds[1]], runName: 'Smoke' },
      { testIds },
    ];
    const { runs } = (await call('create-plan', { name: 'P', entries })) as unknown as MadePlan;
    expect(runs.map(({ runName, tests }) => `${runName} ${tests}`)).toEqual([
      'P (Chrome, Windows) 3',
      'P (macOS) 3',
      'Smoke (Linux) 1',
      'Smoke (macOS) 1',
      'Smoke (Windows) 1',
      'P 3',
    ]);
  });

  test('assigns the tests of its runs', async () => {
    const me = trivet.owner.userId;
    const { runs, plan: made } = await plan(
      {},
      { assignTo: [me], by: 'estimate', configurations: [[browsers[0]]] },
    );
    const list = await call('get-run-tests-list', { runId: runs[0]?.runId, query: 'assigned:me' });
    expect(list['total']).toBe(3);
    expect(await call('get-workload', { planId: made?.planId })).toMatchObject({
      runs: 1,
      people: [{ userId: me, todo: 3 }],
    });
  });

  test('is only tried with dryRun', async () => {
    const before = await trivet.everything();
    const tried = await plan({ dryRun: true }, { configurations: 'all' });
    expect([tried.plan, tried.tests, tried.runs.length, tried.runs[0]?.runId]).toEqual([
      undefined,
      27,
      9,
      null,
    ]);
    expect(await trivet.everything()).toBe(before);
  });

  test.each<[string, (entry: { testIds: readonly number[] }) => object, string]>([
    ['no tests', () => ({ entries: [{}] }), 'INVALID_REQUEST'],
    ['a query without tests', () => ({ entries: [{ query: 'nothing' }] }), 'NOTHING_TO_UPDATE'],
    [
      'a query and tests',
      ({ testIds: ids }) => ({ entries: [{ query: 'x', testIds: ids }] }),
      'INVALID_REQUEST',
    ],
    ['a foreign test', () => ({ entries: [{ testIds: [999_999] }] }), 'NOT_IN_PROJECT'],
    ['a test twice', ({ testIds: [one] }) => ({ entries: [{ testIds: [one, one] }] }), 'DUPLICATE_ID'],
    [
      'a foreign value',
      (entry) => ({ entries: [{ ...entry, configurations: [[999_999]] }] }),
      'NOT_IN_PROJECT',
    ],
    [
      'two values of a group',
      (entry) => ({ entries: [{ ...entry, configurations: [[browsers[0], browsers[1]]] }] }),
      'INVALID_REQUEST',
    ],
    [
      'a foreign group',
      (entry) => ({ entries: [{ ...entry, configurations: 'all', groupIds: [999_999] }] }),
      'CONFIGURATION_GROUP_NOT_FOUND',
    ],
    ['a stranger', (entry) => ({ entries: [{ ...entry, assignTo: [999_999] }] }), 'NOT_A_MEMBER'],
    ['no milestone', (entry) => ({ entries: [entry], milestoneId: 999_999 }), 'MILESTONE_NOT_FOUND'],
    ['no day', (entry) => ({ entries: [entry], dueOn: '2026-02-30' }), 'INVALID_REQUEST'],
    [
      '201 runs',
      (entry) => ({
        entries: [
          { ...entry, configurations: 'all' },
          { ...entry, configurations: Array.from({ length: 192 }, () => [browsers[0]]) },
        ],
      }),
      'PLAN_TOO_LARGE',
    ],
  ])('with %s is refused', async (_name, args, code) => {
    const before = await trivet.everything();
    const { dueOn: _, ...rest } = { dueOn: '', ...args({ testIds }) };
    const given = { name: 'x', ...args({ testIds }) };
    expect(await refusal('create-plan', given)).toBe(code);
    expect(await refusal('create-plan', { ...given, ...rest, dryRun: true })).toBe(code);
    expect(await trivet.everything()).toBe(before);
  });

  test('of more combinations than runs is refused before they are computed', async () => {
    for (let n = 0; n < 20; n++)
      await group(
        `g${n}`,
        Array.from({ length: 100 }, (_, m) => `${m}`),
      );
    for (const configurations of ['all', 'pairwise'])
      expect(await refusal('create-plan', { name: 'x', entries: [{ testIds, configurations }] })).toBe(
        'PLAN_TOO_LARGE',
      );
  });

  test('locks its runs when it is closed', async () => {
    const { plan: made, runs } = await plan({}, { configurations: [[browsers[0]], [browsers[1]]] });
    const [first, second] = runs.map(({ runId }) => runId);
    await call('run-lock', { runId: second });
    await call('run-update-test-status', {
      runId: first,
      testResults: [{ testId: testIds[0], status: 'passed' }],
    });
    const closed = { status: 'closed', lockedRuns: 1, untested: 5 };
    expect(await call('close-plan', { planId: made?.planId })).toMatchObject(closed);
    expect(await call('close-plan', { planId: made?.planId })).toMatchObject({ ...closed, lockedRuns: 0 });
    expect(await call('run-detail', { runId: first })).toMatchObject({ status: 'locked' });
    // Of a closed plan, a run that an administrator unlocked is locked again; then there is nothing left to do.
    await call('unlock-run', { runId: first });
    const at = (await call('get-plan', { planId: made?.planId }))['closedAt'];
    expect(await call('close-plan', { planId: made?.planId })).toMatchObject({ ...closed, closedAt: at });
    expect(await call('close-plan', { planId: made?.planId })).toMatchObject({ ...closed, lockedRuns: 0 });
    expect(await call('run-detail', { runId: first })).toMatchObject({ status: 'locked' });
    expect([
      (await call('get-plans', { status: 'open' }))['total'],
      (await call('get-plans', { status: 'closed' }))['total'],
    ]).toEqual([0, 1]);
  });
});

describe('a configuration group', () => {
  test('has distinct names, whatever their case', async () => {
    expect(await refusal('create-configuration-group', { name: 'x', values: ['a', ' A '] })).toBe(
      'INVALID_REQUEST',
    );
    expect(await refusal('create-configuration-group', { name: 'BROWSER', values: ['a'] })).toBe(
      'CONFIGURATION_GROUP_EXISTS',
    );
  });

  test('keeps the ids of its values when they are renamed, reordered and exchanged', async () => {
    const [chrome, edge] = browsers;
    const { runs } = await plan({}, { configurations: [[chrome], [browsers[2]]] });
    const values = [{ valueId: edge, name: 'Chrome' }, { valueId: chrome, name: 'Edge' }, { name: 'Safari' }];
    const changed = await call('edit-configuration-group', { groupId: groupIds[0], name: 'Web', values });
    expect(changed).toMatchObject({
      name: 'Web',
      values: values.map((value) => ({
        ...value,
        ...(value.valueId === undefined ? {} : { valueId: value.valueId }),
      })),
    });
    // Firefox was left out, and is gone from the runs that had it.
    expect(await call('run-detail', { runId: runs[0]?.runId })).toMatchObject({
      configurations: [{ group: 'Web', value: 'Edge' }],
    });
    expect(await call('run-detail', { runId: runs[1]?.runId })).not.toHaveProperty('configurations');
    expect(await refusal('edit-configuration-group', { groupId: groupIds[0] })).toBe('NOTHING_TO_UPDATE');
    expect(
      await refusal('edit-configuration-group', {
        groupId: groupIds[0],
        values: [{ valueId: systems[0], name: 'x' }],
      }),
    ).toBe('NOT_IN_PROJECT');
  });

  test('keeps a value that is given by its name alone, and with it its runs, also in a repeated call', async () => {
    const [chrome = 0, edge = 0] = browsers;
    const { runs } = await plan({}, { configurations: [[chrome], [edge]] });
    const { values: had } = (await groups()).find(({ groupId }) => groupId === groupIds[0]) ?? { values: [] };
    // Chrome is renamed, so the name means a new value; the others are kept.
    const values = [
      { valueId: chrome, name: 'Chromium' },
      { name: 'Chrome' },
      ...had.slice(1).map(({ name }) => ({ name })),
    ];
    const input = { groupId: groupIds[0], values };
    const once = await call('edit-configuration-group', input);
    expect(once).toMatchObject({
      values: [{ valueId: chrome, name: 'Chromium' }, { name: 'Chrome' }, ...had.slice(1)],
    });
    expect(await call('edit-configuration-group', input)).toEqual(once);
    for (const [nth, value] of ['Chromium', had[1]?.name].entries())
      expect(await call('run-detail', { runId: runs[nth]?.runId })).toMatchObject({
        configurations: [{ value }],
      });
  });

  test('is deleted, and runs stay without its values', async () => {
    const { runs } = await plan({}, { configurations: [[browsers[0], systems[0]]] });
    await call('delete-configuration-group', { groupId: groupIds[0] });
    expect((await groups()).map(({ name }) => name)).toEqual(['System']);
    expect(await call('run-detail', { runId: runs[0]?.runId })).toMatchObject({
      configurations: [{ value: 'Linux' }],
    });
  });
});

test.each([
  ['P', [], 'P'],
  ['P', ['a', 'b'], 'P (a, b)'],
  ['x'.repeat(300), ['a'], `${'x'.repeat(251)} (a)`],
])('the name of a run', (name, values, expected) => {
  expect(
    plannedRunName(
      name,
      values.map((value, valueId) => ({ valueId, groupId: valueId, group: 'g', value })),
    ),
  ).toBe(expected);
});
