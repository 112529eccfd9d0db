import { expect, test } from 'bun:test';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { systemClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { migrate } from '../open/migrate.ts';
import { openDb } from '../open/open.ts';
import { connect } from './sqlite-connection.ts';

/* Seen to fail without `forgetSmallTables`: the plan for three rows was kept for 5,000. */

const log = createLog('error', systemClock.now);
const schema = ['few', 'many', 'none']
  .map(
    (name) =>
      `CREATE TABLE ${name} (id integer PRIMARY KEY, word text); CREATE INDEX ${name}_word ON ${name} (word);`,
  )
  .join('\n');

test('only large tables have statistics: a small one may be large before it is counted again', async () => {
  const directory = temporaryDirectory('statistics');
  const location = { engine: 'sqlite', directory, durability: 'full' } as const;
  await migrate(location, [{ tag: '0000_test', sql: schema }], { clock: systemClock, log });
  const db = await openDb(location, log);
  const reader = connect(directory, 'full');
  const fill = (name: string, rows: number) =>
    reader.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
       INSERT INTO ${name} (word) SELECT 'w' || i % 50 FROM n`,
    );
  fill('few', 3);
  fill('many', 5_000);
  await db.refreshStatistics();
  const counted = () =>
    reader
      .query<{ tbl: string }, []>('SELECT DISTINCT tbl FROM sqlite_stat1 ORDER BY tbl')
      .all()
      .map(({ tbl }) => tbl);
  expect(counted()).toEqual(['many']);
  fill('few', 2_000);
  await db.refreshStatistics();
  expect(counted()).toEqual(['few', 'many']);
  reader.close();
  await db.close();
});
