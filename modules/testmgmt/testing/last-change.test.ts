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
