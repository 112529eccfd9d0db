import type { Engine } from '../query/engine.ts';
import type { Row, Value } from './row-checksum.ts';
import type { ColumnDescription, TableDescription } from './table-description.ts';

/** The maximum rows of one page: one statement reads it, one transaction writes it. */
const pageRows = 5_000;
/** The approximate bytes of text in one page: bounds memory for large rows (a user state has up to 256 KiB). */
export const pageBytes = 2_000_000;

const quoted = (name: string) => `"${name}"`;
const listed = (names: readonly string[]) => names.map(quoted).join(', ');
const namesOf = ({ columns }: TableDescription) => columns.map(({ name }) => name);
const parameter = (engine: Engine, index: number) =>
  engine === 'sqlite' ? `?${index + 1}` : `$${index + 1}`;

/** PostgreSQL gets the values of a key as texts. The cast to the type of the column lets it use the index. */
function keyParameter(engine: Engine, { columns }: TableDescription, name: string, index: number): string {
  const kind = columns.find((column) => column.name === name)?.kind;
  return `${parameter(engine, index)}${engine === 'sqlite' ? '' : kind === 'text' ? '::text' : '::text::bigint'}`;
}

/**
 * Reads the page after a key, in the order of the primary key. Parameters: the values of the key, none for the first page.
 * On PostgreSQL the statement bounds the bytes of the page too; on SQLite the reader stops.
 */
export function pageStatement(engine: Engine, table: TableDescription, first: boolean): string {
  const key = listed(table.key);
  const places = table.key.map((name, index) => keyParameter(engine, table, name, index)).join(', ');
  const after = first ? '' : ` WHERE (${key}) > (${places})`;
  const rest = `FROM ${quoted(table.name)}${after} ORDER BY ${key} LIMIT ${pageRows}`;
  const values = table.columns.map((column) => readColumn(engine, column)).join(', ');
  if (engine === 'sqlite') return `SELECT ${values} ${rest}`;
  const texts = table.columns.filter(({ kind }) => kind === 'text' || kind === 'bytes');
  if (texts.length === 0) return `SELECT ${values} ${rest}`;
  const bytes = texts.map(({ name }) => `coalesce(octet_length(${quoted(name)}), 0)`).join(' + ');
  // Counts the bytes before each row, so that the first row is always included.
  const before = `sum(${bytes}) OVER (ORDER BY ${key} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
  const page = `SELECT ${values}, coalesce(${before}, 0) AS trivet_bytes ${rest}`;
  return `SELECT ${listed(namesOf(table))} FROM (${page}) AS page WHERE trivet_bytes < ${pageBytes} ORDER BY ${key}`;
}

function readColumn(engine: Engine, { name, kind }: ColumnDescription): string {
  const column = quoted(name);
  if (kind === 'bytes')
    return `${engine === 'sqlite' ? `lower(hex(${column}))` : `encode(${column}, 'hex')`} AS ${column}`;
  return kind === 'bool' && engine === 'postgres' ? `${column}::int AS ${column}` : column;
}

/** The key values of a row, after which the next page starts. */
export const rowKeyOf = (table: TableDescription, row: Row): Row =>
  table.key.map((name) => row[table.columns.findIndex((column) => column.name === name)] ?? null);

/**
 * Writes rows. On SQLite it takes one row. On PostgreSQL it takes each column of a page as the text of an array, which is one round
 * trip and has no limit of parameters.
 */
export function insertStatement(engine: Engine, table: TableDescription): string {
  const into = `INSERT INTO ${quoted(table.name)} (${listed(namesOf(table))})`;
  const places = table.columns.map(({ kind }, index) => {
    const place = parameter(engine, index);
    return engine === 'sqlite' && kind === 'bytes' ? `unhex(${place})` : place;
  });
  if (engine === 'sqlite') return `${into} VALUES (${places.join(', ')})`;
  const arrays = table.columns.map((column, index) => `${places[index]}::text::${arrayType(column)}`);
  const rows = `unnest(${arrays.join(', ')})`;
  if (!table.columns.some(({ kind }) => kind === 'bytes')) return `${into} SELECT * FROM ${rows}`;
  const named = table.columns.map((_, index) => `c${index}`);
  const values = table.columns.map(({ kind }, index) =>
    kind === 'bytes' ? `decode(c${index}, 'hex')` : `c${index}`,
  );
  return `${into} SELECT ${values.join(', ')} FROM ${rows} AS t (${named.join(', ')})`;
}

const arrayType = ({ kind }: ColumnDescription) =>
  ({ int: 'bigint[]', text: 'text[]', bool: 'boolean[]', bytes: 'text[]' })[kind];

/** One column of rows as the text of a PostgreSQL array (PostgreSQL documentation, Array Input and Output Syntax). */
export const arrayText = (rows: readonly Row[], column: number): string =>
  `{${rows.map((row) => elementText(row[column] ?? null)).join(',')}}`;

function elementText(value: Value): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  return `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, String.raw`\$&`) : value}"`;
}
