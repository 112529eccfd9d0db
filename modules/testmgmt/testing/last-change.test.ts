import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { projects, runs, sections, tests } from '../base/schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';
import { makeWorld, validCalls, type World } from './valid-calls.ts';

/*
 * Every record returned by a write says who changed it last, and when: one user creates the world, and another makes the call.
 *
 * Mutation note: seen to fail when a comment alone does not change its run, and when a change of a run leaves out who made it.
 */
let trivet: TestmgmtKernel;
let other: Actor;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  other = { ...trivet.owner, userId: 77 };
});
afterAll(() => trivet.stop());

type Answer = Record<string, unknown>;
const itself = (answer: Answer): readonly Answer[] => [answer];
const listed = (name: string) => (answer: Answer) => answer[name] as readonly Answer[];

/** The records in the result of each writing tool. */
const recordsIn: Readonly<Record<string, (answer: Answer) => readonly Answer[]>> = {
  'create-project': itself,
  'edit-project': itself,
  'update-project-status': itself,
  'create-test': itself,
  'update-test': itself,
  'restore-test': itself,
  'create-run': itself,
  'edit-run': itself,
  'run-update-test-status': itself,
  'run-lock': itself,
  'run-reset': itself,
  'run-remove-tests': itself,
  'unlock-run': itself,
  'add-tests-to-run': itself,
  'create-run-from-query': ({ run }) => [run as Answer],
  'add-labels': listed('labels'),
  'add-squads': listed('squads'),
  'add-section': itself,
  'edit-section': itself,
  'move-section': itself,
};

test.each(Object.keys(recordsIn))('%s', async (tool) => {
  const world = await makeWorld(trivet);
  trivet.clock.advance(1_000);
  const answer = (await trivet.call(tool, validCalls[tool]?.(world) ?? {}, other)) as Answer;
  const updatedAt = new Date(trivet.clock.now()).toISOString();
  const records = recordsIn[tool]?.(answer) ?? [];
  expect(records.length).toBeGreaterThan(0);
  for (const record of records) expect(record).toMatchObject({ updatedBy: 77, updatedAt });
});

const comment = ({ projectId, runId, testId }: World, text: string) => ({
  projectId,
  runId,
  testResults: [{ testId, status: 'failed', comment: text }],
});

test('a comment alone changes the run, a repeated result does not', async () => {
  const world = await makeWorld(trivet);
  await trivet.call('run-update-test-status', comment(world, 'one'));
  trivet.clock.advance(1_000);
  const commented = await trivet.call('run-update-test-status', comment(world, 'two'), other);
  expect(commented).toMatchObject({ updatedBy: 77 });
  trivet.clock.advance(1_000);
  expect(await trivet.call('run-update-test-status', comment(world, 'two'))).toEqual(commented);
});

test('what was written before this was kept says so', async () => {
  const { projectId, sectionId, runId, testId } = await makeWorld(trivet);
  await trivet.kernel.host.db.tx(async (q) => {
    await q.update(projects).set({ updatedBy: null });
    await q.update(tests).set({ updatedBy: null });
    await q.update(runs).set({ updatedBy: null, updatedAt: null });
    await q.update(sections).set({ updatedBy: null, updatedAt: null });
  });
  const run = await trivet.call('run-detail', { projectId, runId });
  expect(run).toMatchObject({ updatedBy: null, updatedAt: run['createdAt'] });
  expect(await trivet.call('get-test-details', { projectId, testId })).toMatchObject({ updatedBy: null });
  expect(await trivet.call('get-project-detail', { projectId })).toMatchObject({ updatedBy: null });
  expect(await trivet.call('edit-section', { sectionId, sectionName: 'x' })).toMatchObject({
    updatedBy: trivet.owner.userId,
  });
});

const newestActivity = async (projectId: number) => {
  const { activities } = await trivet.call('list-activity', { projectId, limit: 1 });
  return (activities as readonly Answer[])[0]?.['activityId'];
};

/** @see Finding: the version that a deletion made named who had changed the test before, and `updatedAt` stayed what it was. */
test.each<[string, (place: Place) => Promise<readonly [tool: string, input: object]> | [string, object]]>([
  ['delete-test', ({ projectId, testId }) => ['delete-test', { projectId, testId }]],
  ['bulk-delete-tests', ({ projectId, testId }) => ['bulk-delete-tests', { projectId, testIds: [testId] }]],
  [
    'delete-tests-by-query',
    ({ projectId, testId }) => ['delete-tests-by-query', { projectId, query: `id:${testId}` }],
  ],
  ['delete-section', ({ sectionId }) => ['delete-section', { sectionId, withContents: true }]],
  [
    'push-tests',
    ({ projectId, testId }) => ['push-tests', { projectId, tests: [], deleted: [{ testId, version: 1 }] }],
  ],
  [
    'merge-tests',
    async ({ projectId, testId }) => {
      const [kept] = await trivet.makeTests(projectId, 1);
      return ['merge-tests', { projectId, testId: kept, mergedTestId: testId }];
    },
  ],
  [
    'merge-test-change',
    async ({ projectId, testId }) => {
      const proposal = { projectId, testId, delete: true };
      const { reviewId, hash } = await trivet.call('propose-test-change', proposal, other);
      await trivet.call('review-test-change', { reviewId, seenHash: hash, verdict: 'approve' });
      return ['merge-test-change', { reviewId }];
    },
  ],
  ['undo-activity', async ({ activityId }) => ['undo-activity', { activityId }]],
])('%s says who deleted a test and when', async (_, callOf) => {
  const projectId = await trivet.makeProject();
  const sectionId = await trivet.makeSection(projectId, 'S');
  const [testId = 0] = await trivet.makeTests(projectId, 1, { sectionId });
  const activityId = await newestActivity(projectId);
  const { updatedAt } = await trivet.call('get-test-details', { projectId, testId });
  const [tool, input] = await callOf({ projectId, sectionId, testId, activityId });
  // The clock stands still: the time is later all the same.
  await trivet.call(tool, input, other);
  const { tests: deleted } = await trivet.call('get-tests', { projectId, query: 'is:deleted' });
  const [row] = deleted as readonly Answer[];
  expect(row).toMatchObject({ testId, updatedBy: 77 });
  expect(Date.parse(String(row?.['updatedAt']))).toBeGreaterThan(Date.parse(String(updatedAt)));
  expect((await trivet.call('list-test-versions', { testId }))['versions']).toMatchObject([
    { userId: 77, changed: ['deleted'], at: row?.['updatedAt'] },
    { userId: trivet.owner.userId, until: row?.['updatedAt'] },
  ]);
});

interface Place extends Record<'projectId' | 'sectionId' | 'testId', number> {
  readonly activityId: unknown;
}

test.each<[string, object, boolean]>([
  ['delete-section', {}, false],
  ['delete-section', { withContents: true }, false],
  ['undo-activity', {}, true],
])('%s %j says who deleted a section and when', async (tool, input, isUndo) => {
  const projectId = await trivet.makeProject();
  const sectionId = await trivet.makeSection(projectId, 'S');
  const activityId = await newestActivity(projectId);
  trivet.clock.advance(1_000);
  await trivet.call(tool, isUndo ? { activityId } : { sectionId, ...input }, other);
  const rows = await trivet.kernel.host.db.q.select().from(sections);
  const now = trivet.clock.now();
  expect(rows.find(({ id }) => id === sectionId)).toMatchObject({
    deletedAt: now,
    updatedAt: now,
    updatedBy: 77,
  });
});
