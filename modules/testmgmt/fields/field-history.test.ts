import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

type Row = Readonly<Record<string, unknown>>;

interface Place {
  readonly projectId: number;
  readonly testId: number;
  readonly activityId: unknown;
}

const newestActivity = async (testId: number) => {
  const { activities } = await trivet.call('list-activity', { testId, limit: 1 });
  return (activities as readonly Row[])[0];
};

/** @see Finding: no version said that it changed own fields, and list-activity named the column in which they are stored. */
test.each<[string, (place: Place) => Promise<object> | object, readonly object[]]>([
  [
    'update-test',
    ({ testId }) => ({ testId, fields: { sev: 'low', risk: null } }),
    [{ field: 'fields', from: { risk: 'r', sev: 'high' }, to: { sev: 'low' } }],
  ],
  [
    'bulk-update-tests',
    ({ testId }) => ({ tests: [{ testId, fields: { sev: 'low' } }] }),
    [{ field: 'fields', count: 1 }],
  ],
  [
    'change-tests',
    ({ projectId, testId }) => ({ projectId, query: `id:${testId}`, set: { fields: { sev: 'low' } } }),
    [{ field: 'fields', to: { sev: 'low' } }],
  ],
  [
    'revert-test',
    ({ testId }) => ({ testId, version: 1 }),
    [
      { field: 'version', to: 1 },
      { field: 'fields', from: { risk: 'r', sev: 'high' }, to: { sev: 'low' } },
    ],
  ],
  [
    'merge-test-change',
    async ({ projectId, testId }) => {
      const set = { fields: { sev: 'low' } };
      const { reviewId, hash } = await trivet.call(
        'propose-test-change',
        { projectId, testId, set },
        { ...trivet.owner, userId: 77 },
      );
      await trivet.call('review-test-change', { reviewId, seenHash: hash, verdict: 'approve' });
      return { reviewId };
    },
    [{ field: 'fields', from: { sev: 'high' }, to: { sev: 'low' } }],
  ],
  [
    'undo-activity',
    ({ activityId }) => ({ activityId }),
    [{ field: 'activity', to: expect.any(Number) as number }],
  ],
])('%s names own fields in the versions and the activity', async (tool, inputOf, changes) => {
  const projectId = await trivet.makeProject();
  for (const key of ['sev', 'risk', 'kept'])
    await trivet.call('create-field', { projectId, key, name: key, kind: 'text' });
  const [testId = 0] = await trivet.makeTests(projectId, 1, { fields: { kept: 'k', sev: 'low' } });
  await trivet.call('update-test', { testId, fields: { sev: 'high', risk: 'r' } });
  const activityId = (await newestActivity(testId))?.['activityId'];
  trivet.clock.advance(1_000);
  await trivet.call(tool, await inputOf({ projectId, testId, activityId }));
  expect((await trivet.call('list-test-versions', { testId }))['versions']).toMatchObject([
    { version: 3, changed: ['fields'] },
    { version: 2, changed: ['fields'] },
    { version: 1, changed: null },
  ]);
  expect(await newestActivity(testId)).toMatchObject({ operation: tool, changes });
});

test('a value that stays, also of a deleted field, is no change', async () => {
  const projectId = await trivet.makeProject();
  await trivet.call('create-field', { projectId, key: 'sev', name: 'Severity', kind: 'text' });
  const [testId = 0] = await trivet.makeTests(projectId, 1, { fields: { sev: 'low' } });
  await trivet.call('update-test', { testId, testName: 'Other', fields: { sev: ' low ' } });
  await trivet.call('delete-field', { projectId, key: 'sev' });
  await trivet.call('update-test', { testId, testName: 'Third' });
  expect((await trivet.call('list-test-versions', { testId }))['versions']).toMatchObject([
    { changed: ['testName'] },
    { changed: ['testName'] },
    { changed: null },
  ]);
});

/** @see Finding: going back to a version from before a required field had a value cleared it, which every other write refuses. */
test.each<[string, object, boolean, object | null]>([
  ['revert-test', { risk: 'r' }, true, { risk: 'r', sev: 'high' }],
  ['revert-test', {}, true, { sev: 'high' }],
  ['revert-test', { sev: 'low' }, true, { sev: 'low' }],
  ['revert-test', { risk: 'r' }, false, { risk: 'r' }],
  ['revert-test', {}, false, null],
  ['undo-activity', { risk: 'r' }, true, { risk: 'r', sev: 'high' }],
  ['undo-activity', {}, true, { sev: 'high' }],
  ['undo-activity', {}, false, null],
])('%s to fields %j, required: %p', async (tool, first, required, expected) => {
  const projectId = await trivet.makeProject();
  const field = { projectId, name: 'Severity', kind: 'text' };
  await trivet.call('create-field', { ...field, key: 'risk', name: 'Risk' });
  await trivet.call('create-field', { ...field, key: 'sev' });
  const [testId = 0] = await trivet.makeTests(projectId, 1, { fields: first });
  await trivet.call('update-test', { testId, fields: { sev: 'high', risk: null } });
  const activityId = (await newestActivity(testId))?.['activityId'];
  await trivet.call('edit-field', { projectId, key: 'sev', required });
  await trivet.call(tool, tool === 'revert-test' ? { testId, version: 1 } : { activityId });
  const { fields, version } = await trivet.call('get-test-details', { projectId, testId });
  expect(fields).toEqual(expected);
  // What keeps all its values is not written.
  expect(version).toBe(JSON.stringify(expected) === '{"sev":"high"}' ? 2 : 3);
});
