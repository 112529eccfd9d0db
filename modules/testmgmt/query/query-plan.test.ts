import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { sql, type SQL } from 'drizzle-orm';
import { engine } from '../../../core/db/query/engine.ts';
import { tests } from '../base/schema.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { hasLink } from './query-evidence-store.ts';
import type { IdRange, QueryPlace } from './query-place-store.ts';
import { countedWithin } from './query-window-store.ts';

/*
 * What a step of a query looks at on SQLite, with the statistics of a large project. A step has few tests, so it must not read everything
 * of the project each time: the steps then become ever smaller, and the query is stopped after five seconds.
 */
let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let client: Database;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  await trivet.kernel.host.db.refreshStatistics();
  client = new Database(join(trivet.directory, 'trivet.db'));
  const known = [
    ['testmgmt_links', 'testmgmt_links_key', '58334 1001 1001 21 2'],
    ['testmgmt_links', 'testmgmt_links_kind', '58334 1001 1001 1'],
    ['testmgmt_links', 'testmgmt_links_run', '58334 12 1'],
    ['testmgmt_links', 'testmgmt_links_test', '58334 2 2 2 1'],
    ['testmgmt_tests', 'testmgmt_tests_page', '100000 1001 1 1'],
  ];
  client.run('analyze');
  client.run('delete from sqlite_stat1');
  for (const one of known) client.run('insert into sqlite_stat1 values (?, ?, ?)', one);
  client.run('analyze sqlite_schema');
});
afterAll(async () => {
  client.close();
  await trivet.stop();
});

const range: IdRange = { after: sql`10000`, to: sql`10500` };
const window = { least: 1, most: null };

/** The lines of the plan of a step that name a table. */
function searches(table: string, condition: (place: QueryPlace) => SQL): readonly string[] {
  const { q } = trivet.kernel.host.db;
  const place = {
    scope: 'tests',
    projectId: 1,
    actor: { userId: 1 },
    now: 0,
    range,
  } as unknown as QueryPlace;
  const { sql: text, params } = q
    .select({ id: tests.id })
    .from(tests)
    .where(
      sql`${tests.projectId} = 1 and ${tests.id} > 10000 and ${tests.id} <= 10500 and ${condition(place)}`,
    )
    .toSQL();
  return client
    .query<{ detail: string }, never[]>(`explain query plan ${text}`)
    .all(...(params as never[]))
    .map(({ detail }) => detail)
    .filter((detail) => detail.includes(` ${table} `));
}

test.skipIf(engine() !== 'sqlite').each<[string, string, (place: QueryPlace) => SQL, readonly RegExp[]]>([
  [
    'req:none',
    'testmgmt_links',
    (place) => sql`not ${hasLink(place, 'requirement')}`,
    [/testmgmt_links_test \(test_id>\? AND test_id<\?\)/],
  ],
  [
    'has:req',
    'testmgmt_links',
    (place) => hasLink(place, 'requirement'),
    [/testmgmt_links_test \(test_id>\? AND test_id<\?\)/],
  ],
  [
    'runs:0 since: reads the history once',
    'testmgmt_results',
    (place) =>
      countedWithin(trivet.kernel.host.db.q, { status: 'any', any: [{ least: 0, most: 0 }], window }, place),
    [/test_id>\? AND test_id<\?/],
  ],
])('%s', (_, table, condition, expected) => {
  const found = searches(table, condition);
  expect(found).toHaveLength(expected.length);
  for (const [at, pattern] of expected.entries()) expect(found[at]).toMatch(pattern);
});
