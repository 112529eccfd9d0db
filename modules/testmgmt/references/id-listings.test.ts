import type { TSchema } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { idParameters } from './id-listings.ts';
import { loadModule } from '../../../core/kernel/module-loading.ts';
import { testmgmt } from '../manifest.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { makeWorld, validCalls, type World } from '../testing/valid-calls.ts';

const module = await loadModule(testmgmt);
/* A name in place of an id: the refusal names the tool that lists the ids and, if exactly one record has the name, its id. */
let trivet: TestmgmtKernel;
let world: World;
let shop: number;
let payment: number;
let arrow: number;
let double: number;
let milestone: number;
let plan: number;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  world = await makeWorld(trivet);
  const made = await trivet.call('create-project', { orgId: 1, projectName: 'Shop' });
  shop = Number(made['projectId']);
  for (let twice = 0; twice < 2; twice++)
    double = Number((await trivet.call('create-project', { orgId: 1, projectName: 'Double' }))['projectId']);
  const section = await trivet.makeSection(shop, 'Checkout');
  payment = await trivet.makeSection(shop, 'Payment', section);
  arrow = await trivet.makeSection(shop, 'Cart -> Checkout');
  const { projectId } = world;
  milestone = Number(
    (await trivet.call('create-milestone', { projectId, name: 'Milestone 1' }))['milestoneId'],
  );
  const entries = [{ query: '' }];
  const planned = await trivet.call('create-plan', { projectId, name: 'Release', entries });
  plan = Number((planned['plan'] as { readonly planId: number }).planId);
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
  [
    'a priority, mistyped',
    'create-test',
    () => ({ projectId: shop, testName: 'x', priorityId: 'Hihg' }),
    [() => idOf('get-priority', 'priorities', 'priorityId', 'High', shop), 'get-priority'],
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
    'a milestone',
    'create-run',
    () => ({ projectId: world.projectId, runName: 'x', testIds: [world.testId], milestoneId: 'milestone 1' }),
    [() => milestone, 'get-milestones'],
  ],
  [
    'a plan, mistyped',
    'get-plan',
    () => ({ projectId: world.projectId, planId: 'Relaese' }),
    [() => plan, 'get-plans'],
  ],
  [
    'a person by address',
    'assign-tests',
    () => ({ projectId: world.projectId, runId: world.runId, query: '', assignTo: ['OWNER'] }),
    [() => trivet.owner.userId, 'get-all-users'],
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

  ['two projects of a name', 'get-tests', () => ({ projectId: 'Double' }), [() => double, 'get-projects']],
];

/** Names that are accepted in place of ids: each with the same call by its id. @see issue 13, 49 */
const taken: typeof cases = [
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
    'a name that looks like a path',
    'get-tests',
    () => ({ projectId: shop, sectionId: 'cart -> Checkout' }),
    [() => arrow, 'get-sections'],
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
];

test.each(taken)('%s is taken by its name', async (_title, tool, input, [id]) => {
  expect(await trivet.refusal(tool, input())).toBeNull();
  expect(await id()).toBeGreaterThan(0);
});

test('any number of names is taken in one call, also in a record of it; what is wrong is named alone', async () => {
  const names = Array.from({ length: 120 }, (_, n) => `Name ${n}`);
  await trivet.call('add-labels', { projectId: shop, labels: names });
  const tests = names.map((name) => ({ testName: `with ${name}`, labels: [name.toUpperCase()] }));
  await trivet.call('bulk-add-tests', { projectId: 'Shop', tests });
  const change = (set: object) => ({ projectId: 'Shop', query: '"with Name 7"', set });
  await trivet.call(
    'change-tests',
    change({ priorityId: 'low', sectionId: 'Checkout', addLabels: ['Name 8'] }),
  );
  const { tests: changed } = await trivet.call('get-tests', { projectId: shop, query: '"with Name 7"' });
  const labelled = { labels: [{ labelName: 'Name 7' }, { labelName: 'Name 8' }] };
  expect((changed as object[])[0]).toMatchObject({ priority: 'Low', sectionPath: ['Checkout'], ...labelled });
  const fault = await trivet.refusal('change-tests', change({ priorityId: 'lov', addLabels: ['Name 9'] }));
  expect(fault?.message).toBe('Invalid arguments for change-tests: set.priorityId must be a whole number.');
  expect([fault?.causeWord, fault?.tip]).toEqual(['set', expect.stringContaining('did you mean "Low"')]);
});

/** @see A value of an own field that is called as a parameter was taken for the name of a label. */
test('a field of the project that is called as a parameter keeps its value', async () => {
  await trivet.call('create-field', { projectId: shop, key: 'labels', name: 'Stickers', kind: 'text' });
  await trivet.call('add-labels', { projectId: shop, labels: ['sticky'] });
  const made = await trivet.call('create-test', {
    projectId: 'Shop',
    testName: 'with a field',
    fields: { labels: 'sticky' },
  });
  expect(made).toMatchObject({ fields: { labels: 'sticky' }, labels: [] });
});

test('a name is the record that has it, whatever its case', async () => {
  const high = await idOf('get-priority', 'priorities', 'priorityId', 'High', shop);
  const given = {
    projectId: 'SHOP',
    testName: 'by names',
    priorityId: 'hIGH',
    sectionId: 'checkout > PAYMENT',
  };
  const made = await trivet.call('create-test', given);
  expect(made).toMatchObject({ projectId: shop, priorityId: high, sectionId: payment });
  await trivet.call('bulk-update-tests', {
    tests: [{ testId: made['testId'], priorityId: 'Low', sectionId: 'Checkout' }],
  });
  const { testId } = made;
  expect(await trivet.call('get-test-details', { projectId: shop, testId })).toMatchObject({
    priority: 'Low',
    sectionPath: ['Checkout'],
  });
});

test.each(cases)('%s', async (title, tool, input, [id, listing]) => {
  const fault = await trivet.refusal(tool, input());
  expect(fault?.code).toBe('INVALID_REQUEST');
  expect(fault?.tip).toStartWith(`${tool} takes`);
  if (!title.startsWith('a number')) expect(fault?.tip).toContain(listing);
  const wanted = await id();
  if (wanted === undefined) expect(fault?.tip).not.toMatch(/is \d/);
  else expect(fault?.tip).toMatch(new RegExp(`\\b${wanted}\\b`));
});

test('a list or null is told as what it is', async () => {
  const given = { projectId: world.projectId, runId: world.runId, query: '', assignTo: 'me' };
  const fault = await trivet.refusal('assign-tests', given);
  expect(fault?.tip).toContain('assignTo ([integer, …]|null, required)');
});

test('a parameter that the tool does not have is only said to be unknown', async () => {
  const fault = await trivet.refusal('get-orgs-list', { projectId: '1' });
  expect(fault?.message).toContain('projectId is not a parameter');
  expect(fault?.tip).toEndWith('offset (integer, optional).');
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
  const takesIds = (name: string, schema: TSchema) =>
    name === 'assignTo' || (name === 'labels' && schema['items']?.type === 'integer');
  const parameters = (module.operations ?? []).flatMap((operation) => {
    const valid = validCalls[operation.name];
    return Object.entries(operation.input.properties).flatMap(([name, schema]) =>
      valid && (/Ids?$/.test(name) || takesIds(name, schema))
        ? [[operation.name, name, schema['type'] === 'array' || name === 'assignTo', valid] as const]
        : [],
    );
  });
  test.each(parameters)('%s %s', async (tool, name, isList, valid) => {
    const text = 'no such name at all';
    const fault = await trivet.refusal(tool, { ...valid(world), [name]: isList ? [text] : text });
    expect(fault?.tip).toContain(
      `${name}${isList ? '[0]' : ''} takes an id: use ${idParameters[name]?.tool}`,
    );
    expect(fault?.tip).not.toContain(text);
  });
});
