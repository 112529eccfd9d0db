import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { idParameters } from './id-listings.ts';
import { loaded } from '../../core/kernel/module-loading.ts';
import { testmgmt } from './manifest.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testing/testmgmt-kernel.ts';
import { makeWorld, validCalls, type World } from './testing/valid-calls.ts';

const module = await loaded(testmgmt);
/*
 * A name where an id is asked for: the refusal names the tool that lists the ids and, where one record has the name, its id.
 */
let trivet: TestmgmtKernel;
let world: World;
let shop: number;
let payment: number;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  world = await makeWorld(trivet);
  const made = await trivet.call('create-project', { orgId: 1, projectName: 'Shop' });
  shop = Number(made['projectId']);
  const section = await trivet.makeSection(shop, 'Checkout');
  payment = await trivet.makeSection(shop, 'Payment', section);
  await trivet.call('create-test', { projectId: world.projectId, testName: 'Sign in' });
  await trivet.call('create-test', { projectId: world.projectId, testName: 'Twice' });
  await trivet.call('create-test', { projectId: world.projectId, testName: 'twice' });
});
afterAll(() => trivet.stop());

const idOf = async (tool: string, plural: string, key: string, name: string, projectId: number) => {
  const rows = (await trivet.call(tool, { projectId }))[plural] as Array<Record<string, unknown>>;
  return Number(rows.find((row) => Object.values(row).includes(name))?.[key]);
};

type Answer = readonly [id: () => number | Promise<number> | undefined, tool: string];
const cases: ReadonlyArray<readonly [string, string, () => object, Answer]> = [
  ['a project', 'get-tests', () => ({ projectId: 'shop' }), [() => shop, 'get-projects']],
  [
    'a section',
    'get-tests',
    () => ({ projectId: shop, sectionId: 'Payment' }),
    [() => payment, 'get-sections'],
  ],
  [
    'a path',
    'get-tests',
    () => ({ projectId: shop, sectionId: 'Checkout > Payment' }),
    [() => payment, 'get-sections'],
  ],
  [
    'a parent',
    'add-section',
    () => ({ projectId: shop, sectionName: 'x', parentSectionId: 'payment' }),
    [() => payment, 'get-sections'],
  ],
  [
    'a section of a project that is named, too',
    'get-tests',
    () => ({ projectId: 'Shop', sectionId: 'Payment' }),
    [() => payment, 'get-sections'],
  ],
  [
    'a priority',
    'create-test',
    () => ({ projectId: shop, testName: 'x', priorityId: 'high' }),
    [() => idOf('get-priority', 'priorities', 'priorityId', 'High', shop), 'get-priority'],
  ],
  [
    'a priority, mistyped',
    'create-test',
    () => ({ projectId: shop, testName: 'x', priorityId: 'Hihg' }),
    [() => idOf('get-priority', 'priorities', 'priorityId', 'High', shop), 'get-priority'],
  ],
  [
    'a priority of a test that is named by its id alone',
    'update-test',
    () => ({ testId: world.testId, priorityId: 'High' }),
    [() => idOf('get-priority', 'priorities', 'priorityId', 'High', world.projectId), 'get-priority'],
  ],
  [
    'a label',
    'update-test',
    () => ({ testId: world.testId, labels: ['LABEL'] }),
    [() => world.labelId, 'get-labels'],
  ],
  [
    'a squad in a bulk',
    'bulk-update-tests',
    () => ({ tests: [{ testId: world.testId, squadId: 'squad' }] }),
    [() => world.squadId, 'get-squads'],
  ],
  [
    'a label in a bulk',
    'bulk-add-tests',
    () => ({ projectId: world.projectId, tests: [{ testName: 'x', labels: ['Label'] }] }),
    [() => world.labelId, 'get-labels'],
  ],
  [
    'a run',
    'run-lock',
    () => ({ projectId: world.neighbourId, runId: 'run' }),
    [() => world.neighbourRunId, 'get-runs'],
  ],
  [
    'two runs of a name',
    'run-lock',
    () => ({ projectId: world.projectId, runId: 'run' }),
    [() => world.lockedRunId, 'get-runs'],
  ],
  [
    'a test',
    'create-run',
    () => ({ projectId: world.projectId, runName: 'x', testIds: ['Sign in'] }),
    [() => idOf('get-tests', 'tests', 'testId', 'Sign in', world.projectId), 'get-tests'],
  ],
  [
    'two tests of a name',
    'run-update-test-status',
    () => ({
      projectId: world.projectId,
      runId: world.runId,
      testResults: [{ testId: 'Twice', status: 'passed' }],
    }),
    [() => idOf('get-tests', 'tests', 'testId', 'Twice', world.projectId), 'get-tests'],
  ],
  [
    'nothing of that name',
    'run-lock',
    () => ({ projectId: world.projectId, runId: 'Nightly' }),
    [() => undefined, 'get-runs'],
  ],
  ['a number as text', 'run-lock', () => ({ projectId: world.projectId, runId: '7' }), [() => 7, 'get-runs']],
  ['a project of others', 'get-tests', () => ({ projectId: 'abroad' }), [() => undefined, 'get-projects']],
];

test.each(cases)('%s', async (title, tool, input, [id, listing]) => {
  const fault = await trivet.refusal(tool, input());
  expect(fault?.code).toBe('INVALID_REQUEST');
  expect(fault?.tip).toStartWith(`${tool} takes`);
  if (!title.startsWith('a number')) expect(fault?.tip).toContain(listing);
  const wanted = await id();
  if (wanted === undefined) expect(fault?.tip).not.toMatch(/is \d/);
  else expect(fault?.tip).toMatch(new RegExp(`\\b${wanted}\\b`));
});

test('what a caller may not see is not found', async () => {
  const stranger = { ...trivet.owner, roles: new Map([[2, 'member' as const]]) };
  for (const input of [{ projectId: 'Shop' }, { projectId: shop, sectionId: 'Payment' }]) {
    const fault = await trivet.refusal('get-tests', input, stranger);
    expect(fault?.code).toBe('INVALID_REQUEST');
    expect(fault?.tip).not.toMatch(/is \d/);
  }
});

describe('every parameter that takes an id is explained', () => {
  const parameters = (module.operations ?? []).flatMap((operation) => {
    const valid = validCalls[operation.name];
    return Object.entries(operation.input.properties).flatMap(([name, schema]) =>
      valid && (/Ids?$/.test(name) || (name === 'labels' && schema['items']?.type === 'integer'))
        ? [[operation.name, name, schema['type'] === 'array', valid] as const]
        : [],
    );
  });
  test.each(parameters)('%s %s', async (tool, name, isList, valid) => {
    const text = 'no such name at all';
    const fault = await trivet.refusal(tool, { ...valid(world), [name]: isList ? [text] : text });
    expect(fault?.tip).toContain(idParameters[name]?.tool ?? '-');
    expect(fault?.tip).not.toContain(text);
  });
});
