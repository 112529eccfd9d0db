import { and, eq, gte, lte, or, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { SqlValue } from './field-kinds/field-sql.ts';
import type { Interval, QueryScope } from './field-kinds/field-value.ts';
import type { Condition } from './query-check.ts';

/** Where a query is asked, and by whom. */
export interface QueryPlace {
  readonly scope: QueryScope;
  readonly projectId: number;
  readonly userId: number;
  /** Organizations whose members a person may be. */
  readonly orgIds: readonly number[];
  /** The condition that the rows are found by; all others are looked at row by row. */
  readonly driver?: Condition;
  /** The ids of the tests that are looked at, if not all are at once. */
  readonly range?: IdRange;
}

/** Ids after one, up to another. */
export interface IdRange {
  readonly after: SQL;
  readonly to: SQL;
}

export const inRange = (column: AnySQLiteColumn, { after, to }: IdRange): SQL =>
  sql`${column} > ${after} and ${column} <= ${to}`;

export const anyOf = (parts: ReadonlyArray<SQL | undefined>): SQL => or(...parts) ?? sql`false`;

/** Whether a value is in one of these intervals. */
export const within = (value: SqlValue, any: readonly Interval[]): SQL =>
  anyOf(any.map((interval) => inInterval(value as AnySQLiteColumn, interval)));

const inInterval = (value: AnySQLiteColumn, { least, most }: Interval): SQL =>
  (least !== null && least === most ? eq(value, least) : undefined) ??
  and(least === null ? undefined : gte(value, least), most === null ? undefined : lte(value, most)) ??
  sql`true`;
