import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { openMigrated } from '../../../test/migrated-rows.ts';
import { tests } from '../base/schema.ts';
import { testVersions } from '../base/version-schema.ts';
import { changeTests } from '../cases/case-write-store.ts';
import { testInVersion, versionAsOf } from '../versions/version-read-store.ts';

/** Rows of the schema before versions, written as a plugin's migration would. */
const rows = `INSERT INTO testmgmt_projects (id, org_id, name, description, is_active, created_by, created_at, updated_at)
  VALUES (1, 1, 'p', '', true, 1, 0, 0);
INSERT INTO testmgmt_labels (id, project_id, name, name_key) VALUES (7, 1, 'a', 'a'), (5, 1, 'b', 'b');
INSERT INTO testmgmt_tests (id, project_id, name, description, preconditions, steps, created_by, created_at, updated_at)
  VALUES (1, 1, 'old', 'text', '', '[]', 1, 10, 20), (2, 1, 'other', '', '', '[]', 1, 10, 20);
INSERT INTO testmgmt_test_labels (test_id, label_id) VALUES (1, 7), (1, 5);`;

test('tests from before the table have version 1, which is kept with their first change', async () => {
  const db = await openMigrated('_test_versions', rows);
  expect(await db.q.select().from(testVersions)).toEqual([]);
  const change = { test: { id: 1, projectId: 1 }, fields: { testName: 'new', testDescription: 'more' } };
  const signal = AbortSignal.timeout(10_000);
  await db.tx((q) => changeTests(q, [change], { by: 2, now: 30, signal }));
  const stored = await db.q.select().from(tests).where(eq(tests.id, 1));
  const [now] = stored;
  if (!now) throw new Error('the test is gone');
  expect(now).toMatchObject({ version: 2, name: 'new', description: 'more' });
  expect(await testInVersion(db.q, now, 1)).toMatchObject({
    test: { name: 'old', description: 'text', version: 1, updatedAt: 20 },
    labels: [5, 7],
  });
  const versions: number[] = [];
  for (const time of [10, 20, 29, 30]) versions.push(await versionAsOf(db.q, now, time));
  expect(versions).toEqual([1, 1, 1, 2]);
  expect((await db.q.select().from(testVersions)).length).toBe(1);
  await db.close();
});
