import { expect, test } from 'bun:test';
import { asc } from 'drizzle-orm';
import { openMigrated } from '../../../test/migrated-rows.ts';
import { projects, runs } from '../base/schema.ts';

/** Rows of the schema before the counts, written like a plugin's migration would. */
const rows = `INSERT INTO testmgmt_projects (id, org_id, name, description, is_active, created_by, created_at, updated_at)
  VALUES (1, 1, 'p', '', true, 1, 0, 0), (2, 1, 'empty', '', true, 1, 0, 0);
INSERT INTO testmgmt_tests (id, project_id, name, description, preconditions, steps, created_by, created_at, updated_at, deleted_at)
  VALUES (1, 1, 't', '', '', '[]', 1, 0, 0, NULL), (2, 1, 't', '', '', '[]', 1, 0, 0, NULL),
    (3, 1, 't', '', '', '[]', 1, 0, 0, NULL), (4, 1, 't', '', '', '[]', 1, 0, 0, 5);
INSERT INTO testmgmt_runs (id, project_id, name, description, created_by, created_at, deleted_at)
  VALUES (1, 1, 'r', '', 1, 0, NULL), (2, 1, 'deleted', '', 1, 0, 7);
INSERT INTO testmgmt_run_tests (run_id, test_id, status)
  VALUES (1, 1, 'passed'), (1, 2, 'failed'), (1, 3, 'failed'), (1, 4, 'untested');`;

test('a database from before the counts were kept gets those of its rows', async () => {
  const { q, close } = await openMigrated('_testmgmt_counts', rows);
  expect(await q.select().from(projects).orderBy(asc(projects.id))).toMatchObject([
    { testsCount: 3, runsCount: 1 },
    { testsCount: 0, runsCount: 0 },
  ]);
  expect(await q.select().from(runs).orderBy(asc(runs.id))).toMatchObject([
    { passed: 1, failed: 2, blocked: 0, retest: 0, untested: 1 },
    { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 },
  ]);
  await close();
});
