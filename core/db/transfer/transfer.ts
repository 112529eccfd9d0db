import type { Clock } from '../../base/clock.ts';
import { fail, Fault, UsageError } from '../../base/errors.ts';
import { isConstraintViolation, isUnstorableText, storageFault } from '../../base/foreign-errors.ts';
import type { Log } from '../../base/log.ts';
import type { Location } from '../query/db.ts';
import type { Engine } from '../query/engine.ts';
import { migrate } from '../open/migrate.ts';
import type { Migration } from '../ledger/migration.ts';
import { compare } from './comparison.ts';
import { rowKeyOf } from './page-statement.ts';
import { requireAlone, requireSource, requireTarget } from './place-check.ts';
import type { Progress, TransferSource, Target } from './place.ts';
import { progressMigration } from './progress-table.ts';
import { withDependents, type TableDescription } from './table-description.ts';

/** The phase of a transfer, and how many rows of `total` it has done. */
export interface TransferStep {
  readonly phase: 'copy' | 'compare';
  readonly table: string;
  readonly rows: number;
  readonly total: number;
}

interface TransferOptions {
  readonly from: Location;
  readonly to: Location;
  readonly tables: readonly TableDescription[];
  readonly migrationsOf: (engine: Engine) => readonly Migration[];
  readonly clock: Clock;
  readonly log: Log;
  /** Runs before the first row is written, once both places are known to be usable. */
  readonly ready: () => void;
  readonly report: (step: TransferStep) => void;
}

/**
 * Copies every row of every table to another database and compares both. The source is only read. The target is migrated to the schema of
 * this executable. An interrupted transfer continues where it stopped, because rows and progress are written together.
 * @returns the places by name and the content of each table, equal in both.
 * @throws UsageError for places that cannot be used; Fault CONFLICT when the source was changed meanwhile.
 */
export async function transfer(options: TransferOptions) {
  const { from, to, tables, migrationsOf, clock, log, ready, report } = options;
  const source = await namedPlace('from', () => openSource(from));
  if (source === null)
    throw new UsageError(`--from: there is no Trivet database in ${placeName(from)}. Name the right place.`);
  try {
    await requireSource(source, migrationsOf(from.engine), tables);
    await requireAlone(source, clock);
    const before = await namedPlace('to', () => openSource(to));
    const resumed = await requireTarget(before, source, tables).finally(() => before?.close());
    ready();
    const target = await namedPlace('to', async () => {
      await migrate(to, [...migrationsOf(to.engine), progressMigration], { clock, log });
      return openTarget(to);
    });
    try {
      await target.begin(source.name, tables);
      await source.snapshot();
      const total = await copyAll(source, target, tables, report);
      // The source is read again, which detects writes to it in the meantime.
      await source.snapshot();
      const contents = await compare(source, target, tables, (table, rows) =>
        report({ phase: 'compare', table, rows, total }),
      );
      const different = new Set(contents.filter(({ equal }) => !equal).map(({ table }) => table));
      if (different.size > 0) {
        await target.clear(withDependents(tables, different));
        throw sourceChanged([...different]);
      }
      // A server that has started since, on another machine or by a service manager, would write on.
      await requireAlone(source, clock);
      await target.finish();
      return { from: source.name, to: target.name, resumed, tables: contents };
    } catch (thrown) {
      throw storedInPart(thrown);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

const placeName = (location: Location) =>
  location.engine === 'sqlite' ? location.directory : 'the database';

/** Errors about a URL and its server name the setting `--database`; here it is another setting. */
async function namedPlace<T>(flag: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (thrown) {
    const error = storageFault(thrown);
    const named = (text: string) => text.replaceAll(/--(?:database|data)(?![-\w])/g, `--${flag}`);
    if (error instanceof UsageError) throw new UsageError(named(error.message), error.exitCode);
    if (!(error instanceof Fault) || error.code !== 'STORAGE_FAILED') throw error;
    throw error.retold(named(error.message), named(error.tip));
  }
}

/** The storage says that nothing was written, which is so of the last transaction only. */
function storedInPart(thrown: unknown): unknown {
  const error = storageFault(thrown);
  if (!(error instanceof Fault) || error.code !== 'STORAGE_FAILED') return thrown;
  const why = error.causeWord === undefined ? '' : ` (${error.causeWord})`;
  return error.retold(
    `The storage failed${why}; what was copied before stays in the target.`,
    `${error.tip} Then run the same command again: it goes on where it stopped.`,
  );
}

async function openSource(location: Location): Promise<TransferSource | null> {
  if (location.engine === 'sqlite')
    return (await import('./sqlite-place.ts')).openSqliteSource(location.directory);
  return (await import('./postgres-place.ts')).openPostgresSource(location);
}

async function openTarget(location: Location): Promise<Target> {
  if (location.engine === 'sqlite')
    return (await import('./sqlite-place.ts')).openSqliteTarget(location.directory);
  return (await import('./postgres-place.ts')).openPostgresTarget(location);
}

const sourceChanged = (tables: readonly string[]) =>
  fail.CONFLICT(`The source was changed during the transfer: the rows of ${tables.join(', ')} differ.`, {
    tip: 'Stop every server that writes to the source, then run the same command again: it copies these tables again.',
  });

/** Copies what is missing. @returns the number of all rows. */
async function copyAll(
  source: TransferSource,
  target: Target,
  tables: readonly TableDescription[],
  report: TransferOptions['report'],
): Promise<number> {
  const progress = new Map((await target.progress()).map((each) => [each.table, each]));
  let total = 0;
  let rows = 0;
  for (const table of tables) {
    total += await source.count(table);
    rows += await target.count(table);
  }
  for (const table of tables) {
    const at = progress.get(table.name);
    if (at === undefined) throw new Error(`the progress has no row for ${table.name}`);
    if (at.done) continue;
    try {
      await copyTable(source, target, table, at, (copied) => {
        rows += copied;
        report({ phase: 'copy', table: table.name, rows, total });
      });
    } catch (error) {
      if (isUnstorableText(error))
        throw new UsageError(
          `A text in ${table.name} contains U+0000, which PostgreSQL cannot store. Remove it.`,
        );
      if (!isConstraintViolation(error)) throw error;
      await target.clear(withDependents(tables, new Set(tables.map(({ name }) => name))));
      throw sourceChanged([table.name]);
    }
  }
  return total;
}

/** Copies the rows of one table from where it stopped. Reads the next page while one is written. */
async function copyTable(
  source: TransferSource,
  target: Target,
  table: TableDescription,
  from: Progress,
  copied: (rows: number) => void,
): Promise<void> {
  let at = from;
  let page = source.page(table, at.lastKey);
  for (;;) {
    const rows = await page;
    const last = rows.at(-1);
    if (last === undefined) break;
    const next = { ...at, lastKey: rowKeyOf(table, last) };
    page = source.page(table, next.lastKey);
    // If writing fails, nobody awaits the page.
    page.catch(() => {});
    await target.write(table, rows, at, next);
    at = next;
    copied(rows.length);
  }
  if (table.identity !== null) await target.setLastId(table, await source.lastId(table));
  await target.write(table, [], at, { ...at, done: true });
}
