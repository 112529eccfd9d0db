import * as pg from 'drizzle-orm/pg-core';

/** What columns.ts builds on PostgreSQL. Only that file loads it, and only there: it takes a call on SQLite a millisecond. */
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
  /** Locks the rows of a select, of a join those of one table. */
  locked: (select: object, strength: 'no key update' | 'key share' | 'update', of: unknown): object =>
    select instanceof pg.PgSelectBase
      ? select.for(strength, of === undefined ? {} : { of: of as pg.PgTable })
      : select,
};
