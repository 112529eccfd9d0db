import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { databaseFile } from '../db/data-directory.ts';
import { exit, UsageError } from '../errors.ts';
import { codeOf } from '../foreign-errors.ts';
import { clientSettings, coreSettings } from '../settings/settings.ts';
import { print, type Invocation } from './invocation.ts';

/**
 * `trivet backup DIR`: copies the data directory, also while a server writes to it. The copy is a data directory itself. It does
 * not migrate, so it works before an upgrade.
 */
export async function runBackup({ config, modules }: Invocation): Promise<number> {
  const [target, ...more] = config.words;
  if (target === undefined || more.length > 0)
    throw new UsageError('Name one directory for the copy: trivet backup DIR.', exit.usage);
  const settings = config.read(coreSettings);
  if (settings.database !== undefined) {
    throw new UsageError(
      'pg_dump backs up PostgreSQL. Keep the master key as well: without it the signing keys in the database cannot be opened.',
    );
  }
  const [from, to] = [resolve(settings.data), resolve(target)];
  if (!existsSync(join(from, databaseFile)))
    throw new UsageError(`${from} has no database. Name the data directory with --data.`);
  makeEmpty(to);

  const beside = modules.flatMap(({ files }) => files ?? []);
  const found = beside.filter((name) => existsSync(join(from, name)));
  const absent = beside.filter((name) => !found.includes(name));
  const { connect } = await import('../db/sqlite.ts');
  const { copyDatabase } = await import('../db/backup.ts');
  try {
    const client = connect(from, 'full');
    try {
      copyDatabase(client, join(to, databaseFile));
    } finally {
      client.close();
    }
    for (const name of found)
      writeFileSync(join(to, name), readFileSync(join(from, name)), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    // An incomplete backup must not look like a complete one.
    for (const name of [databaseFile, ...found]) rmSync(join(to, name), { force: true });
    throw error;
  }

  const files = [databaseFile, ...found].map((name) => ({ name, bytes: statSync(join(to, name)).size }));
  if (config.read(clientSettings).json) return print(`${JSON.stringify({ directory: to, files, absent })}\n`);
  const copied = files.map(({ name, bytes }) => `${name} (${bytes} bytes)`).join(', ');
  const missing = absent.map((name) => `\n${name} is not in ${from}: keep what stands for it as well.`);
  return print(`${to}: ${copied}. It works as it is: --data ${to}${missing.join('')}\n`);
}

/** @throws UsageError when the directory cannot be created or is not empty. */
function makeEmpty(directory: string): void {
  let held: readonly string[];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    held = readdirSync(directory);
  } catch (error) {
    throw new UsageError(`${directory} cannot hold a backup (${codeOf(error)}).`);
  }
  if (held.length > 0)
    throw new UsageError(`${directory} is not empty. Give each backup a directory of its own.`);
}
