import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
let projectId = 0;
let testIds: readonly number[] = [];
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 4);
});
afterAll(() => trivet.stop());

const call = (tool: string, args: object = {}) => trivet.call(tool, { projectId, ...args });
const refusal = async (tool: string, args: object = {}) =>
  (await trivet.refusal(tool, { projectId, ...args }))?.code;
const make = async (name: string, args: object = {}) =>
  Number((await call('create-milestone', { name, ...args }))['milestoneId']);
const only = async (milestoneId: number) =>
  ((await call('get-milestones', { milestoneId }))['milestones'] as Array<Record<string, unknown>>)[0];

describe('a milestone', () => {
  test('has a name, days and a status, and is listed by due day with the closed ones last', async () => {
    const later = await make('2.0', { dueOn: '2027-01-31', description: ' big ' });
    const sooner = await make('1.9', { startOn: '2026-12-01', dueOn: '2026-12-31' });
    const never = await make('some day');
    const closed = await make('1.8', { dueOn: '2026-01-01' });
    await call('close-milestone', { milestoneId: closed });
    const { milestones, total } = (await call('get-milestones')) as {
      total: number;
      milestones: Array<Record<string, unknown>>;
    };
    expect([total, milestones.map((one) => one['milestoneId'])]).toEqual([4, [sooner, later, never, closed]]);
    expect(milestones[1]).toMatchObject({ name: '2.0', description: 'big', startOn: null, status: 'open' });
    expect((await call('get-milestones', { status: 'closed' }))['total']).toBe(1);
  });

  test('has a unique name, whatever its case', async () => {
    await make('Ümläut');
    expect(await refusal('create-milestone', { name: ' ÜMLÄUT ' })).toBe('MILESTONE_EXISTS');
  });

  test.each([
    [{ dueOn: '2026-02-29' }, 'INVALID_REQUEST'],
    [{ dueOn: '2026-13-01' }, 'INVALID_REQUEST'],
    [{ dueOn: 'soon' }, 'INVALID_REQUEST'],
    [{ startOn: '2026-02-02', dueOn: '2026-02-01' }, 'INVALID_REQUEST'],
    [{ parentMilestoneId: 99_999 }, 'MILESTONE_NOT_FOUND'],
  ])('is refused with %j', async (args, code) => {
    expect(await refusal('create-milestone', { name: 'x', ...args })).toBe(code);
  });

  test('may be a part of another one, in two levels', async () => {
    const whole = await make('whole');
    const part = await make('part', { parentMilestoneId: whole });
    expect(await refusal('create-milestone', { name: 'deeper', parentMilestoneId: part })).toBe(
      'INVALID_REQUEST',
    );
    expect(await refusal('edit-milestone', { milestoneId: whole, parentMilestoneId: whole })).toBe(
      'INVALID_REQUEST',
    );
    const other = await make('other');
    expect(await refusal('edit-milestone', { milestoneId: whole, parentMilestoneId: other })).toBe(
      'INVALID_REQUEST',
    );
    expect(await only(part)).toMatchObject({ parentMilestoneId: whole });
    expect(await call('edit-milestone', { milestoneId: part, parentMilestoneId: null })).toMatchObject({
      parentMilestoneId: null,
    });
  });

  test('of another project is not there', async () => {
    const elsewhere = await trivet.makeProject();
    const milestoneId = await make('ours');
    for (const tool of ['edit-milestone', 'close-milestone', 'delete-milestone', 'get-milestones'])
      expect(
        (
          await trivet.refusal(tool, {
            projectId: elsewhere,
            milestoneId,
            ...(tool === 'edit-milestone' ? { name: 'x' } : {}),
          })
        )?.code,
      ).toBe('MILESTONE_NOT_FOUND');
  });
});

describe('progress', () => {
  test('adds the runs of the milestone and of its parts, without deleted runs', async () => {
    const whole = await make('3.0');
    const part = await make('3.0 beta', { parentMilestoneId: whole });
    const run = async (milestoneId: number) =>
      Number(
        (await call('create-run', { runName: 'r', testIds, milestoneId, dueOn: '2026-12-01' }))['runId'],
      );
    const [first, second, third] = [await run(whole), await run(part), await run(part)];
    await call('delete-run', { runId: third });
    await call('run-update-test-status', {
      runId: first,
      testResults: [
        { testId: testIds[0], status: 'passed' },
        { testId: testIds[1], status: 'failed' },
      ],
    });
    await call('run-lock', { runId: second });
    expect((await only(whole))?.['progress']).toEqual({
      runs: 2,
      openRuns: 1,
      total: 8,
      passed: 1,
      failed: 1,
      blocked: 0,
      retest: 0,
      untested: 6,
      percentDone: 25,
    });
    expect((await only(part))?.['progress']).toMatchObject({
      runs: 1,
      openRuns: 0,
      total: 4,
      percentDone: 0,
    });
  });

  test('closing says how many runs are open, and takes no further runs', async () => {
    const milestoneId = await make('4.0');
    const made = await call('create-run', { runName: 'r', testIds, milestoneId });
    expect(made).toMatchObject({ milestoneId, dueOn: null });
    expect(await call('close-milestone', { milestoneId })).toMatchObject({ status: 'closed', openRuns: 1 });
    expect(await call('close-milestone', { milestoneId })).toMatchObject({ status: 'closed', openRuns: 1 });
    expect(await refusal('create-run', { runName: 'r', testIds, milestoneId })).toBe('MILESTONE_CLOSED');
    // A run that belongs to it already can still be edited.
    const runId = made['runId'];
    await call('edit-run', { runId, runName: 'renamed', milestoneId });
    expect(await call('edit-milestone', { milestoneId, status: 'open' })).toMatchObject({ closedAt: null });
    await call('create-run', { runName: 'r', testIds, milestoneId });
  });

  test('deleting keeps the runs, without the milestone', async () => {
    const milestoneId = await make('5.0');
    const part = await make('5.0 beta', { parentMilestoneId: milestoneId });
    const { runId } = await call('create-run', { runName: 'r', testIds, milestoneId });
    const deleted = await call('create-run', { runName: 'deleted', testIds, milestoneId });
    await call('delete-run', { runId: deleted['runId'] });
    expect(await call('delete-milestone', { milestoneId })).toEqual({ milestoneId, deleted: true, runs: 1 });
    expect(await call('run-detail', { runId })).toMatchObject({ milestoneId: null });
    expect(await only(part)).toMatchObject({ parentMilestoneId: null });
    expect(await refusal('edit-run', { runId, milestoneId })).toBe('MILESTONE_NOT_FOUND');
  });
});

test('runs are found by milestone and by due day', async () => {
  const milestoneId = await make('6.0');
  const { runId } = await call('create-run', { runName: 'r', testIds, milestoneId, dueOn: '2026-06-15' });
  const found = async (query: string) =>
    ((await call('get-runs', { query }))['runs'] as Array<{ runId: number }>).map((run) => run.runId);
  expect(await found('milestone:"6.0"')).toEqual([Number(runId)]);
  expect(await found(`milestone:${milestoneId} due:<2026-07-01`)).toEqual([Number(runId)]);
  expect(await found('due:2026-06-15')).toEqual([Number(runId)]);
  expect(await found('milestone:"6.0" due:none')).toEqual([]);
  expect(await refusal('get-runs', { query: 'milestone:"6.1"' })).toBe('INVALID_QUERY');
  expect((await trivet.refusal('get-runs', { projectId, query: 'milestone:"6.00"' }))?.message).toContain(
    '6.0',
  );
  expect(await call('edit-run', { runId, dueOn: null, milestoneId: null })).toMatchObject({ dueOn: null });
  expect(await found('milestone:"6.0"')).toEqual([]);
});
