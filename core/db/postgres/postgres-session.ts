import {
  Column,
  fillPlaceholders,
  getTableName,
  is,
  SQL,
  Subquery,
  type Query as BuiltQuery,
} from 'drizzle-orm';
import {
  PgDatabase,
  PgDialect,
  PgPreparedQuery,
  PgSession,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
} from 'drizzle-orm/pg-core';
import type { Query } from '../query/db.ts';

/** What runs a statement: a pool, or one connection of it. */
export interface PostgresConnection {
  /** @param values texts, or null; PostgreSQL converts each to the type that the statement needs in its place. */
  send(text: string, values: readonly (string | null)[]): Promise<PostgresAnswer>;
}

export interface PostgresAnswer extends ReadonlyArray<readonly unknown[]> {
  /** The command tag of PostgreSQL, e.g. `COMMIT`. */
  readonly command?: string;
}

type Mapper = (row: readonly unknown[]) => unknown;

const dialect = new PgDialect();

class Session extends PgSession {
  constructor(
    dialect: PgDialect,
    readonly connection: PostgresConnection,
  ) {
    super(dialect);
  }

  prepareQuery<T extends PreparedQueryConfig>(
    query: BuiltQuery,
    fields: SelectedFieldsOrdered | undefined,
    _name: string | undefined,
    _isArray: boolean,
    mapRows?: (rows: unknown[][]) => T['execute'],
  ): PgPreparedQuery<T> {
    return new Statement<T>(this.connection, query, fields, mapRows);
  }

  transaction(): never {
    throw new Error('use tx() of the database');
  }
}

/**
 * A statement whose text is built. drizzle's own sessions cache a statement per connection, so each transaction, which gets another
 * connection, would build it again: 1.7 ms for the five statements of a page of tests (measured).
 */
export class Statement<T extends PreparedQueryConfig = PreparedQueryConfig> extends PgPreparedQuery<T> {
  /** Set by drizzle after construction: which joined tables may be absent. */
  declare joinsNotNullableMap?: Record<string, boolean>;
  #mapper: Mapper | undefined;

  constructor(
    readonly connection: PostgresConnection,
    readonly built: BuiltQuery,
    readonly fields: SelectedFieldsOrdered | undefined,
    readonly mapRows: ((rows: unknown[][]) => T['execute']) | undefined,
  ) {
    super(built, undefined, undefined);
  }

  execute(values: Record<string, unknown> = {}): Promise<T['execute']> {
    return this.executeOn(this.connection, values);
  }

  async executeOn(connection: PostgresConnection, values: Record<string, unknown>): Promise<T['execute']> {
    const { sql, params } = this.built;
    const rows = await connection.send(sql, fillPlaceholders(params, values).map(asText));
    if (this.mapRows) return this.mapRows(rows as unknown[][]);
    if (!this.fields) return [];
    this.#mapper ??= rowMapper(this.fields, this.joinsNotNullableMap);
    return rows.map(this.#mapper);
  }
}

/** The query builder on a connection. */
export const queryOn = (connection: PostgresConnection): Query =>
  new PgDatabase(dialect, new Session(dialect, connection), undefined) as unknown as Query;

/** A query builder for statements that are built once and run on any connection: {@link Statement.executeOn}. */
export const detachedQuery: Query = queryOn({
  send: () => Promise.reject(new Error('a prepared statement was run without a connection')),
});

/** A value as the text that PostgreSQL parses; numbers and booleans have no type of their own then, so indexes fit them. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return arrayText(value);
  return String(value);
}

/** An array literal (postgresql.org/docs/current/arrays.html §8.15.6). */
const arrayText = (values: readonly unknown[]): string => `{${values.map(elementText).join(',')}}`;

function elementText(value: unknown): string {
  const text = asText(value);
  if (text === null) return 'NULL';
  return typeof value === 'number' ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

type Decoder = (value: unknown) => unknown;

/** How a selected column or expression decodes a value of the driver. */
function decoderOf(field: SelectedFieldsOrdered[number]['field']): Decoder {
  const source: unknown = is(field, Column)
    ? field
    : is(field, SQL)
      ? inner(field, 'decoder')
      : is(field, Subquery)
        ? inner(field._.sql, 'decoder')
        : inner(field.sql, 'decoder');
  const decode = inner(source, 'mapFromDriverValue');
  return typeof decode === 'function' ? (value) => decode.call(source, value) as unknown : (value) => value;
}

/** drizzle declares its decoders as internal; its own sessions use them the same way. */
const inner = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/**
 * Turns a row into an object. The columns are determined once per statement, not per row. A joined table without a row (all of its columns
 * are null) becomes null.
 */
function rowMapper(fields: SelectedFieldsOrdered, joins: Record<string, boolean> | undefined): Mapper {
  const columns = fields.map(({ path, field }) => ({
    group: path.length > 1 ? path[0] : undefined,
    name: path.at(-1) ?? '',
    table: is(field, Column) ? getTableName(field.table) : undefined,
    decode: decoderOf(field),
  }));
  const groups = [...new Set(columns.flatMap(({ group }) => group ?? []))];
  const optional = groups.filter((name) => {
    const [table, ...others] = new Set(columns.filter(({ group }) => group === name).map((c) => c.table));
    return table !== undefined && others.length === 0 && joins?.[table] === false;
  });
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const group of groups) result[group] = {};
    for (const [i, { group, name, decode }] of columns.entries()) {
      const raw = row[i];
      const value = raw === null ? null : decode(raw);
      if (group === undefined) result[name] = value;
      else (result[group] as Record<string, unknown>)[name] = value;
    }
    for (const group of optional) {
      if (Object.values(result[group] as object).every((member) => member === null)) result[group] = null;
    }
    return result;
  };
}
