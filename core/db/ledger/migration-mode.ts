import { engine } from '../query/engine.ts';
import type { Clock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Applied } from './ledger.ts';
import type { Migration } from './migration.ts';

/**
 * What may be done to a missing or older database. Only `serve` and `migrate` change a schema ("apply"). A server may be told to expect it
 * ready ("require", `serve --migrate check`). A command that writes may create a database ("create"), one that reads may not ("check").
 * "alone" is "apply" for a SQLite database, unless another process has it open: a command names that process.
 */
export type MigrationMode = 'alone' | 'apply' | 'require' | 'create' | 'check';

export interface MigrationContext {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Before each migration of a database that has data: how many of `total` are done, and the tag of the next one. By default this is
   * logged.
   */
  readonly begins?: (done: number, total: number, tag: string) => void;
  /** "apply" unless given. */
  readonly mode?: MigrationMode;
}

/** A migration with a progress report. */
export type ShownMigration = MigrationContext & Required<Pick<MigrationContext, 'begins'>>;

/** What a migrator did, and the migrations it found that only a newer executable knows. */
export interface Migrated {
  readonly applied: readonly string[];
  readonly newer: readonly string[];
}

/** @throws UsageError when these migrations may not be applied now. */
export function allow(
  mode: MigrationMode,
  where: string,
  applied: readonly Applied[],
  missing: readonly Migration[],
): void {
  if (changesSchema(mode) || missing.length === 0) return;
  if (applied.length === 0) {
    if (mode === 'create') return;
    throw noDatabase(where, mode);
  }
  const lacks = missing.map(({ tag }) => `"${tag}"`).join(', ');
  const older = `The database in ${where} is older than this Trivet (it lacks ${lacks})`;
  if (mode === 'require') {
    throw new UsageError(
      `${older}, and with --migrate check a server does not change it. Run trivet migrate, or start with --migrate auto.`,
    );
  }
  // On SQLite migrate is refused while an earlier version uses the directory, whatever the migrations do.
  const mayGoOn = engine() === 'postgres' && missing.every(({ effect }) => effect === 'expand');
  const beside = mayGoOn
    ? 'A server of the earlier version may go on beside it: run trivet migrate.'
    : 'Stop a server of the earlier version, then run trivet migrate.';
  throw new UsageError(`${older}, and only "trivet serve" and "trivet migrate" change it. ${beside}`);
}

/** The database does not exist, and this mode does not create it. */
export const noDatabase = (where: string, mode: MigrationMode = 'check'): UsageError =>
  new UsageError(
    mode === 'require'
      ? `There is no Trivet database in ${where}, and with --migrate check a server creates none. Run trivet migrate, or ` +
          'start with --migrate auto.'
      : `There is no Trivet database in ${where}. Name the right one with --data (or --database); "trivet serve" creates a new one.`,
  );

/** Whether migrations of a database with data are applied. */
export const changesSchema = (mode: MigrationMode): boolean => mode === 'apply' || mode === 'alone';

/** Whether the database must exist already. */
export const mustExist = (mode: MigrationMode): boolean => mode === 'check' || mode === 'require';
