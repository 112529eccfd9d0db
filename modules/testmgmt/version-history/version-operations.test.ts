import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bytesOf } from '../../../core/tools/file-answer.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import { testVersions } from '../base/version-schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (answer: Row, name: string) => answer[name] as readonly Row[];
const time = () => new Date(trivet.clock.now()).toISOString();

/** A call one minute later. @returns its answer and the time just before it. */
async function later(tool: string, input: object) {
  const before = time();
  trivet.clock.advance(60_000);
  return { answer: await trivet.call(tool, input), before };
}

const newestActivity = async (projectId: number) =>
  Number(
    rowsOf(await trivet.call('list-activity', { projectId, limit: 1 }), 'activities')[0]?.['activityId'],
  );

async function aTest(fields: object = {}) {
  const projectId = await trivet.makeProject();
  const { testId } = await trivet.call('create-test', { projectId, testName: 'First', ...fields });
  return { projectId, testId: Number(testId) };
}

describe('versions', () => {
  test('each write makes one: since when, by which write, which fields', async () => {
    const { projectId, testId } = await aTest({ testDescription: 'Old' });
    const created = time();
    const { before } = await later('update-test', { testId, testName: 'Second', testDescription: 'New' });
    await later('delete-test', { projectId, testId });
    await later('restore-test', { projectId, testId });
    const { total, versions } = await trivet.call('list-test-versions', { testId });
    expect(total).toBe(4);
    expect(versions).toMatchObject([
      { version: 4, at: time(), until: null, changed: ['deleted'] },
      { version: 3, changed: ['deleted'] },
      { version: 2, changed: ['testName', 'testDescription'], userId: trivet.owner.userId },
      { version: 1, at: created, changed: null },
    ]);
    expect(before).toBe(created);
    const activities = rowsOf(await trivet.call('list-activity', { projectId, testId }), 'activities');
    expect((versions as Row[]).map(({ activityId }) => activityId)).toEqual(
      activities.map(({ activityId }) => activityId),
    );
    const page = await trivet.call('list-test-versions', { testId, limit: 1, offset: 2 });
    expect(page).toMatchObject({ nextOffset: 3, versions: [{ version: 2 }] });
  });

  test('each is read with its texts, also of a deleted test', async () => {
    const steps = [{ action: 'One', expected: 'Two' }];
    const { projectId, testId } = await aTest({ testDescription: 'a', preconditions: 'p', steps });
    await later('update-test', { testId, testDescription: 'b' });
    await later('update-test', { testId, testName: 'Second', testDescription: 'b', steps: [] });
    await later('update-test', { testId, testDescription: 'c', preconditions: null });
    await later('delete-test', { projectId, testId });
    const texts: unknown[] = [];
    for (const version of [1, 2, 3, 4, 5]) {
      const one = await trivet.call('get-test-details', { projectId, testId, version });
      texts.push([one['testName'], one['testDescription'], one['preconditions'], one['steps']]);
    }
    expect(texts).toEqual([
      ['First', 'a', 'p', steps],
      ['First', 'b', 'p', steps],
      ['Second', 'b', 'p', []],
      ['Second', 'c', '', []],
      ['Second', 'c', '', []],
    ]);
  });

  test('5,000 tests that are changed at once have one each, and equal texts are stored once', async () => {
    const projectId = await trivet.makeProject();
    const ids = await trivet.makeTests(projectId, 5_000, { testDescription: 'long '.repeat(100) });
    await later('change-tests', { projectId, query: 'id:>0', set: { preconditions: 'New' } });
    const tests = ids.map((testId) => ({ testId, testDescription: 'long '.repeat(100).trim() }));
    await later('bulk-update-tests', { tests });
    const kept = await trivet.kernel.host.db.q
      .select({ version: testVersions.version, description: testVersions.description })
      .from(testVersions)
      .where(inValues(testVersions.testId, ids));
    expect(kept.length).toBe(10_000);
    expect(kept.filter(({ description }) => description !== null)).toEqual([]);
  });
});

test('two versions are compared by fields, with the names of ids, and by steps', async () => {
  const { projectId, testId } = await aTest({ steps: [{ action: 'a' }, { action: 'b' }] });
  const sectionId = await trivet.makeSection(projectId, 'Pay');
  await later('update-test', {
    testId,
    sectionId,
    estimateSeconds: 60,
    steps: [{ action: 'a' }, { action: 'c' }],
  });
  expect(await trivet.call('compare-test-versions', { testId, from: 1 })).toEqual({
    testId,
    from: 1,
    to: 2,
    fields: [
      { field: 'sectionId', from: null, to: sectionId, toName: 'Pay' },
      { field: 'estimateSeconds', from: null, to: 60 },
    ],
    steps: [{ change: 'changed', from: 2, to: 2, before: { action: 'b' }, after: { action: 'c' } }],
  });
});

describe('going back', () => {
  test('is a new version with the earlier fields, without what is gone since', async () => {
    const { projectId, testId } = await aTest();
    const labels = rowsOf(await trivet.call('add-labels', { projectId, labels: ['a', 'b'] }), 'labels').map(
      (row) => Number(row['labelId']),
    );
    const sectionId = await trivet.makeSection(projectId, 'Gone');
    await later('update-test', { testId, testName: 'Second', labels, sectionId });
    await later('update-test', { testId, testName: 'Third', labels: [], sectionId: null });
    await later('delete-metadata', { projectId, kind: 'label', id: labels[0] });
    await later('delete-section', { sectionId });
    const { answer } = await later('revert-test', { testId, version: 2 });
    expect(answer).toMatchObject({
      testName: 'Second',
      sectionId: null,
      labels: [{ labelId: labels[1] }],
      version: 4,
      leftOut: [
        { testId, field: 'sectionId', id: sectionId },
        { testId, field: 'labels', id: labels[0] },
      ],
    });
    const again = await later('revert-test', { testId, version: 4 });
    expect(again.answer).toMatchObject({ version: 4, leftOut: [] });
  });

  test('is refused when the test was changed after the caller saw it', async () => {
    const { testId } = await aTest();
    const seenAt = time();
    await later('update-test', { testId, testName: 'Second' });
    const fault = await trivet.refusal('revert-test', { testId, version: 1, seenAt });
    expect(fault?.code).toBe('TEST_CHANGED');
  });
});

describe('taking back a write', () => {
  test('dryRun writes nothing; a test that others changed refuses it, and is listed', async () => {
    const projectId = await trivet.makeProject();
    const ids = await trivet.makeTests(projectId, 3);
    await later('change-tests', { projectId, query: 'id:>0', set: { estimateSeconds: 60 } });
    const activityId = await newestActivity(projectId);
    const before = await trivet.everything();
    const dry = await trivet.call('undo-activity', { activityId, dryRun: true });
    expect(dry).toMatchObject({ changedTests: 3, deletedTests: 0, dryRun: true });
    expect(await trivet.everything()).toBe(before);
    await later('update-test', { testId: ids[1], testName: 'Mine' });
    const after = await trivet.everything();
    const fault = await trivet.refusal('undo-activity', { activityId });
    expect(fault).toMatchObject({ code: 'ACTIVITY_OVERTAKEN', status: 409 });
    expect(fault?.message).toContain(`test ${ids[1]} was changed`);
    expect(await trivet.everything()).toBe(after);
  });

  test('of an import of 2,000 tests with sections deletes them all, and can be taken back itself', async () => {
    const projectId = await trivet.makeProject();
    const rows = Array.from({ length: 2_000 }, (_, n) => `t${n},A > B${n % 20}`);
    await later('import-tests', { projectId, content: `Title,Section\n${rows.join('\n')}\n` });
    const { answer } = await later('undo-activity', { activityId: await newestActivity(projectId) });
    expect(answer).toMatchObject({ deletedTests: 2_000, deletedSections: 21, changedTests: 0, leftOut: [] });
    expect(await trivet.call('get-tests-count', { projectId })).toMatchObject({ total: 0 });
    expect(await trivet.call('get-sections', { projectId })).toMatchObject({ total: 0 });
    const again = await later('undo-activity', { activityId: await newestActivity(projectId) });
    expect(again.answer).toMatchObject({ restoredTests: 2_000, changedSections: 21 });
    expect(await trivet.call('get-tests-count', { projectId, query: 'section:"A > B7"' })).toMatchObject({
      total: 100,
    });
  });

  test('a section that got tests of others is not deleted', async () => {
    const projectId = await trivet.makeProject();
    const sectionId = await trivet.makeSection(projectId, 'New');
    const activityId = await newestActivity(projectId);
    await trivet.makeTests(projectId, 1, { sectionId });
    const fault = await trivet.refusal('undo-activity', { activityId });
    expect(fault).toMatchObject({ code: 'ACTIVITY_OVERTAKEN' });
    expect(fault?.message).toContain(`section ${sectionId} has tests`);
  });

  test.each([
    ['create-run', (testIds: readonly number[]) => ({ runName: 'r', testIds }), 'delete-run'],
    [
      'merge-tests',
      ([testId, mergedTestId]: readonly number[]) => ({ testId, mergedTestId }),
      'list-test-versions',
    ],
    ['add-labels', () => ({ labels: ['x'] }), 'delete-metadata'],
  ] as const)('%s cannot be taken back', async (tool, input, instead) => {
    const projectId = await trivet.makeProject();
    const ids = await trivet.makeTests(projectId, 2);
    await later(tool, { projectId, ...input(ids) });
    const fault = await trivet.refusal('undo-activity', { activityId: await newestActivity(projectId) });
    expect([fault?.code, fault?.tip]).toEqual(['ACTIVITY_NOT_UNDOABLE', expect.stringContaining(instead)]);
  });

  test('what happened in a run is taken back by another tool, which the refusal names', async () => {
    const projectId = await trivet.makeProject();
    const testIds = await trivet.makeTests(projectId, 1);
    const { runId } = await trivet.call('create-run', { projectId, runName: 'r', testIds });
    const ofRun = { projectId, runId };
    for (const [tool, input, instead] of [
      [
        'run-update-test-status',
        { testResults: [{ testId: testIds[0], status: 'failed' }] },
        /get-test-status-history-in-run/,
      ],
      ['run-lock', {}, /unlock-run/],
      ['unlock-run', {}, /run-lock/],
      ['delete-run', {}, /restore-run/],
    ] as const) {
      await later(tool, { ...ofRun, ...input });
      const activityId = await newestActivity(projectId);
      expect((await trivet.refusal('undo-activity', { activityId }))?.tip).toMatch(instead);
    }
  });

  test('a write in two projects is taken back in the one of its entry', async () => {
    const [one, other] = [await aTest(), await aTest()];
    const tests = [one, other].map(({ testId }) => ({ testId, testName: 'Both' }));
    await later('bulk-update-tests', { tests });
    const { answer } = await later('undo-activity', { activityId: await newestActivity(other.projectId) });
    expect(answer).toMatchObject({ projectId: other.projectId, changedTests: 1 });
    const nameOf = async (input: object) => (await trivet.call('get-test-details', input))['testName'];
    expect([await nameOf(one), await nameOf(other)]).toEqual(['Both', 'First']);
  });
});

describe('as of a time', () => {
  test('queries, counts, files and details see what was there', async () => {
    const { projectId, testId } = await aTest({ testDescription: 'needle', estimateSeconds: 60 });
    const labels = rowsOf(await trivet.call('add-labels', { projectId, labels: ['smoke'] }), 'labels');
    const labelId = Number(labels[0]?.['labelId']);
    await later('update-test', { testId, labels: [labelId] });
    const { before: asOf } = await later('update-test', { testId, labels: [], testDescription: 'thread' });
    await later('create-test', { projectId, testName: 'Other' });
    await later('delete-test', { projectId, testId });
    const found = async (query?: string, at: string | undefined = asOf) => {
      const given = { projectId, ...(query === undefined ? {} : { query }), ...(at ? { asOf: at } : {}) };
      const { total } = await trivet.call('get-tests-count', given);
      const { tests } = await trivet.call('get-tests', given);
      expect((tests as Row[]).length).toBe(Number(total));
      return (tests as Row[]).map((row) => row['testId']);
    };
    expect(await found()).toEqual([testId]);
    for (const query of ['label:smoke', 'needle', 'has:label', '-is:deleted', 'estimate:1m sort:name-desc'])
      expect([query, await found(query)]).toEqual([query, [testId]]);
    for (const query of ['label:none', 'thread', 'is:deleted', '-label:smoke', 'name:Other'])
      expect([query, await found(query)]).toEqual([query, []]);
    expect(await found(`label:smoke as-of:${asOf}`, '')).toEqual([testId]);
    expect(await trivet.call('get-test-details', { projectId, testId, asOf })).toMatchObject({
      testDescription: 'needle',
      labels: [{ labelId, labelName: 'smoke' }],
      version: 2,
      deletedAt: null,
    });
    const file = await trivet.call('download-tests', { projectId, asOf, format: 'json' });
    const { tests } = JSON.parse(String(await bytesOf(file as never))) as { tests: Row[] };
    expect(tests).toMatchObject([
      { testId, testDescription: 'needle', labels: [{ labelId }], deletedAt: null },
    ]);
    const early = await trivet.refusal('get-test-details', { projectId, testId, asOf: '2001-01-01' });
    expect(early?.code).toBe('VERSION_NOT_FOUND');
    expect(await found(undefined, '2001-01-01')).toEqual([]);
  });

  test.each([
    ['get-tests', { query: 'last:failed as-of:7d' }, '"last" is not known'],
    ['get-tests', { query: 'has:req', asOf: '7d' }, '"has:req" is not known'],
    ['get-tests', { query: 'a sort:flaky', asOf: '7d' }, 'nothing to sort by'],
    ['get-tests', { query: 'a sort:failed', asOf: '7d' }, '"failed" is not known'],
    ['get-tests', { query: 'as-of:1d', asOf: '7d' }, 'are two times'],
    ['get-tests', { query: 'as-of:1d,2d' }, 'takes one time'],
    ['get-tests', { query: '-as-of:1d' }, 'cannot be negated'],
    ['get-tests', { query: 'as-of:1d as-of:2d' }, 'stands twice'],
    ['get-tests', { asOf: 'yesterday' }, 'asOf is no time'],
    ['get-sections', { asOf: 'yesterday' }, 'asOf is no time'],
    ['change-tests', { query: 'as-of:1d', set: { estimateSeconds: 60 } }, 'does not work here'],
    ['get-flaky-tests', { query: 'as-of:1d' }, 'does not work here'],
  ])('%s %j is refused', async (tool, input, message) => {
    const { projectId } = await aTest();
    const fault = await trivet.refusal(tool, { projectId, ...input });
    expect(fault?.message).toContain(message);
    expect(fault?.tip).not.toBe('');
  });
});

test('a result is about the version that was there, and says whether the test was changed since', async () => {
  const { projectId, testId } = await aTest();
  const [other = 0] = await trivet.makeTests(projectId, 1);
  await later('update-test', { testId, testName: 'Second' });
  const runId = await trivet.makeRun(projectId, [testId, other]);
  const report = (status: string) =>
    later('run-update-test-status', { projectId, runId, testResults: [{ testId, status }] });
  const ofRun = async () =>
    rowsOf(await trivet.call('get-run-tests-list', { projectId, runId }), 'tests').map((row) => [
      row['testVersion'],
      row['changedSince'],
    ]);
  await report('failed');
  expect(await ofRun()).toEqual([
    [2, false],
    [null, false],
  ]);
  await later('update-test', { testId, testName: 'Third' });
  expect((await ofRun())[0]).toEqual([2, true]);
  await report('passed');
  expect((await ofRun())[0]).toEqual([3, false]);
  const { history } = await trivet.call('get-test-status-history', { projectId, testId });
  expect((history as Row[]).map((row) => row['testVersion'])).toEqual([3, 2]);
});
