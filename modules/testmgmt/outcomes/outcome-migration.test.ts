import { expect, test } from 'bun:test';
import { openMigrated } from '../../../test/migrated-rows.ts';
import { testStatuses } from '../rules/test-status.ts';
import { outcomes } from '../base/schema.ts';
import { wrongOutcomes } from '../testing/outcome-model.ts';

const testsInAll = 40;
const runsInAll = 8;

/** The same histories each time: with one result or hundreds, in some runs or all, with a time that goes backwards. */
function histories(): string {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed % below;
  };
  const rows: string[] = [];
  for (let id = 1; id <= 4_000; id++) {
    // The lower the number of a test, the more results it has; the last ones have none.
    const testId = 1 + Math.min(random(testsInAll - 2), random(testsInAll - 2));
    const status = random(3) === 0 ? testStatuses[random(5)] : testStatuses[testId % 2 === 0 ? 0 : random(2)];
    rows.push(
      `(${id * 3}, ${1 + random(runsInAll)}, ${testId}, '${status}', NULL, 1, ${1_000 + id - random(5)})`,
    );
  }
  return rows.join(',\n');
}

const numbered = (count: number, row: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => row(n + 1)).join(',\n');

/** Rows of the schema before the table, written as a plugin's migration would. */
const rows = `INSERT INTO testmgmt_projects (id, org_id, name, description, is_active, created_by, created_at, updated_at)
  VALUES (1, 1, 'p', '', true, 1, 0, 0), (2, 1, 'q', '', true, 1, 0, 0);
INSERT INTO testmgmt_tests (id, project_id, name, description, preconditions, steps, created_by, created_at, updated_at, deleted_at)
  VALUES ${numbered(testsInAll, (n) => `(${n}, ${1 + (n % 2)}, 't', '', '', '[]', 1, 0, 0, ${n % 5 === 0 ? 5 : 'NULL'})`)};
INSERT INTO testmgmt_runs (id, project_id, name, description, created_by, created_at, deleted_at)
  VALUES ${numbered(runsInAll, (n) => `(${n}, 1, 'r', '', 1, 0, ${n === 3 ? 9 : 'NULL'})`)};
INSERT INTO testmgmt_results (id, run_id, test_id, status, comment, by_user, at) VALUES ${histories()};
INSERT INTO testmgmt_results (id, run_id, test_id, status, comment, by_user, at) VALUES (90000, 1, ${testsInAll - 1}, 'retest', NULL, 1, 7);`;

test('a database from before the table gets the rows of its history', async () => {
  const { q, close } = await openMigrated('_testmgmt_outcomes', rows);
  const stored = await q.select().from(outcomes);
  expect(stored.length).toBeGreaterThan(testsInAll - 4);
  expect(stored.some(({ flips }) => flips >= 3)).toBe(true);
  expect(stored.some(({ failingSince }) => failingSince !== null)).toBe(true);
  expect(stored.some(({ recent }) => recent === '')).toBe(true);
  expect(await wrongOutcomes(q)).toEqual([]);
  await close();
});
