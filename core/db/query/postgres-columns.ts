import * as pg from 'drizzle-orm/pg-core';

/** How strongly rows are locked. */
export type LockStrength = 'no key update' | 'key share' | 'update';

/**
 * The PostgreSQL part of columns.ts. Only columns.ts loads this file, and only for PostgreSQL: it would add 1.6 ms to each start on SQLite.
 */
export const postgresColumns = {
  table: pg.pgTable,
  index: pg.index,
  uniqueIndex: pg.uniqueIndex,
  primaryKey: pg.primaryKey,
  id: (name: string) => pg.bigint(name, { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  text: (name: string) => pg.text(name),
  int: (name: string) => pg.bigint(name, { mode: 'number' }),
  bool: (name: string) => pg.boolean(name),
  customType: pg.customType,
  /** The names of the indexes of a table. */
  indexNames: (table: object): readonly (string | undefined)[] =>
    pg.getTableConfig(table as pg.PgTable).indexes.map(({ config }) => config.name),
  /** Locks the rows of a select, or those of one table in a join. */
  locked: (select: object, strength: LockStrength, of: unknown): object =>
    select instanceof pg.PgSelectBase
      ? select.for(strength, of === undefined ? {} : { of: of as pg.PgTable })
      : select,
};
