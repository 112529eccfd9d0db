import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { makeWorld, validCalls, type World } from '../testing/valid-calls.ts';

/*
 * list-activity finds every write of test management by its project, with its author and its changes.
 *
 * Mutation note: seen to fail without the `wrote` of update-test, of bulk-update-tests, and of create-project.
 */
let trivet: TestmgmtKernel;
let world: World;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  world = await makeWorld(trivet);
});
afterAll(() => trivet.stop());

interface Activity extends Record<string, unknown> {
  readonly activityId: number;
  readonly operation: string;
  readonly changes: ReadonlyArray<Record<string, unknown>>;
}

const activitiesOf = async (input: object, actor?: Actor) =>
  (await trivet.call('list-activity', input, actor))['activities'] as readonly Activity[];

/** Who follows a project, and what one saves for oneself, is nothing that others see in its activity; the audit log has it by the person. */
const personal = ['follow-project', 'save-view', 'delete-view'];

const writes = Object.entries(validCalls).filter(
  ([name]) =>
    !['get-', 'run-detail', 'download-', 'list-', ...personal].some((prefix) => name.startsWith(prefix)),
);

test('the table has every tool that writes', () => {
  const all = [...trivet.kernel.operations.values()].filter(
    ({ toolset, effect }) => ['testmgmt', 'extra'].includes(toolset) && effect !== 'read',
  );
  const listed = new Set(writes.map(([name]) => name));
  expect(
    all
      .map(({ name }) => name)
      .filter((name) => !listed.has(name))
      .toSorted(),
  ).toEqual(personal.toSorted());
});

test.each(writes)('%s is found by its project', async (tool, input) => {
  if (trivet.kernel.operations.get(tool)?.effect === 'read') return;
  const own = await makeWorld(trivet);
  const actor = { ...trivet.owner, userId: 77 };
  const { reviewId, ...others } = input(own);
  // Only the author of a proposal may replace it.
  const isOfAuthor = reviewId === undefined || tool === 'propose-test-change';
  const answer = await trivet.call(tool, isOfAuthor ? others : { ...others, reviewId }, actor);
  const projectId = tool === 'create-project' ? answer['projectId'] : own.projectId;
  const [activity, ...earlier] = await activitiesOf({ projectId });
  expect(activity).toMatchObject({ operation: tool, userId: 77, via: 'local', surface: 'cli', projectId });
  expect(activity?.['at']).toBe(new Date(trivet.clock.now()).toISOString());
  expect(earlier.filter(({ userId }) => userId === 77)).toEqual([]);
});

/** For a call on the world: how it is found apart from its project, and what its entry says of the change. */
const changes: ReadonlyArray<readonly [string, (w: World) => object, (w: World) => object, object]> = [
  [
    'update-test',
    (w) => ({ testId: w.testId, testName: 'New', priorityId: w.priorityId, addLabels: [w.labelId] }),
    (w) => ({ testId: w.testId }),
    {
      count: 1,
      changes: [
        { field: 'testName', from: 't0', to: 'New' },
        { field: 'priorityId', from: null, to: expect.any(Number) },
        { field: 'labels', from: [], to: [expect.any(Number)] },
      ],
    },
  ],
  [
    'update-test',
    (w) => ({ testId: w.testId, testDescription: 'x'.repeat(20_000), steps: [{ action: 'secret' }] }),
    (w) => ({ testId: w.testId }),
    {
      changes: [
        { field: 'testDescription', from: '', to: `${'x'.repeat(120)}…` },
        { field: 'steps', from: [], to: 1 },
      ],
    },
  ],
  [
    'bulk-update-tests',
    (w) => ({
      tests: [
        { testId: w.testId, testName: 'a' },
        { testId: w.otherTestId, testName: 'b', squadId: w.squadId },
      ],
    }),
    (w) => ({ testId: w.otherTestId }),
    {
      count: 2,
      changes: [
        { field: 'testName', count: 2 },
        { field: 'squadId', count: 1 },
      ],
    },
  ],
  [
    'change-tests',
    (w) => ({
      projectId: w.projectId,
      query: `id:${w.testId},${w.otherTestId}`,
      set: { squadId: w.squadId },
    }),
    (w) => ({ testId: w.testId }),
    { count: 2, changes: [{ field: 'squadId', to: expect.any(Number) }] },
  ],
  [
    'bulk-delete-tests',
    (w) => ({ projectId: w.projectId, testIds: [w.testId, w.otherTestId] }),
    (w) => ({ testId: w.otherTestId }),
    { count: 2, changes: [] },
  ],
  [
    'delete-test',
    (w) => ({ projectId: w.projectId, testId: w.testId }),
    (w) => ({ testId: w.testId }),
    { count: 1 },
  ],
  [
    'run-update-test-status',
    (w) => ({
      projectId: w.projectId,
      runId: w.runId,
      testResults: [{ testId: w.testId, status: 'failed' }],
    }),
    (w) => ({ runId: w.runId }),
    { count: 1, changes: [{ field: 'status', to: 'failed', count: 1 }] },
  ],
  [
    'edit-run',
    (w) => ({ projectId: w.projectId, runId: w.runId, runName: 'Weekly' }),
    (w) => ({ runId: w.runId }),
    { changes: [{ field: 'runName', from: 'run', to: 'Weekly' }] },
  ],
  [
    'delete-run',
    (w) => ({ projectId: w.projectId, runId: w.runId }),
    (w) => ({ runId: w.runId }),
    { changes: [] },
  ],
  [
    'run-lock',
    (w) => ({ projectId: w.projectId, runId: w.runId }),
    (w) => ({ runId: w.runId }),
    { changes: [{ field: 'status', from: 'active', to: 'locked' }] },
  ],
  [
    'edit-section',
    (w) => ({ sectionId: w.sectionId, sectionName: 'Other' }),
    (w) => ({ projectId: w.projectId }),
    { changes: [{ field: 'sectionName', from: 'Section', to: 'Other' }] },
  ],
];

test.each(changes)('%s says what changed (%#)', async (tool, input, by, expected) => {
  const own = await makeWorld(trivet);
  await trivet.call(tool, input(own));
  const [activity] = await activitiesOf(by(own));
  expect(activity).toMatchObject({ operation: tool, ...expected });
  expect(activity?.changes).toHaveLength(
    'changes' in expected ? (expected.changes as unknown[]).length : (activity?.changes.length ?? 0),
  );
});

test('a write in two projects is in the list of each, with its own tests', async () => {
  const own = await makeWorld(trivet);
  await trivet.call('bulk-update-tests', {
    tests: [own.testId, own.neighbourTestId].map((testId) => ({ testId, testName: 'both' })),
  });
  for (const [projectId, testId] of [
    [own.projectId, own.testId],
    [own.neighbourId, own.neighbourTestId],
  ]) {
    const [activity] = await activitiesOf({ projectId });
    expect(activity).toMatchObject({
      operation: 'bulk-update-tests',
      ids: { projectId, testIds: [testId] },
      count: 1,
    });
  }
});

describe('who sees what', () => {
  test('a reader sees the projects of the own organizations, and no other', async () => {
    const reader = trivet.withRole('reader', 2);
    await trivet.call(
      'add-labels',
      { projectId: world.abroadId, labels: ['x'] },
      trivet.withRole('admin', 2),
    );
    const seen = await activitiesOf({ limit: 500 }, reader);
    expect(seen.length).toBeGreaterThan(1);
    const abroad = await trivet.call('get-projects', { orgId: 2 }, reader);
    const ids = new Set((abroad['projects'] as Array<{ projectId: number }>).map((one) => one.projectId));
    expect(seen.filter(({ projectId }) => !ids.has(Number(projectId)))).toEqual([]);
    expect(await activitiesOf({ userId: trivet.owner.userId, limit: 500 }, { ...reader })).toEqual(seen);
  });

  const refusals: ReadonlyArray<readonly [string, (w: World) => object, string]> = [
    ['a project of another organization', (w) => ({ projectId: w.abroadId }), 'PROJECT_NOT_FOUND'],
    ['a test that is not there', () => ({ testId: 999_999 }), 'TEST_NOT_FOUND'],
    ['a run that is not there', () => ({ runId: 999_999 }), 'RUN_NOT_FOUND'],
    ['a user who is not there', () => ({ userId: 999_999 }), 'USER_NOT_FOUND'],
    [
      'a test of the neighbour',
      (w) => ({ projectId: w.projectId, testId: w.neighbourTestId }),
      'NOT_IN_PROJECT',
    ],
    [
      'a run of the neighbour',
      (w) => ({ projectId: w.projectId, runId: w.neighbourRunId }),
      'NOT_IN_PROJECT',
    ],
    ['no time', () => ({ since: 'yesterday' }), 'INVALID_REQUEST'],
  ];
  test.each(refusals)('%s is refused', async (_title, input, code) => {
    const here = trivet.withRole('reader');
    expect((await trivet.refusal('list-activity', input(world), here))?.code).toBe(code);
  });

  test.each([
    ['test', (w: World) => ({ testId: w.testId }), 'TEST_NOT_FOUND'],
    ['run', (w: World) => ({ runId: w.runId }), 'RUN_NOT_FOUND'],
  ])('the %s of another organization is not there', async (_what, input, code) => {
    const stranger = trivet.withRole('admin', 2);
    expect((await trivet.refusal('list-activity', input(world), stranger))?.code).toBe(code);
  });

  test('of a session no id, of a token its id', async () => {
    const own = await makeWorld(trivet);
    const as = (credential: string) => ({ ...trivet.owner, credential });
    await trivet.call('add-labels', { projectId: own.projectId, labels: ['a'] }, as('session:abc'));
    await trivet.call('add-labels', { projectId: own.projectId, labels: ['a'] }, as('token:12'));
    const [byToken, bySession] = await activitiesOf({ projectId: own.projectId });
    expect(byToken).toMatchObject({ via: 'token', tokenId: 12 });
    expect(bySession).toMatchObject({ via: 'session', tokenId: null });
    expect(JSON.stringify(bySession)).not.toContain('abc');
  });
});

describe('pages', () => {
  test('join up without gap, whatever finds them', async () => {
    const own = await makeWorld(trivet);
    const { projectId, testId, runId } = own;
    for (let n = 0; n < 7; n++) {
      const actor = { ...trivet.owner, userId: 70 + (n % 2) };
      await trivet.call('update-test', { testId, testName: `n${n}` }, actor);
      await trivet.call('edit-run', { projectId, runId, runName: `n${n}` }, actor);
    }
    const all = (await activitiesOf({ projectId, limit: 500 })).map(({ activityId }) => activityId);
    const where = [{ projectId }, { testId }, { runId }, {}];
    for (const by of where) {
      const whole = (await activitiesOf({ ...by, limit: 100 })).map(({ activityId }) => activityId);
      const seen: number[] = [];
      for (let offset: unknown = 0; offset !== undefined && seen.length < 100;) {
        const page = await trivet.call('list-activity', { ...by, limit: 3, offset });
        for (const { activityId } of page['activities'] as Activity[]) seen.push(activityId);
        offset = page['nextOffset'];
      }
      expect(seen.slice(0, 100)).toEqual(whole);
      expect(whole.toSorted((a, b) => b - a)).toEqual(whole);
      if ('testId' in by || 'runId' in by) expect(all).toEqual(expect.arrayContaining(whole));
    }
    const mine = { ...trivet.owner, userId: 70 };
    const ofUser = await activitiesOf({ projectId, userId: 70 }, mine);
    expect(ofUser.length).toBe(8);
    expect(await activitiesOf({ projectId, userId: 70, testId }, mine)).toHaveLength(4);
  });

  test('since leaves out what is older', async () => {
    const own = await makeWorld(trivet);
    trivet.clock.advance(2 * 86_400_000);
    await trivet.call('update-test', { testId: own.testId, testName: 'late' });
    expect(await activitiesOf({ projectId: own.projectId, since: '1d' })).toMatchObject([
      { operation: 'update-test' },
    ]);
    expect((await activitiesOf({ projectId: own.projectId, since: '3d' })).length).toBeGreaterThan(3);
  });
});
