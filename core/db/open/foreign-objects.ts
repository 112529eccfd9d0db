import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { databaseFile } from '../sqlite/data-directory.ts';
import type { Migration } from '../ledger/migration.ts';

interface Runnable {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Objects that run by themselves: a foreign trigger would act with the rights of the server at each write. */
const runnableIn = (client: Database): readonly Runnable[] =>
  client
    .query<Runnable, []>(
      "SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name",
    )
    .all();

/** The triggers and views of a database that no migration made, e.g. `trigger "log"`. */
export function foreignObjects(client: Database, migrations: readonly Migration[]): readonly string[] {
  const found = runnableIn(client);
  if (found.length === 0) return [];
  const made = new Database(':memory:');
  try {
    for (const { sql } of migrations) made.run(sql);
    const own = new Map(runnableIn(made).map(({ type, name, sql }) => [`${type} "${name}"`, sql]));
    return found
      .filter(({ type, name, sql }) => own.get(`${type} "${name}"`) !== sql)
      .map(({ type, name }) => `${type} "${name}"`);
  } finally {
    made.close();
  }
}

/** @throws UsageError for the copy of a database that has a trigger or view which no migration made. */
export function refuseForeignObjects(directory: string, migrations: readonly Migration[]): void {
  const client = new Database(join(directory, databaseFile), { create: false, readwrite: true });
  try {
    const [first, ...more] = foreignObjects(client, migrations);
    if (first === undefined) return;
    throw new UsageError(
      `The backup has a ${first}${more.length > 0 ? ` and ${more.length} more` : ''} that no migration of Trivet made: it would act with ` +
        'the rights of the server. Nothing was changed. If it is of a plugin, name that with --plugin; else use another backup.',
    );
  } finally {
    client.close();
  }
}
