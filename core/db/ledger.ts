import { fail } from '../errors.ts';
import type { Migration } from './migration.ts';

/** The migrations that this executable knows, for a server whose database another process has migrated meanwhile. */
export interface Ledger {
  /** @throws Fault SCHEMA_IS_NEWER when the database has a migration of Trivet that this executable does not know. */
  check(applied: readonly string[]): void;
}

/** Tags of plugins contain a `/`: a plugin that is not loaded here may have changed its own tables. */
export function ledgerOf(migrations: readonly Migration[]): Ledger {
  const known = new Set(migrations.map(({ tag }) => tag));
  return {
    check: (applied) => {
      const newer = applied.find((tag) => !known.has(tag) && !tag.includes('/'));
      if (newer === undefined) return;
      throw fail.SCHEMA_IS_NEWER(
        `A newer Trivet has changed the database ("${newer}"); this server only reads until it is restarted with that version.`,
      );
    },
  };
}
