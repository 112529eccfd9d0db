import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { moveSavedViews } from './saved-view-store.ts';

/* Queries under a name: whose they are, who sees, changes and deletes them, and their limits. */

let trivet: TestmgmtKernel;
let projectId: number;
let ann: Actor;
let ben: Actor;
let reader: Actor;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  ann = { ...trivet.withRole('member'), userId: 71 };
  ben = { ...trivet.withRole('member'), userId: 72 };
  reader = { ...trivet.withRole('reader'), userId: 73 };
});
afterAll(() => trivet.stop());

const save = (input: object, actor = ann) =>
  trivet.call(
    'save-view',
    { projectId, surface: 'tests', name: 'Red', query: 'last:failed', ...input },
    actor,
  );
const refused = async (tool: string, input: object, actor = ann) =>
  (await trivet.refusal(tool, input, actor))?.code;
const namesOf = async (actor: Actor, surface = 'tests') => {
  const { views } = await trivet.call('list-views', { projectId, surface }, actor);
  return (views as ReadonlyArray<{ name: string }>).map(({ name }) => name);
};

test('a view is of its owner until it is shared, and its name replaces it whatever the case', async () => {
  const first = await save({});
  expect(first).toMatchObject({ name: 'Red', query: 'last:failed', ownerId: 71, shared: false });
  expect(await namesOf(ann)).toEqual(['Red']);
  expect(await namesOf(ben)).toEqual([]);
  const again = await save({ name: ' red ', query: 'last:failed sort:name', shared: true });
  expect(again).toMatchObject({ viewId: first['viewId'], name: 'red', shared: true });
  expect(await namesOf(ben)).toEqual(['red']);
  expect(await namesOf(reader)).toEqual(['red']);
  // Without `shared` it stays as it is; the same name of another list is another view.
  expect(await save({})).toMatchObject({ viewId: first['viewId'], shared: true });
  expect((await save({ surface: 'runs', query: 'status:active' }))['viewId']).not.toBe(first['viewId']);
  expect(await namesOf(ann, 'runs')).toEqual(['Red']);
});

test('it is renamed by its id, not to a name that its owner uses', async () => {
  const { viewId } = await save({ name: 'Slow', query: 'priority:High' });
  expect(await save({ name: 'Slow ones', query: 'priority:High', viewId })).toMatchObject({ viewId });
  expect(await namesOf(ann)).toContain('Slow ones');
  const taken = { projectId, surface: 'tests', name: 'RED', query: 'priority:High', viewId };
  expect(await refused('save-view', taken)).toBe('VIEW_EXISTS');
  expect(await refused('save-view', { ...taken, name: 'X', surface: 'runs', query: 'id:1' })).toBe(
    'VIEW_NOT_FOUND',
  );
});

test('others neither change nor delete a view; an administrator ends what is shared', async () => {
  const own = await save({ name: 'Mine' });
  const shared = await save({ name: 'Ours', shared: true });
  const view = { projectId, surface: 'tests', name: 'Taken', query: 'id:1' };
  for (const [input, code] of [
    [{ viewId: own['viewId'] }, 'VIEW_NOT_FOUND'],
    [{ viewId: shared['viewId'] }, 'FORBIDDEN'],
  ] as const) {
    expect(await refused('delete-view', input, ben)).toBe(code);
    expect(await refused('save-view', { ...view, ...input }, ben)).toBe(code);
  }
  const admin = { ...trivet.withRole('admin'), userId: 74 };
  expect(await refused('delete-view', { viewId: own['viewId'] }, admin)).toBe('VIEW_NOT_FOUND');
  await trivet.call('delete-view', { viewId: shared['viewId'] }, admin);
  expect(await namesOf(ann)).not.toContain('Ours');
});

test('readers save for themselves, and share nothing', async () => {
  await save({ name: 'For me' }, reader);
  expect(await namesOf(reader)).toContain('For me');
  expect(
    await refused(
      'save-view',
      { projectId, surface: 'tests', name: 'For all', query: 'id:1', shared: true },
      reader,
    ),
  ).toBe('FORBIDDEN');
  expect(await namesOf(ben)).not.toContain('For all');
});

const wrong: ReadonlyArray<readonly [string, object, RegExp]> = [
  ['a field of another list', { surface: 'runs', query: 'last:failed' }, /character 1/],
  ['half a query', { query: 'label:' }, /character/],
  ['a name that the project does not have', { query: 'label:nowhere' }, /no label "nowhere"/],
];
test.each(wrong)('%s is refused, and nothing is saved', async (_name, given, message) => {
  const input = { projectId, surface: 'tests', name: 'Wrong', ...given };
  const fault = await trivet.refusal('save-view', input, ann);
  expect(fault).toMatchObject({ code: 'INVALID_QUERY' });
  expect(fault?.message).toMatch(message);
  expect(await namesOf(ann)).not.toContain('Wrong');
});

test('a name of more than 80 characters, a blank one and a blank query are refused', async () => {
  const input = { projectId, surface: 'tests', name: 'Fine', query: 'id:1' };
  for (const given of [{ name: 'x'.repeat(81) }, { name: ' ' }, { query: '  ' }])
    expect(await refused('save-view', { ...input, ...given })).toBe('INVALID_REQUEST');
});

test('a person has at most 100 views of a project, and others still have room', async () => {
  const cleo = { ...trivet.withRole('member'), userId: 75 };
  for (let n = 0; n < 100; n++) await save({ name: `v${n}` }, cleo);
  const one = { projectId, surface: 'tests', name: 'one more', query: 'id:1' };
  expect(await refused('save-view', one, cleo)).toBe('TOO_MANY_VIEWS');
  await save({ name: 'v7', query: 'id:7' }, cleo);
  expect(await refused('save-view', one, ben)).toBeUndefined();
});

test('only what is shared is activity of the project', async () => {
  const own = await trivet.makeProject();
  const activity = async () => {
    const { activities } = await trivet.call('list-activity', { projectId: own });
    return (activities as ReadonlyArray<{ operation: string }>).map(({ operation }) => operation);
  };
  const before = (await activity()).length;
  const mine = await save({ projectId: own });
  await trivet.call('delete-view', { viewId: mine['viewId'] }, ann);
  expect((await activity()).length).toBe(before);
  const ours = await save({ projectId: own, shared: true });
  await trivet.call('delete-view', { viewId: ours['viewId'] }, ann);
  expect((await activity()).slice(0, 2)).toEqual(['delete-view', 'save-view']);
});

test('the views of an account that became part of another are its views, also with the same name', async () => {
  const [dan, eve] = [81, 82].map((userId) => ({ ...trivet.withRole('member'), userId }));
  if (!dan || !eve) throw new Error('two people');
  await save({ name: 'Both', query: 'id:1' }, dan);
  await save({ name: 'Only hers', query: 'id:3' }, dan);
  await save({ name: 'both', query: 'id:2' }, eve);
  await trivet.kernel.host.db.tx((q) => moveSavedViews(q, { fromUserId: 81, intoUserId: 82, at: 0 }));
  expect((await namesOf(eve)).filter((name) => /both|hers/i.test(name))).toEqual([
    'both',
    'Both (81)',
    'Only hers',
  ]);
});
