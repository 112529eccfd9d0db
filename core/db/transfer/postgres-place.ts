import type { SQL } from 'bun';
import type { PostgresLocation } from '../query/db.ts';
import { listApplied, type Applied } from '../ledger/ledger.ts';
import { connectOnce } from '../postgres/postgres-connection.ts';
import { usualName } from '../postgres/postgres-options.ts';
import { parsePostgresUrl, hostNamesOf } from '../postgres/postgres-url.ts';
import { arrayText, insertStatement, pageStatement } from './page-statement.ts';
import type { TransferSource, Target } from './place.ts';
import {
  transferConflictOf,
  rowKeyText,
  progressOf,
  progressStatements,
  type ProgressRow,
} from './progress-table.ts';
import type { Value } from './row-checksum.ts';
import type { ColumnKind, TableDescription } from './table-description.ts';

const statements = progressStatements('postgres');

/** One connection without limits of time: a page of a slow server may take longer than the limit of a request. */
const connected = (location: PostgresLocation) => connectOnce(location, 'trivet transfer');

/** Opens a database for reading only. @throws as {@link connectOnce}. */
export const openPostgresSource = async (location: PostgresLocation): Promise<TransferSource> =>
  reading(await connected(location), location);

/** Opens a migrated database to be written by a transfer. @throws as {@link connectOnce}. */
export async function openPostgresTarget(location: PostgresLocation): Promise<Target> {
  const client = await connected(location);
  return {
    ...reading(client, location),
    begin: (source, tables) =>
      client.begin(async (tx) => {
        for (const { name } of tables) await tx.unsafe(statements.begin, [name, source]);
      }),
    write: (table, rows, from, to) =>
      client.begin(async (tx) => {
        const step = [table.name, rowKeyText(from.lastKey), rowKeyText(to.lastKey), Number(to.done)];
        const [moved] = await tx.unsafe<unknown[]>(statements.advance, step);
        if (moved === undefined) throw transferConflictOf(table.name);
        if (rows.length === 0) return;
        const columns = table.columns.map((_, index) => arrayText(rows, index));
        await tx.unsafe(insertStatement('postgres', table), columns);
      }),
    setLastId: async (table, lastId) => {
      if (table.identity === null || lastId === 0) return;
      await client.unsafe('SELECT setval(pg_get_serial_sequence($1::text, $2::text), $3::text::bigint)', [
        `"${table.name}"`,
        table.identity,
        String(lastId),
      ]);
    },
    clear: async (tables) => {
      if (tables.length === 0) return;
      await client.begin(async (tx) => {
        await tx.unsafe(`TRUNCATE ${tables.map(({ name }) => `"${name}"`).join(', ')}`);
        for (const { name } of tables) await tx.unsafe(statements.reset, [name]);
      });
    },
    finish: () =>
      client.begin(async (tx) => {
        for (const statement of statements.finish) await tx.unsafe(statement);
      }),
  };
}

/** Servers, database and schema, without the login. */
function nameOf({ url }: PostgresLocation): string {
  const place = parsePostgresUrl(url);
  const schema = place.parameters['search_path'];
  const database = place.database ?? place.username ?? 'postgres';
  return `postgres://${hostNamesOf(place).replaceAll(', ', ',')}/${database}${schema === undefined ? '' : `?search_path=${schema}`}`;
}

/** Whether a session with the usual name belongs to the servers of this place: not that of a pooler, or of another schema. */
const showsSessions = ({ url, limits }: PostgresLocation): boolean =>
  limits?.pooler !== true && parsePostgresUrl(url).parameters['search_path'] === undefined;

function reading(client: SQL, location: PostgresLocation): TransferSource {
  const name = nameOf(location);
  let inSnapshot = false;
  const exists = async (table: string) => {
    const [found] = await client.unsafe<Array<{ name: string | null }>>(
      'SELECT to_regclass($1::text)::text AS name',
      [table],
    );
    return found?.name != null;
  };
  return {
    engine: 'postgres',
    name,
    tables: async () => {
      const rows = await client<Array<{ name: string }>>`
        SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`;
      return rows.map((row) => row.name);
    },
    applied: async () => ((await exists('trivet_migrations')) ? client.unsafe<Applied[]>(listApplied) : []),
    progress: async () =>
      (await exists('trivet_transfer'))
        ? (await client.unsafe<ProgressRow[]>(statements.list)).map(progressOf)
        : [],
    sessions: async () => {
      if (!showsSessions(location)) return 0;
      // A transaction sees the sessions of its first look.
      if (inSnapshot) await client.unsafe('SELECT pg_stat_clear_snapshot()');
      const [found] = await client.unsafe<Array<{ n: number }>>(
        `SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`,
        [usualName],
      );
      return found?.n ?? 0;
    },
    snapshot: async () => {
      if (inSnapshot) await client.unsafe('COMMIT');
      await client.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      inSnapshot = true;
    },
    count: async (table) => {
      const [found] = await client.unsafe<Array<{ n: string }>>(`SELECT count(*) AS n FROM "${table.name}"`);
      return Number(found?.n ?? 0);
    },
    page: async (table, after) => {
      const rows: readonly Value[][] = await client
        .unsafe(pageStatement('postgres', table, after === null), (after ?? []).map(String))
        .values();
      // The client returns large numbers as texts. Those above 2^53 are refused by the checksum.
      return rows.map((row) =>
        row.map((value, index) =>
          value !== null && isNumber(table.columns[index]?.kind) ? Number(value) : value,
        ),
      );
    },
    lastId: (table) => lastIdOf(client, table),
    close: () => client.close({ timeout: 5 }),
  };
}

const isNumber = (kind: ColumnKind | undefined) => kind === 'int' || kind === 'bool';

/** The larger of what the sequence has assigned and the largest id: rows may have been written with ids of their own. */
async function lastIdOf(client: SQL, { name, identity }: TableDescription): Promise<number> {
  if (identity === null) return 0;
  const [sequence] = await client.unsafe<Array<{ name: string | null }>>(
    'SELECT pg_get_serial_sequence($1::text, $2::text) AS name',
    [`"${name}"`, identity],
  );
  if (sequence?.name == null) return 0;
  const [found] = await client.unsafe<Array<{ last: string }>>(
    `SELECT greatest(CASE WHEN is_called THEN last_value ELSE last_value - 1 END,
      (SELECT coalesce(max("${identity}"), 0) FROM "${name}")) AS last FROM ${sequence.name}`,
  );
  return Number(found?.last ?? 0);
}
