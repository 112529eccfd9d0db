import { fail, UsageError } from '../../base/errors.ts';
import type { Migration } from './migration.ts';

/*
 * The ledger is the table of applied migrations. Its names say what an executable that does not know a migration may still do:
 *
 *   0013_drop                    a contraction: only executables that know it write
 *   0013_drop after 0012_unused  the same, but those that know 0012_unused write too
 *   expand/0012_unused           an expansion: every executable goes on
 *   notes/0000_init              of a plugin, which need not be loaded everywhere
 *
 * Every version since 0.1.0 ignores a name with a slash that it does not know. So 0.1.0 also starts on an expanded database.
 */

/** The module name that no plugin may use: its migrations would look like expansions. */
export const expansions = 'expand';

/**
 * The tag of a database that `trivet transfer` has not completed. No executable knows a migration of this name, so none works with the
 * database.
 */
export const transferTag = 'trivet_transfer';

const incompleteTransfer =
  'The database is incomplete: a transfer to it was interrupted. Run the same "trivet transfer" again, which goes on where it ' +
  'stopped.';

/** A row of the ledger. */
export interface Applied {
  readonly tag: string;
  readonly hash: string;
}

export const createLedger =
  'CREATE TABLE IF NOT EXISTS trivet_migrations (tag text PRIMARY KEY, hash text NOT NULL, applied_at bigint NOT NULL)';
export const listApplied = 'SELECT tag, hash FROM trivet_migrations ORDER BY applied_at, tag';

export const hashOf = ({ sql }: Migration): string =>
  new Bun.CryptoHasher('sha256').update(sql).digest('hex');

/** The name of a migration in the ledger. */
export function ledgerName({ tag, effect }: Migration): string {
  if (effect === 'expand') return `${expansions}/${tag}`;
  return effect?.startsWith('after ') ? `${tag} ${effect}` : tag;
}

/** The tag of a ledger name, and the migration that an executable must know to keep writing. */
function readName(name: string): { readonly tag: string; readonly after: string | undefined } {
  const [tag = '', after] = name.replace(`${expansions}/`, '').split(' after ');
  return { tag, after };
}

/** The first applied migration that is unknown to this executable and forbids it to write. */
function contraction(names: readonly string[], known: ReadonlySet<string>): string | undefined {
  return names
    .filter((name) => !name.includes('/'))
    .map(readName)
    .find(({ tag, after }) => !known.has(tag) && (after === undefined || !known.has(after)))?.tag;
}

const tagsOf = (migrations: readonly Migration[]) => new Set(migrations.map(({ tag }) => tag));

/**
 * The pending migrations.
 * @throws UsageError when a newer executable has contracted the schema, and when a released migration was edited.
 */
export function findPending(
  applied: readonly Applied[],
  migrations: readonly Migration[],
): readonly Migration[] {
  const newer = contraction(
    applied.map(({ tag }) => tag),
    tagsOf(migrations),
  );
  if (newer === transferTag) throw new UsageError(incompleteTransfer);
  if (newer !== undefined) {
    throw new UsageError(
      `The database was written by a newer Trivet (it has "${newer}"). Start that version, or restore a backup.`,
    );
  }
  const hashes = new Map(applied.map(({ tag, hash }) => [readName(tag).tag, hash]));
  const edited = migrations.find((migration) => {
    const hash = hashes.get(migration.tag);
    return hash !== undefined && hash !== hashOf(migration);
  });
  if (edited) {
    throw new UsageError(
      `Migration "${edited.tag}" differs from the one this database has. Released migrations never change.`,
    );
  }
  return migrations.filter(({ tag }) => !hashes.has(tag));
}

/** @throws UsageError for a database that a transfer has not completed: a copy of it would look like one of the source. */
export function refuseIncompleteTransfer(applied: readonly Applied[]): void {
  if (applied.some(({ tag }) => tag === transferTag)) throw new UsageError(incompleteTransfer);
}

/** The applied tags of a newer version that let this executable continue. */
export function newerThan(applied: readonly Applied[], migrations: readonly Migration[]): readonly string[] {
  const known = tagsOf(migrations);
  return applied
    .filter(({ tag }) => tag.startsWith(`${expansions}/`) || !tag.includes('/'))
    .map(({ tag }) => readName(tag).tag)
    .filter((tag) => !known.has(tag));
}

/** The migrations that this executable knows, for a server whose database another process may migrate meanwhile. */
export interface Ledger {
  /**
   * @param names all names of the ledger.
   * @throws Fault SCHEMA_IS_NEWER when a newer executable has contracted the schema: this one must not write.
   */
  check(names: readonly string[]): void;
}

export function ledgerOf(migrations: readonly Migration[]): Ledger {
  const known = tagsOf(migrations);
  return {
    check: (names) => {
      const newer = contraction(names, known);
      if (newer === undefined) return;
      if (newer === transferTag) throw fail.SCHEMA_IS_NEWER(incompleteTransfer);
      throw fail.SCHEMA_IS_NEWER(
        `A newer Trivet has changed the database ("${newer}"); this server only reads until it is restarted with that version.`,
      );
    },
  };
}
