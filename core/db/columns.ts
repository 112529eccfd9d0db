import { sql, type SQL } from 'drizzle-orm';
import * as pg from 'drizzle-orm/pg-core';
import * as sqlite from 'drizzle-orm/sqlite-core';
import { engine } from './engine.ts';

/**
 * One schema for two engines. At run time these build tables of the engine this process uses; to the compiler they are
 * SQLite's, whose query builder is the smaller of the two, so what type-checks exists on both.
 *
 * Times are epoch milliseconds in 64-bit integers and JSON is text on both engines: the same bytes come back, key order
 * included, and no driver rounds a time.
 */
const postgres = engine() === 'postgres';

const either = <S>(forSqlite: S, forPostgres: unknown): S => (postgres ? (forPostgres as S) : forSqlite);

export const table = either(sqlite.sqliteTable, pg.pgTable);
export const index = either(sqlite.index, pg.index);
export const uniqueIndex = either(sqlite.uniqueIndex, pg.uniqueIndex);
export const primaryKey = either(sqlite.primaryKey, pg.primaryKey);

/** A number that the database gives out, never twice: a deleted record's id is not used again. */
export const id = either(
  (name: string) => sqlite.integer(name).primaryKey({ autoIncrement: true }),
  (name: string) => pg.bigint(name, { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
);

export const text = either(
  (name: string) => sqlite.text(name),
  (name: string) => pg.text(name),
);

/** A whole number up to 2^53-1. */
export const int = either(
  (name: string) => sqlite.integer(name),
  (name: string) => pg.bigint(name, { mode: 'number' }),
);

export const bool = either(
  (name: string) => sqlite.integer(name, { mode: 'boolean' }),
  (name: string) => pg.boolean(name),
);

/** Epoch milliseconds. */
export const time = int;

const jsonText = {
  dataType: () => 'text',
  toDriver: JSON.stringify,
  fromDriver: (text: unknown) => JSON.parse(String(text)) as unknown,
};

/** Any JSON value, kept as the text it was written with. */
export const json = <T>(name: string) =>
  either(
    sqlite.customType<{ data: T; driverData: string }>(jsonText as never)(name),
    postgres ? pg.customType<{ data: T; driverData: string }>(jsonText as never)(name) : undefined,
  );

/** `count(*)` as a number: PostgreSQL's driver gives it as text. */
export const countRows = () => sql<number>`count(*)`.mapWith(Number);

/**
 * Where a text stands in another, from 1 on; 0: nowhere. For searches instead of LIKE, which tries a pattern of 255 letters anew at
 * each place of a long text.
 */
export const positionIn = (whole: sqlite.AnySQLiteColumn | SQL, part: SQL | string): SQL<number> =>
  postgres ? sql<number>`strpos(${whole}, ${part})` : sql<number>`instr(${whole}, ${part})`;
