import { expect } from 'bun:test';
import { systemClock } from '../core/base/clock.ts';
import { createLog } from '../core/base/log.ts';
import { builtInMigrations } from '../core/db/ledger/migrations.ts';
import { migrate } from '../core/db/open/migrate.ts';
import { openDb } from '../core/db/open/open.ts';
import type { Location } from '../core/db/query/db.ts';
import { engine } from '../core/db/query/engine.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/**
 * Opens a new database that had these rows before one of the built-in migrations, and has all of them now.
 * @param migration the end of its name, e.g. `_test_versions`.
 * @param rows SQL for both engines, written as a plugin's migration would be.
 */
export async function openMigrated(migration: string, rows: string) {
  const log = createLog('error', systemClock.now);
  const location: Location =
    engine() === 'sqlite'
      ? { engine: 'sqlite', directory: temporaryDirectory('migrated'), durability: 'full' }
      : { engine: 'postgres', url: await (await startPostgres()).createDatabase() };
  const all = builtInMigrations(engine());
  const at = all.findIndex(({ tag }) => tag.endsWith(migration));
  expect(at).toBeGreaterThan(0);
  await migrate(location, [...all.slice(0, at), { tag: 'test/rows', sql: rows }], {
    clock: systemClock,
    log,
  });
  await migrate(location, all, { clock: systemClock, log });
  return openDb(location, log);
}
