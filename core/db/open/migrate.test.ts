import { beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { startPostgres } from '../../../test/postgres.ts';
import { rejectionOf, settled } from '../../../test/rejection.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { systemClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { countRows, id, int, table, text } from '../query/columns.ts';
import type { Location } from '../query/db.ts';
import { engine } from '../query/engine.ts';
import { ledgerOf } from '../ledger/ledger.ts';
import { migrate } from './migrate.ts';
import type { MigrationMode } from '../ledger/migration-mode.ts';
import type { Migration } from '../ledger/migration.ts';
import { builtInMigrations } from '../ledger/migrations.ts';
import { openDb } from './open.ts';

const log = createLog('error', systemClock.now);
const run = (migrations: readonly Migration[]) => migrate(location, migrations, { clock: systemClock, log });

const parents = table('test_parents', { id: id('id'), name: text('name') });
const children = table('test_children', { id: id('id'), parentId: int('parent_id') });

const first: Migration = {
  tag: '0000_first',
  sql: `CREATE TABLE test_parents (id integer PRIMARY KEY, name text);
CREATE TABLE test_children (id integer PRIMARY KEY, parent_id integer NOT NULL REFERENCES test_parents(id) ON DELETE CASCADE);
INSERT INTO test_parents VALUES (1, 'p');
INSERT INTO test_children VALUES (1, 1), (2, 1);`,
};
// A changed column needs this on SQLite. With foreign keys on, dropping the old table would delete its children.
const rebuild: Migration = {
  tag: '0001_rebuild',
  sql:
    engine() === 'sqlite'
      ? `CREATE TABLE new_parents (id integer PRIMARY KEY, name text NOT NULL DEFAULT '');
INSERT INTO new_parents SELECT id, name FROM test_parents;
DROP TABLE test_parents;
ALTER TABLE new_parents RENAME TO test_parents;`
      : `ALTER TABLE test_parents ALTER COLUMN name SET NOT NULL;`,
};

let location: Location;
beforeEach(async () => {
  location =
    engine() === 'sqlite'
      ? { engine: 'sqlite', directory: temporaryDirectory('migrate'), durability: 'full' }
      : { engine: 'postgres', url: await (await startPostgres()).createDatabase() };
});

async function counts(): Promise<{ parents: number; children: number }> {
  const db = await openDb(location, log);
  const [p] = await db.q.select({ n: countRows() }).from(parents);
  const [c] = await db.q.select({ n: countRows() }).from(children);
  await db.close();
  return { parents: p?.n ?? -1, children: c?.n ?? -1 };
}

describe(`the migrator on ${engine()}`, () => {
  test('applies what is missing, once, and keeps the children of a rebuilt table', async () => {
    await run([first]);
    await run([first, rebuild]);
    await run([first, rebuild]);
    expect(await counts()).toEqual({ parents: 1, children: 2 });
  });

  test('each migration of a database with data is told before it begins, and a new database tells none', async () => {
    const told: unknown[] = [];
    const begins = (...given: readonly unknown[]) => void told.push(given);
    const more: Migration = { tag: '0002_more', sql: 'CREATE TABLE test_more (id integer PRIMARY KEY)' };
    await migrate(location, [first], { clock: systemClock, log, begins });
    expect(told).toEqual([]);
    await migrate(location, [first, rebuild, more], { clock: systemClock, log, begins });
    expect(told).toEqual([
      [0, 2, '0001_rebuild'],
      [1, 2, '0002_more'],
    ]);
    const lines: string[] = [];
    const last: Migration = { tag: '0003_last', sql: 'CREATE TABLE test_last (id integer PRIMARY KEY)' };
    const written = createLog('info', systemClock.now, (line) => void lines.push(line));
    await migrate(location, [first, rebuild, more, last], { clock: systemClock, log: written });
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toContain('migrating');
  });

  test('a failing migration changes nothing at all', async () => {
    await run([first]);
    const broken = {
      tag: '0001_broken',
      sql: "INSERT INTO test_parents VALUES (9, 'x'); SELECT * FROM nowhere;",
    };
    expect(await settled(run([first, broken]))).toThrow();
    expect(await counts()).toEqual({ parents: 1, children: 2 });
    await run([first, rebuild]);
  });

  test('refuses a database that a newer executable wrote, and an edited migration', async () => {
    await run([first, rebuild]);
    expect(await settled(run([first]))).toThrow('written by a newer Trivet (it has "0001_rebuild")');
    expect(await settled(run([{ ...first, sql: 'SELECT 1' }, rebuild]))).toThrow(
      'differs from the one this database has',
    );
  });

  test('the migrations of a plugin that is not loaded today are no fault', async () => {
    await run([first, { tag: 'notes/0000', sql: 'CREATE TABLE notes_x (a text)' }]);
    await run([first]);
  });

  test('of five processes that start at once, each finds the schema and one has made it', async () => {
    await Promise.all(Array.from({ length: 5 }, () => run([first, rebuild])));
    expect(await counts()).toEqual({ parents: 1, children: 2 });
  });

  /** @see Of processes that met at the first start, about one in twenty failed because the type of the ledger existed already. */
  test.if(engine() === 'postgres')(
    'they may meet at any moment',
    async () => {
      if (location.engine !== 'postgres') return;
      const client = postgres(location.url, { max: 1 });
      for (let round = 0; round < 20; round++) {
        await Promise.all(Array.from({ length: 6 }, () => run([first])));
        await client.unsafe('DROP TABLE trivet_migrations, test_children, test_parents');
      }
      await client.end();
    },
    30_000,
  );

  test.if(engine() === 'sqlite')(
    'writes a backup before it changes a database that has data, none otherwise',
    async () => {
      if (location.engine !== 'sqlite') return;
      const { directory } = location;
      const backups = () => readdirSync(directory).filter((file) => file.startsWith('backup-'));
      await run([first]);
      expect(backups()).toEqual([]);
      await run([first, rebuild]);
      expect(backups().length).toBe(1);
      expect(backups()[0]).toStartWith('backup-0000_first-');
      /** @see SQLite created the copy readable by every user of the machine, with the hashes of tokens in it. */
      expect(statSync(join(directory, backups()[0] ?? '')).mode & 0o777).toBe(0o600);
      await run([first, rebuild]);
      expect(backups().length).toBe(1);
    },
  );

  /** @see Each kill of an upgrade left a copy of up to the size of the database, which nothing removed or named. */
  test.if(engine() === 'sqlite')(
    'removes what killed upgrades left of their copies, and nothing else',
    async () => {
      if (location.engine !== 'sqlite') return;
      const { directory } = location;
      await run([first]);
      const whole = ['backup-0000_first-1-1.db', 'backup-mine.part', 'notes.db.part'];
      const killed = ['backup-0000_first-2-2.db.part', 'backup-0000_first-2-2.db.part-journal'];
      for (const name of [...whole, ...killed]) writeFileSync(join(directory, name), '');
      await migrate(location, [first, rebuild], { clock: systemClock, log, mode: 'alone' });
      expect(readdirSync(directory)).toEqual(expect.arrayContaining(whole));
      expect(readdirSync(directory).filter((name) => killed.includes(name))).toEqual([]);
    },
  );

  test.if(engine() === 'sqlite')('refuses a migration that would leave a reference to nothing', async () => {
    await run([first]);
    const orphan = { tag: '0001_orphan', sql: 'INSERT INTO test_children VALUES (3, 99);' };
    expect(await settled(run([first, orphan]))).toThrow('would break 1 references');
    expect(await counts()).toEqual({ parents: 1, children: 2 });
  });

  /** @see A verb that only read migrated the database under a running server of the version before. */
  describe('what may be done to a database', () => {
    const as = (mode: MigrationMode, migrations: readonly Migration[]) =>
      migrate(location, migrations, { clock: systemClock, log, mode });
    test('a command that reads begins none', async () => {
      expect(await settled(as('check', [first]))).toThrow('There is no Trivet database in');
      if (location.engine === 'sqlite') expect(readdirSync(location.directory)).toEqual([]);
    });
    test('a command that writes begins one, and neither changes an older one', async () => {
      await as('create', [first]);
      for (const mode of ['create', 'check'] as const) {
        await as(mode, [first]);
        expect(await settled(as(mode, [first, rebuild]))).toThrow(
          /is older than this Trivet \(it lacks "0001_rebuild"\).*trivet migrate/,
        );
      }
      await as('apply', [first, rebuild]);
      await as('check', [first, rebuild]);
      expect(await counts()).toEqual({ parents: 1, children: 2 });
    });
    /** @see On SQLite it said that a server may go on beside, and migrate was then refused because of that server. */
    test('what is said of a server of the earlier version is what migrate does', async () => {
      await as('create', [first]);
      const wider: Migration = {
        tag: '0001_wider',
        sql: 'ALTER TABLE test_parents ADD COLUMN note text;',
        effect: 'expand',
      };
      const said = location.engine === 'sqlite' ? /Stop a server of the earlier/ : /may go on beside it/;
      expect(await settled(as('check', [first, wider]))).toThrow(said);
      expect(await settled(as('check', [first, rebuild]))).toThrow(/Stop a server of the earlier/);
    });
    test('a server whose database was changed by a newer one goes on reading and writes nothing', async () => {
      await run([first]);
      const known = ledgerOf([first]);
      const db = await openDb(location, log, known);
      const write = () => db.tx(async (q) => void (await q.insert(parents).values({ id: 5, name: 'x' })));
      const remove = () => db.tx(async (q) => void (await q.delete(parents).where(sql`id = 5`)));
      await write();
      await remove();
      await run([first, { tag: 'notes/0000', sql: 'CREATE TABLE notes_x (a text)' }]);
      await write();
      await remove();
      await run([first, rebuild]);
      // PostgreSQL is asked beside the writes, at most once a second.
      if (location.engine === 'postgres') {
        await Bun.sleep(1_100);
        await remove();
        await Bun.sleep(300);
      }
      expect(await rejectionOf(write())).toMatchObject({ code: 'SCHEMA_IS_NEWER', status: 503 });
      expect((await db.q.select({ n: countRows() }).from(parents))[0]?.n).toBe(1);
      await db.close();
    });
  });

  test('the generated migrations apply, and the database has every table they name', async () => {
    await run(builtInMigrations(engine()));
    const db = await openDb(location, log);
    const text = builtInMigrations(engine())
      .map((migration) => migration.sql)
      .join('\n');
    for (const [, name] of text.matchAll(/CREATE TABLE ["`](\w+)["`]/g)) {
      const made = table(String(name), { any: int('any') });
      await db.q
        .select({ n: countRows() })
        .from(made)
        .where(sql`1 = 0`);
    }
    await db.close();
  });
});
