import { afterAll, beforeAll, expect, test } from 'bun:test';
import { bytesOf, isFile } from '../../../core/tools/file-answer.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { addLocalMember } from '../../auth/index.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

async function makeProject() {
  const projectId = await trivet.makeProject();
  for (const field of [
    { key: 'browser', name: 'Browser', kind: 'choice', options: ['Chrome', 'Firefox, ESR'] },
    { key: 'notes', name: 'Notes', kind: 'text' },
    { key: 'weight', name: 'Weight', kind: 'number' },
    { key: 'legal', name: 'Legal', kind: 'boolean' },
    { key: 'areas', name: 'Areas', kind: 'choices', options: ['web', 'a, b'] },
    { key: 'expert', name: 'Expert', kind: 'user' },
    // Every object has a member of this name.
    { key: 'constructor', name: 'Constructor', kind: 'text' },
  ])
    await trivet.call('create-field', { projectId, ...field });
  return projectId;
}

async function exported(projectId: number, format: string): Promise<string> {
  const executor = localExecutor(trivet.kernel, trivet.owner, {});
  const given = { signal: AbortSignal.timeout(60_000) };
  const answer = await executor.call('download-tests', { projectId, format }, given);
  if (!isFile(answer)) throw new Error('no file');
  return (await bytesOf(answer)).toString('utf8');
}

test.each(['csv', 'json'])('values survive export, import and export as %s', async (format) => {
  const from = await makeProject();
  const expert = trivet.owner.userId;
  await trivet.call('bulk-add-tests', {
    projectId: from,
    tests: [
      {
        testName: 'all',
        fields: {
          browser: 'Firefox, ESR',
          notes: '=SUM(A1)',
          weight: -2.5e-7,
          legal: false,
          areas: ['a, b', 'web'],
          expert,
        },
      },
      { testName: 'some', fields: { notes: '5', weight: 5 } },
      { testName: 'none' },
    ],
  });
  const content = await exported(from, format);
  const to = await makeProject();
  const report = await trivet.call('import-tests', { projectId: to, content, format });
  expect(report).toMatchObject({ testsCount: 3, faultsCount: 0, ignoredColumns: [] });
  const { tests } = JSON.parse(await exported(to, 'json')) as { tests: Array<{ fields: unknown }> };
  expect(tests.map(({ fields }) => fields)).toEqual([
    {
      areas: ['a, b', 'web'],
      browser: 'Firefox, ESR',
      expert,
      legal: false,
      notes: '=SUM(A1)',
      weight: -2.5e-7,
    },
    { notes: '5', weight: 5 },
    null,
  ]);
});

test('values that do not fit are faults of their row, and unknown fields are named', async () => {
  const projectId = await makeProject();
  const content = 'Title,cf.weight,CF.Legal,cf.colour\na,1,yes,red\nb,heavy,maybe,\n';
  const before = await trivet.everything();
  const report = await trivet.call('import-tests', { projectId, content, dryRun: true });
  expect(report).toMatchObject({
    testsCount: 1,
    faults: [{ row: 3, message: 'fields.weight must be a number; fields.legal must be true or false' }],
    ignoredColumns: ['cf.colour'],
  });
  expect(await trivet.refusal('import-tests', { projectId, content })).toMatchObject({
    code: 'IMPORT_FAULTY',
  });
  expect(await trivet.everything()).toBe(before);
});

test('somebody who has left stays in the tests that have them, and is given to no other, which a dry run says', async () => {
  const projectId = await makeProject();
  const email = 'expert@example.org';
  await addLocalMember(trivet.kernel.host, { email, name: 'Expert', role: 'member' });
  const { users } = (await trivet.call('get-user', { email })) as { users: Array<{ userId: number }> };
  const userId = Number(users[0]?.userId);
  const file = (rows: readonly string[]) => ['ID,Title,cf.expert', ...rows].join('\n');
  const load = (rows: readonly string[]) =>
    ['import-tests', { projectId, format: 'testrail-csv', content: file(rows) }] as const;
  const first = `C1,Sign in,${userId}`;
  await trivet.call(...load([first]));
  await trivet.call('remove-member', { orgId: 1, userId });
  expect(await trivet.call(...load([first, 'C2,Sign out,']))).toMatchObject({
    createdCount: 1,
    updatedCount: 0,
    unchangedCount: 1,
  });
  const before = await trivet.everything();
  const [tool, given] = load([first, `C2,Sign out,${userId}`, `C3,Register,${userId}`]);
  const faults = [3, 4].map((row) => ({ row, message: 'fields.expert is no active member' }));
  expect(await trivet.call(tool, { ...given, dryRun: true })).toMatchObject({ testsCount: 1, faults });
  expect(await trivet.refusal(tool, given)).toMatchObject({
    code: 'IMPORT_FAULTY',
    message: expect.stringContaining('row 3: fields.expert is no active member; row 4: ') as string,
  });
  expect(await trivet.everything()).toBe(before);
});
