import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import { engine } from '../../../core/db/query/engine.ts';
import { runs, tests } from '../base/schema.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { checkQuery } from './query-check.ts';
import { conditionSql } from './query-condition-store.ts';
import { fieldSql } from './query-sql-store.ts';
import { parseQuery } from './query-syntax.ts';

/*
 * What a step of a query looks at on SQLite, with the statistics of a large project. A step has few tests, so it must not read everything
 * of the project each time: the steps then become ever smaller, and the query is stopped after five seconds.
 */
let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let client: Database;
const statistics = [
  ['testmgmt_links', 'testmgmt_links_key', '58334 1001 1001 21 2'],
  ['testmgmt_links', 'testmgmt_links_kind', '58334 1001 1001 1'],
  ['testmgmt_links', 'testmgmt_links_run', '58334 12 1'],
  ['testmgmt_links', 'testmgmt_links_test', '58334 2 2 2 1'],
  ['testmgmt_tests', 'testmgmt_tests_page', '100000 1001 1 1'],
  ['testmgmt_run_tests', 'testmgmt_run_tests_page', '1500000 1001 200 1'],
  ['testmgmt_run_tests', 'testmgmt_run_tests_assignee', '100000 500 1'],
];
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  if (engine() !== 'sqlite') return;
  client = new Database(join(trivet.directory, 'trivet.db'));
  client.run('analyze');
  client.run('delete from sqlite_stat1');
  for (const one of statistics) client.run('insert into sqlite_stat1 values (?, ?, ?)', one);
  client.run('analyze sqlite_schema');
});
afterAll(async () => {
  if (engine() === 'sqlite') client.close();
  await trivet.stop();
});

const actor: Actor = { userId: 1, name: 'a', orgs: [], scopes: [] } as unknown as Actor;

/** The lines of the plan that name a table, of a query as it examines tests of a step, or runs. */
function searches(query: string, scope: 'tests' | 'runs', table: string): readonly string[] {
  const { q } = trivet.kernel.host.db;
  const range = { after: sql`10000`, to: sql`10500` };
  const now = Date.UTC(2026, 10, 28);
  const place = { scope, projectId: 1, actor, now, ...(scope === 'tests' && { range }) };
  const { where } = checkQuery(parseQuery(query), scope, now);
  if (!where) throw new Error('no condition');
  const rows = scope === 'tests' ? tests : runs;
  const { sql: text, params } = q
    .select({ id: rows.id })
    .from(rows)
    .where(
      sql`${rows.projectId} = 1 and ${rows.id} > 10000 and ${rows.id} <= 10500 and ${conditionSql(fieldSql(q, place), where, place)}`,
    )
    .toSQL();
  return client
    .query<{ detail: string }, never[]>(`explain query plan ${text}`)
    .all(...(params as never[]))
    .map(({ detail }) => detail)
    .filter((detail) => detail.includes(` ${table} `));
}

test.skipIf(engine() !== 'sqlite').each([
  ['req:none', 'tests', 'testmgmt_links', /_links_test \(test_id>\? AND test_id<\?\)/],
  ['has:defect', 'tests', 'testmgmt_links', /_links_test \(test_id>\? AND test_id<\?\)/],
  ['runs:0 since:90d', 'tests', 'testmgmt_results', /test_id>\? AND test_id<\?/],
  ['assigned:me', 'runs', 'testmgmt_run_tests', /_assignee \(assignee_id=\? AND run_id=\?\)/],
  ['assigned:3,none', 'runs', 'testmgmt_run_tests', /\(run_id=\?\)/],
  ['todo:me', 'runs', 'testmgmt_run_tests', /_assignee \(assignee_id=\? AND run_id=\?\)/],
] as const)('%s reads %s by one index', (query, scope, table, index) => {
  expect(searches(query, scope, table)).toEqual([expect.stringMatching(index)]);
});
