import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

type Row = Record<string, unknown>;

/** A project with a milestone that has a part, a run and a plan, beside others. */
async function world() {
  const projectId = await trivet.makeProject();
  const testIds = await trivet.makeTests(projectId, 2);
  const call = (tool: string, args: object = {}) => trivet.call(tool, { projectId, ...args });
  const make = async (name: string, args: object = {}) =>
    Number((await call('create-milestone', { name, ...args }))['milestoneId']);
  const whole = await make('1.4', { description: 'big', startOn: '2026-11-01', dueOn: '2026-12-01' });
  const part = await make('1.4 beta', { parentMilestoneId: whole });
  const other = await make('1.5');
  const run = await call('create-run', { runName: 'R', runDescription: '-', testIds, milestoneId: whole });
  const plan = await call('create-plan', { name: 'P', milestoneId: whole, entries: [{ testIds }] });
  const planId = (plan['plan'] as Row)['planId'];
  /** Everything that a person sees of it. */
  const seen = async () => {
    const { milestones } = await call('get-milestones', { limit: 100 });
    const { runs } = await call('get-runs', { query: `milestone:"1.4"` }).catch(() => ({ runs: [] }));
    const found = await call('get-plan', { planId });
    return JSON.stringify([
      (milestones as Row[]).map(({ updatedAt: _at, updatedBy: _by, ...rest }) => rest),
      (runs as Row[]).map(({ runId }) => runId),
      found['milestoneId'],
    ]);
  };
  const newest = async () =>
    Number(((await call('list-activity', { limit: 1 }))['activities'] as Row[])[0]?.['activityId']);
  const undo = (activityId: number, dryRun = false) => trivet.call('undo-activity', { activityId, dryRun });
  return { projectId, testIds, call, make, whole, part, other, runId: run['runId'], seen, newest, undo };
}
type World = Awaited<ReturnType<typeof world>>;

const writes: ReadonlyArray<readonly [string, (world: World) => Promise<unknown>]> = [
  ['creating one', ({ make }) => make('2.0', { dueOn: '2027-01-01' })],
  ['renaming one', ({ call, whole }) => call('edit-milestone', { milestoneId: whole, name: '1.4.0' })],
  [
    'other days and texts',
    ({ call, whole }) =>
      call('edit-milestone', { milestoneId: whole, description: null, startOn: null, dueOn: '2027-02-02' }),
  ],
  [
    'another parent',
    ({ call, part, other }) => call('edit-milestone', { milestoneId: part, parentMilestoneId: other }),
  ],
  ['no parent', ({ call, part }) => call('edit-milestone', { milestoneId: part, parentMilestoneId: null })],
  ['closing one', ({ call, whole }) => call('close-milestone', { milestoneId: whole })],
  [
    'deleting one with its run, plan and part',
    ({ call, whole }) => call('delete-milestone', { milestoneId: whole }),
  ],
  ['deleting a part', ({ call, part }) => call('delete-milestone', { milestoneId: part })],
];

test.each(writes)('%s is taken back, done again and taken back', async (_, write) => {
  const made = await world();
  const before = await made.seen();
  await write(made);
  const after = await made.seen();
  expect(after).not.toBe(before);
  const first = await made.newest();
  await made.undo(first, true);
  expect(await made.seen()).toBe(after);
  expect(await made.undo(first)).toMatchObject({ changedMilestones: 1, changedTests: 0 });
  expect(await made.seen()).toBe(before);
  await made.undo(await made.newest());
  expect(await made.seen()).toBe(after);
  await made.undo(await made.newest());
  expect(await made.seen()).toBe(before);
});

test('many are taken back one after the other', async () => {
  const made = await world();
  const { call, whole, part } = made;
  const before = await made.seen();
  const done: number[] = [];
  for (const [tool, input] of [
    ['edit-milestone', { milestoneId: part, name: 'beta' }],
    ['edit-milestone', { milestoneId: whole, name: '2.4' }],
    ['close-milestone', { milestoneId: whole }],
    ['delete-milestone', { milestoneId: whole }],
    ['delete-milestone', { milestoneId: part }],
  ] as const) {
    await call(tool, input);
    done.push(await made.newest());
  }
  for (const activityId of done.toReversed()) await made.undo(activityId);
  expect(await made.seen()).toBe(before);
});

const refusals: ReadonlyArray<
  readonly [string, (world: World) => Promise<unknown>, (world: World) => Promise<unknown>, string]
> = [
  [
    'changed since',
    ({ call, whole }) => call('edit-milestone', { milestoneId: whole, name: 'a' }),
    ({ call, whole }) => call('edit-milestone', { milestoneId: whole, name: 'b' }),
    'was changed',
  ],
  [
    'deleted since',
    ({ call, whole }) => call('edit-milestone', { milestoneId: whole, name: 'a' }),
    ({ call, whole }) => call('delete-milestone', { milestoneId: whole }),
    'was deleted',
  ],
  [
    'created, with a run by now',
    ({ make }) => make('new'),
    async ({ call, testIds }) => {
      const { milestones } = await call('get-milestones');
      const milestoneId = (milestones as Row[]).find(({ name }) => name === 'new')?.['milestoneId'];
      await call('create-run', { runName: 'x', runDescription: '-', testIds, milestoneId });
    },
    'has 1 runs by now',
  ],
  [
    'deleted, and its name is taken',
    ({ call, part }) => call('delete-milestone', { milestoneId: part }),
    ({ make }) => make('1.4 BETA'),
    'has the name of milestone',
  ],
  [
    'renamed, and its name is taken',
    ({ call, part }) => call('edit-milestone', { milestoneId: part, name: 'x' }),
    ({ make }) => make('1.4 beta'),
    'has the name of milestone',
  ],
  [
    'deleted, and its parent too',
    ({ call, part }) => call('delete-milestone', { milestoneId: part }),
    ({ call, whole }) => call('delete-milestone', { milestoneId: whole }),
    'is deleted',
  ],
];

describe('one that cannot be as it was is refused', () => {
  test.each(refusals)('%s', async (_, write, later, message) => {
    const made = await world();
    await write(made);
    const activityId = await made.newest();
    await later(made);
    const before = await trivet.everything();
    const fault = await trivet.refusal('undo-activity', { activityId });
    expect(fault?.code).toBe('ACTIVITY_OVERTAKEN');
    expect(fault?.message).toContain(message);
    expect(fault?.tip).not.toBe('');
    expect(await trivet.everything()).toBe(before);
  });
});

describe('a run that went to another milestone since', () => {
  test('stays there when the deletion of its first one is taken back', async () => {
    const made = await world();
    const { call, whole, other, runId } = made;
    await call('delete-milestone', { milestoneId: whole });
    const activityId = await made.newest();
    await call('edit-run', { runId, runName: 'R', runDescription: '-', milestoneId: other });
    await made.undo(activityId);
    const { runs } = await call('get-runs', { query: 'milestone:"1.5"' });
    expect((runs as Row[]).map((run) => run['runId'])).toEqual([runId]);
  });
});

describe('sections', () => {
  const edits: ReadonlyArray<readonly [string, (ids: Row) => readonly [string, object]]> = [
    ['creating one', ({ a }) => ['add-section', { sectionName: 'New', parentSectionId: a }]],
    ['renaming one', ({ a }) => ['edit-section', { sectionId: a, sectionName: 'Renamed' }]],
    ['moving one', ({ b, a }) => ['move-section', { sectionId: b, parentSectionId: a }]],
    ['moving one to the top', ({ c }) => ['move-section', { sectionId: c, parentSectionId: null }]],
    ['deleting an empty one', ({ b }) => ['delete-section', { sectionId: b }]],
    ['deleting one with its contents', ({ a }) => ['delete-section', { sectionId: a, withContents: true }]],
  ];
  test.each(edits)('%s is taken back and done again', async (_, edit) => {
    const projectId = await trivet.makeProject();
    const a = await trivet.makeSection(projectId, 'A');
    const b = await trivet.makeSection(projectId, 'B');
    const c = Number(
      (await trivet.call('add-section', { projectId, sectionName: 'C', parentSectionId: a }))['sectionId'],
    );
    await trivet.call('create-test', { projectId, testName: 'T', sectionId: c });
    const seen = async () => {
      const { sections } = await trivet.call('get-sections', { projectId });
      const { tests } = await trivet.call('get-tests', { projectId });
      return JSON.stringify([
        (sections as Row[]).map(({ updatedAt: _at, ...row }) => row),
        (tests as Row[]).map(({ testId, sectionId }) => [testId, sectionId]),
      ]);
    };
    const newest = async () =>
      Number(
        ((await trivet.call('list-activity', { projectId, limit: 1 }))['activities'] as Row[])[0]?.[
          'activityId'
        ],
      );
    const before = await seen();
    const [tool, input] = edit({ a, b, c });
    await trivet.call(tool, tool === 'add-section' ? { projectId, ...input } : input);
    const after = await seen();
    expect(after).not.toBe(before);
    await trivet.call('undo-activity', { activityId: await newest() });
    expect(await seen()).toBe(before);
    await trivet.call('undo-activity', { activityId: await newest() });
    expect(await seen()).toBe(after);
  });
});
