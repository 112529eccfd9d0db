import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { checkBackup, restoreBackup, type RestoreSource } from '../backup/backup-restoring.ts';
import { stages } from '../backup/stage-directory.ts';
import { refuseForeignObjects } from '../db/foreign-objects.ts';
import { pendingOf } from '../db/migrate.ts';
import { exit, UsageError } from '../errors.ts';
import { migrationsOf, startKernel } from '../kernel/kernel.ts';
import { clientSettings, coreSettings } from '../settings/settings.ts';
import { inputStream } from '../standard-streams.ts';
import { originOf, print, type Invocation } from './invocation.ts';
import { progressLine } from './progress-line.ts';
import { restoreSettings } from './verb-settings.ts';

/**
 * `trivet restore FILE|DIR|-`: checks a backup completely and puts it in the place of the data, which is kept aside. With `--check` it
 * only checks.
 */
export async function runRestore(invocation: Invocation): Promise<number> {
  const { config, modules } = invocation;
  const [given, ...more] = config.words;
  if (given === undefined || more.length > 0)
    throw new UsageError('Name one backup: trivet restore FILE|DIR|- --data DIR.', exit.usage);
  const settings = config.read(coreSettings);
  if (settings.database !== undefined)
    throw new UsageError(
      'A dump of PostgreSQL is restored by pg_restore, into an empty database: pg_restore --single-transaction --exit-on-error ' +
        '--no-owner --dbname=URL trivet.dump. Then check it: trivet doctor --database URL.',
    );
  const { force, check, 'age-identity': identity } = config.read(restoreSettings);
  const data = resolve(settings.data);
  const source = sourceOf(given, identity);
  const progress = progressLine();
  const hooks = {
    files: modules.flatMap(({ files }) => files ?? []),
    accept: (directory: string) => refuseUnusable(invocation, directory),
    progress: (done: number, total: number) => progress.show(done, total, `of ${total} bytes read`),
  };
  const { manifest, tables, aside } = await (
    check ? checkedOnly(source, hooks) : restoreBackup(source, { data, force, now: Date.now() }, hooks)
  ).finally(progress.end);

  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const { json } = config.read(clientSettings);
  const made = manifest ? { trivet: manifest.trivet, createdAt: manifest.createdAt } : {};
  if (json) {
    const place = check ? {} : { directory: data, ...(aside === undefined ? {} : { aside }) };
    return print(`${JSON.stringify({ checked: true, ...place, ...made, tables, rows })}\n`);
  }
  const what = `${rows} rows of ${Object.keys(tables).length} tables${manifest ? `, made at ${manifest.createdAt} by Trivet ${manifest.trivet}` : ''}`;
  if (check) return print(`${source.where} is whole: ${what}.\n`);
  const kept = aside === undefined ? '' : ` What was there is in ${aside}.`;
  return print(`${data} has ${what}.${kept}\n`);
}

function sourceOf(given: string, identity: string | undefined): RestoreSource {
  if (given === '-') return { where: 'The archive on stdin', archive: inputStream(), identity };
  const where = resolve(given);
  const found = statSync(where, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no backup ${where}.`);
  if (found.isDirectory()) return { where, directory: where, identity };
  return isDatabase(where)
    ? { where, database: where, identity }
    : { where, archive: Bun.file(where).stream(), identity };
}

/** Whether a file is a database of SQLite (sqlite.org/fileformat.html §1.3), e.g. the copy that an upgrade leaves. */
function isDatabase(path: string): boolean {
  const magic = Buffer.from('SQLite format 3\0');
  const file = openSync(path, 'r');
  try {
    const first = Buffer.alloc(magic.length);
    return readSync(file, first) === magic.length && first.equals(magic);
  } finally {
    closeSync(file);
  }
}

const checkedOnly = (source: RestoreSource, hooks: Parameters<typeof checkBackup>[2]) => {
  stages.check.sweep(tmpdir(), Date.now());
  return stages.check.inside(tmpdir(), async (stage) => ({
    ...(await checkBackup(source, stage, hooks)),
    aside: undefined,
  }));
};

/**
 * Refuses a database that this executable could not open: one of a newer version, or one whose master key is missing or another one.
 * The key of an older database is checked when a server has migrated it.
 */
async function refuseUnusable({ config, modules, log }: Invocation, directory: string): Promise<void> {
  const location = { engine: 'sqlite', directory, durability: 'full' } as const;
  refuseForeignObjects(directory, migrationsOf(modules));
  if ((await pendingOf(location, migrationsOf(modules))).length > 0) return;
  const there = config.with({ data: directory });
  const kernel = await startKernel({
    modules,
    used: [],
    config: there,
    location,
    log,
    origin: originOf(there),
    mode: 'check',
  });
  try {
    for (const { restorable } of modules) await restorable?.(kernel.host);
  } finally {
    await kernel.stop();
  }
}
