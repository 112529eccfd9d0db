import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { counted } from '../../base/counted-noun.ts';
import type { Location } from '../../db/query/db.ts';
import { holdReadDirectoryAlone } from '../../db/sqlite/directory-lock.ts';
import { runningServers } from '../../db/sqlite/running-server.ts';
import { usualLimits } from '../../db/postgres/postgres-options.ts';
import { describeTables } from '../../db/transfer/table-description.ts';
import { transfer } from '../../db/transfer/transfer.ts';
import { systemClock } from '../../base/clock.ts';
import { exit, UsageError } from '../../base/errors.ts';
import { migrationsOf } from '../../kernel/kernel.ts';
import { loadModule } from '../../kernel/module-loading.ts';
import type { Config } from '../../settings/config.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { writeError } from '../../base/standard-streams.ts';
import { flush } from '../../base/stored-file.ts';
import { coreTables } from '../invocation/tables.ts';
import { print, type Invocation } from '../invocation/invocation.ts';
import { progressLine } from '../invocation/progress-line.ts';
import { transferSettings } from '../invocation/command-settings.ts';

/** `trivet transfer`: copies all data from one database to another, also of the other engine, and compares both. */
export async function runTransfer({ config, modules, log }: Invocation): Promise<number> {
  const [from, to] = [placeOf(config, 'from'), placeOf(config, 'to')];
  refuseServed(from);
  const alone = from.engine === 'sqlite' ? holdReadDirectoryAlone(from.directory) : undefined;
  const parts = await Promise.all(modules.map((module) => loadModule(module)));
  const files = modules.flatMap((module) => module.files ?? []);
  const progress = progressLine();
  const result = await transfer({
    from,
    to,
    tables: describeTables([coreTables, ...parts.map(({ tables }) => tables ?? {})].flatMap(Object.values)),
    migrationsOf: (engine) => migrationsOf(modules, engine),
    clock: systemClock,
    log,
    ready: () => carryFiles(from, to, files),
    report: ({ phase, table, rows, total: all }) =>
      progress.show(
        rows,
        all,
        `${phase === 'copy' ? 'copied' : 'compared'} ${rows} of ${all} rows: ${table}`,
      ),
  }).finally(() => {
    progress.end();
    alone?.release();
  });
  for (const file of files) writeError(`${noteOf(file, from, to)}\n`);

  const rows = result.tables.reduce((sum, table) => sum + table.rows, 0);
  if (config.read(clientSettings).json) {
    const tables = result.tables.map(({ equal: _equal, ...table }) => table);
    return print(`${JSON.stringify({ ...result, rows, tables })}\n`);
  }
  return print(
    `${result.to} has the ${counted(rows, 'row')} of ${counted(result.tables.length, 'table')} of ${result.from}: compared, equal.\n`,
  );
}

/** @throws UsageError. */
function placeOf(config: Config, flag: 'from' | 'to'): Location {
  const value = config.read(transferSettings)[flag];
  if (value === undefined)
    throw new UsageError('Name both places: trivet transfer --from DIR|URL --to DIR|URL.', exit.usage);
  if (/^postgres(ql)?:\/\//.test(value)) {
    const file = config.fileOf(flag);
    const limits = { ...usualLimits, pooler: config.read(coreSettings)['database-pooler'] };
    return { engine: 'postgres', url: value, limits, ...(file === undefined ? {} : { urlFile: file }) };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value))
    throw new UsageError(`--${flag} must be a directory or a URL of the form postgres://….`);
  return { engine: 'sqlite', directory: resolve(value), durability: 'full' };
}

/**
 * What a server wrote after the comparison would be missing in the target, and nothing would say so.
 * @throws UsageError when a server runs on the directory.
 */
function refuseServed(from: Location): void {
  if (from.engine !== 'sqlite') return;
  const [server] = runningServers(from.directory);
  if (server)
    throw new UsageError(
      `A server runs on ${from.directory} (${server.origin}), and what it writes from now on would be lost. Stop it, then try again. ` +
        'To try a transfer before that, use a copy as --from: trivet backup COPY makes one.',
    );
}

/**
 * Copies the files next to a SQLite database, i.e. the master key, so that the new directory is complete.
 * @throws UsageError when a different file of this name exists: the data could not be read with it.
 */
function carryFiles(from: Location, to: Location, files: readonly string[]): void {
  if (from.engine !== 'sqlite' || to.engine !== 'sqlite') return;
  mkdirSync(to.directory, { recursive: true, mode: 0o700 });
  for (const name of files) {
    const [source, target] = [join(from.directory, name), join(to.directory, name)];
    if (!existsSync(source)) continue;
    const content = readFileSync(source);
    if (!existsSync(target)) writeFileSync(target, content, { mode: 0o600, flag: 'wx', flush: true });
    else if (!content.equals(readFileSync(target)))
      throw new UsageError(
        `${target} is another file than ${source}. Move it away, or name another directory.`,
      );
  }
  flush(to.directory);
}

/** Files that must accompany the data: a database is useless without the key that encrypts its signing keys. */
function noteOf(file: string, from: Location, to: Location): string {
  const [there, here] = [from, to].map((place) => {
    const path = place.engine === 'sqlite' ? join(place.directory, file) : undefined;
    return path !== undefined && existsSync(path) ? path : undefined;
  });
  if (here !== undefined && there !== undefined) return `${there} was copied to ${here}.`;
  if (here !== undefined) return `${here} stays in use: it must be the file of the servers of --from.`;
  if (there !== undefined)
    return (
      `${there} is not in the database, and its signing keys cannot be opened without it. Start every server on the new ` +
      `database with TRIVET_MASTER_KEY_FILE=${there} or a copy of that file.`
    );
  const copied = to.engine === 'sqlite' ? `, or copy their ${file} into ${to.directory}` : '';
  return `Start Trivet with the master key of the servers of --from (TRIVET_MASTER_KEY_FILE)${copied}.`;
}
