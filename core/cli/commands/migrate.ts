import { systemClock } from '../../base/clock.ts';
import type { Location } from '../../db/query/db.ts';
import { migrate, pendingOf } from '../../db/open/migrate.ts';
import type { Migration } from '../../db/ledger/migration.ts';
import { exit } from '../../base/errors.ts';
import { migrationsOf } from '../../kernel/kernel.ts';
import type { Log } from '../../base/log.ts';
import { clientSettings } from '../../settings/settings.ts';
import { locationOf, print, type Invocation } from '../invocation/invocation.ts';
import { progressLine } from '../invocation/progress-line.ts';
import { migrateSettings } from '../invocation/command-settings.ts';

/**
 * `trivet migrate`: migrates the database to the schema of this executable, as `serve` does when it starts. With `--check` it only
 * lists the missing migrations.
 */
export async function runMigrate({ config, modules, log }: Invocation): Promise<number> {
  const { check } = config.read(migrateSettings);
  const location = locationOf(config);
  const migrations = migrationsOf(modules);
  const missing = check
    ? (await pendingOf(location, migrations)).map(({ tag }) => tag)
    : await migrateShown(location, migrations, log);
  const newest = migrations.at(-1)?.tag ?? '';
  const { json } = config.read(clientSettings);
  if (json) await print(`${JSON.stringify(check ? { newest, missing } : { newest, applied: missing })}\n`);
  else if (missing.length === 0) await print(`The database is at ${newest}: nothing is missing.\n`);
  else await print(`${check ? 'Missing' : 'Applied'}: ${missing.join(', ')}.\n`);
  return check && missing.length > 0 ? exit.failed : exit.ok;
}

/** Shows each migration before it begins, because the database cannot report the progress of a single statement. */
async function migrateShown(
  location: Location,
  migrations: readonly Migration[],
  log: Log,
): Promise<readonly string[]> {
  const progress = progressLine({ atOnce: true });
  try {
    return await migrate(location, migrations, {
      clock: systemClock,
      log,
      begins: progress.show,
      mode: 'alone',
    });
  } finally {
    progress.end();
  }
}
