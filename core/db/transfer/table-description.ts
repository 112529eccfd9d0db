import { is, Table } from 'drizzle-orm';
import * as pg from 'drizzle-orm/pg-core';
import * as sqlite from 'drizzle-orm/sqlite-core';

/** A whole number up to 2^53-1, a text, bytes, which a page holds in hexadecimal digits, or a boolean, which is 0 or 1 outside PostgreSQL. */
export type ColumnKind = 'int' | 'text' | 'bool' | 'bytes';

export interface ColumnDescription {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table without its engine: a process builds tables for one engine, and a transfer needs two. */
export interface TableDescription {
  readonly name: string;
  readonly columns: readonly ColumnDescription[];
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** The column whose numbers the database assigns. */
  readonly identity: string | null;
  /** The tables that its rows refer to. */
  readonly references: readonly string[];
}

/**
 * Describes the tables of modules, whichever engine they were built for. Values that are not tables are left out, because a module may
 * declare its whole schema file.
 * @returns each table after those that it refers to.
 * @throws Error for a table without a primary key and for an unsupported column type.
 */
export function describeTables(declared: readonly object[]): readonly TableDescription[] {
  const tables = declared.filter((value): value is Table => is(value, Table)).map(describe);
  return referencedFirst([...new Map(tables.map((table) => [table.name, table])).values()]);
}

function describe(table: Table): TableDescription {
  const { name, columns, primaryKeys, foreignKeys } = configOf(table);
  const [composite] = primaryKeys;
  const key = (composite?.columns ?? columns.filter(({ primary }) => primary)).map((column) => column.name);
  if (key.length === 0) throw new Error(`the table "${name}" has no primary key, which a transfer goes by`);
  const references = foreignKeys.map((each) => configOf(each.reference().foreignTable).name);
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, kind: kindOf(name, column) })),
    key,
    identity: columns.find(isIdentity)?.name ?? null,
    references: [...new Set(references)].filter((other) => other !== name),
  };
}

function configOf(table: Table) {
  if (is(table, sqlite.SQLiteTable)) return sqlite.getTableConfig(table);
  if (is(table, pg.PgTable)) return pg.getTableConfig(table);
  throw new Error('a table of neither engine');
}

type Column = ReturnType<typeof configOf>['columns'][number];

function kindOf(table: string, column: Column): ColumnKind {
  if (column.dataType === 'boolean') return 'bool';
  const type = column.getSQLType();
  if (type === 'text') return 'text';
  if (type === 'blob' || type === 'bytea') return 'bytes';
  if (type === 'integer' || type === 'bigint') return 'int';
  throw new Error(
    `the column "${table}.${column.name}" is of the type ${type}, which a transfer cannot copy`,
  );
}

const isIdentity = (column: Column): boolean =>
  is(column, sqlite.SQLiteInteger)
    ? column.autoIncrement
    : 'generatedIdentity' in column && !!column.generatedIdentity;

/** Each table after those that it refers to. @throws Error when tables refer to each other in a circle. */
export function referencedFirst<T extends Pick<TableDescription, 'name' | 'references'>>(
  tables: readonly T[],
): readonly T[] {
  const ordered: T[] = [];
  const left = new Set(tables);
  while (left.size > 0) {
    const waiting = new Set([...left].map(({ name }) => name));
    const next = [...left].filter(({ references }) => !references.some((name) => waiting.has(name)));
    if (next.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...waiting].join(', ')}`);
    for (const table of next) left.delete(table);
    ordered.push(...next);
  }
  return ordered;
}

/** The named tables and all tables that refer to them, directly or not; children first, the order in which rows can be deleted. */
export function withDependents(
  tables: readonly TableDescription[],
  names: ReadonlySet<string>,
): readonly TableDescription[] {
  const affected = new Set(names);
  for (const { name, references } of referencedFirst(tables))
    if (references.some((other) => affected.has(other))) affected.add(name);
  return referencedFirst(tables)
    .filter(({ name }) => affected.has(name))
    .toReversed();
}

/**
 * Tables that migrations created and no loaded module declares: a transfer would leave their rows behind.
 * @param existing the tables of the source. All others there belong to other programs.
 */
export function undeclaredTables(
  existing: readonly string[],
  migrations: ReadonlyArray<{ readonly sql: string }>,
  declared: readonly TableDescription[],
): readonly string[] {
  const created = migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/create table (?:if not exists )?["`]?(\w+)/gi)].map(([, name = '']) => name),
  );
  const known = new Set(declared.map(({ name }) => name));
  return [...new Set(created)].filter((name) => existing.includes(name) && !known.has(name));
}
