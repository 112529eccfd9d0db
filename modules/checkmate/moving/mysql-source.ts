import { SQL, type ReservedSQL } from 'bun';
import { UsageError } from '../../../core/base/errors.ts';
import type { ShowProgress } from '../../../core/module/command.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { checkmateTables, tableNames, type CheckmateTable, type TableName } from './checkmate-table.ts';
import { requireTables, type SourceNotes } from './dump-source.ts';
import { tableCalled, type Stage } from './stage.ts';

/** Rows that are read at once. A test may have 600 KiB of texts. */
const rowsPerPage = 250;
/** Rows without long texts. */
const shortRowsPerPage = 2_000;

/**
 * Reads a database of MySQL or MariaDB, in one read-only transaction, in pages by the key of each table.
 * @throws UsageError that says why it cannot be read, never with the password.
 */
export async function stageMysql(url: string, stage: Stage, show: ShowProgress): Promise<SourceNotes> {
  const sql = new SQL(url, { max: 1, connectionTimeout: 15, idleTimeout: 0 });
  try {
    const connection = await sql.reserve();
    try {
      await readAll(connection, stage, show);
    } finally {
      connection.release();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--mysql: ${reasonOf(error)} Nothing was imported.`);
  } finally {
    await sql.close({ timeout: 0 }).catch(() => {});
  }
  return { isUtc: true };
}

async function readAll(connection: ReservedSQL, stage: Stage, show: ShowProgress): Promise<void> {
  await connection.unsafe('start transaction with consistent snapshot, read only');
  const found = await columnsOf(connection);
  requireTables(new Map([...found].map(([name, { columns }]) => [name, columns])), '--mysql');
  let done = 0;
  for (const name of tableNames) {
    const there = found.get(name);
    if (there) await readTable(connection, name, there, stage);
    show(++done, tableNames.length, `read the table ${name}`);
  }
  await connection.unsafe('rollback');
  stage.close();
}

interface Found {
  /** As this server calls it. */
  readonly called: string;
  readonly columns: Set<string>;
}

async function columnsOf(connection: ReservedSQL): Promise<ReadonlyMap<TableName, Found>> {
  const rows: ReadonlyArray<{ readonly t: string; readonly c: string }> = await connection.unsafe(
    'select table_name as t, column_name as c from information_schema.columns where table_schema = database()',
  );
  const found = new Map<TableName, Found>();
  for (const { t, c } of rows) {
    const name = tableCalled(String(t));
    if (!name) continue;
    const one = found.get(name) ?? { called: String(t), columns: new Set<string>() };
    one.columns.add(String(c));
    found.set(name, one);
  }
  return found;
}

async function readTable(
  connection: ReservedSQL,
  name: TableName,
  { called, columns: there }: Found,
  stage: Stage,
): Promise<void> {
  const { key, columns }: CheckmateTable = checkmateTables[name];
  const read = Object.entries(columns).filter(([column]) => there.has(column));
  // Numbers, so that no time zone of the session or of the driver changes a time.
  const list = read.map(([column, kind]) =>
    kind === 'time'
      ? `cast(unix_timestamp(\`${column}\`) as signed) * 1000 as \`${column}\``
      : `\`${column}\``,
  );
  const names = key.map((column) => `\`${column}\``).join(', ');
  const [first = '', second] = key;
  // MySQL reads a comparison of two columns at once without the index.
  const isAfter =
    second === undefined
      ? `\`${first}\` > ?`
      : `\`${first}\` >= ? and (\`${first}\` > ? or \`${second}\` > ?)`;
  const limit = Object.keys(columns).length > 10 ? rowsPerPage : shortRowsPerPage;
  const text = `select ${list.join(', ')} from \`${called}\` where ${isAfter}
    order by ${names} limit ${limit}`;
  for (let after: readonly [number, number] = [-1, -1]; ;) {
    const values = second === undefined ? [after[0]] : [after[0], ...after];
    const rows: ReadonlyArray<Record<string, unknown>> = await connection.unsafe(text, values);
    for (const row of rows) stage.add(name, row);
    const last = rows.at(-1);
    if (!last || rows.length < limit) return;
    after = [Number(last[first]), Number(last[second ?? first])];
    if (turnIsOver()) await nextTurn();
  }
}

/** Why a database cannot be read. Messages of the server contain no password. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : 'it cannot be read';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/REFUSED|TIMEOUT|CLOSED|ENOTFOUND|Failed to connect/i.test(`${code} ${message}`))
    return `the server cannot be reached (${message}). Check the host and the port.`;
  return `${message.slice(0, 300)}.`;
}
