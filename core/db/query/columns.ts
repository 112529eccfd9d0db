import { sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import * as sqlite from 'drizzle-orm/sqlite-core';
import { engine } from './engine.ts';
import type * as PostgresColumns from './postgres-columns.ts';
import type { LockStrength } from './postgres-columns.ts';

/**
 * One schema for two engines. At run time these functions build tables of the engine of this process. To the compiler they are
 * SQLite's, whose query builder is the smaller of the two, so code that type-checks works on both.
 *
 * On both engines times are epoch milliseconds in 64-bit integers and JSON is text: the same bytes come back, key order included,
 * and no driver rounds a time.
 */
// Tables are built while modules load, which cannot wait for an import().
const postgres =
  engine() === 'postgres'
    ? (require('./postgres-columns.ts') as typeof PostgresColumns).postgresColumns
    : undefined;

const either = <S>(forSqlite: S, forPostgres: unknown): S => (postgres ? (forPostgres as S) : forSqlite);

/**
 * A table; its name begins with the module's.
 * @example const entries = table('notes_entries', { id: id('id'), text: text('text').notNull() });
 */
export const table = either(sqlite.sqliteTable, postgres?.table);
/** @example (t) => [index('notes_entries_by_time').on(t.createdAt)] */
export const index = either(sqlite.index, postgres?.index);
/** @example (t) => [uniqueIndex('notes_entries_title').on(t.title)] */
export const uniqueIndex = either(sqlite.uniqueIndex, postgres?.uniqueIndex);
/**
 * Indexes that PostgreSQL would not use, so that it does not have to maintain them.
 * @example (t) => onSqlite(index('notes_entries_all').on(t.userId, t.createdAt, t.title))
 */
export const onSqlite = <I>(...indexes: I[]): I[] => either(indexes, []);
/**
 * Indexes that SQLite would not use.
 * @example (t) => onPostgres(index('notes_entries_changed').on(t.updatedAt))
 */
export const onPostgres = <I>(...indexes: I[]): I[] => either([], indexes);
/** @example (t) => [primaryKey({ columns: [t.noteId, t.userId] })] */
export const primaryKey = either(sqlite.primaryKey, postgres?.primaryKey);

/**
 * A number that the database assigns. The id of a deleted row is not used again.
 * @example id('id')
 */
export const id = either(
  (name: string) => sqlite.integer(name).primaryKey({ autoIncrement: true }),
  postgres?.id,
);

/** @example text('title').notNull() */
export const text = either((name: string) => sqlite.text(name), postgres?.text);

/**
 * A whole number up to 2^53-1.
 * @example int('org_id').notNull()
 */
export const int = either((name: string) => sqlite.integer(name), postgres?.int);

/** @example bool('is_active').notNull() */
export const bool = either((name: string) => sqlite.integer(name, { mode: 'boolean' }), postgres?.bool);

/**
 * Epoch milliseconds.
 * @example time('created_at').notNull()
 */
export const time = int;

const jsonText = {
  dataType: () => 'text',
  toDriver: JSON.stringify,
  fromDriver: (text: unknown) => JSON.parse(String(text)) as unknown,
};

/**
 * Any JSON value, stored as text, which keeps the order of keys.
 * @example json<readonly string[]>('tags').notNull()
 */
export const json = <T>(name: string) =>
  either(
    sqlite.customType<{ data: T; driverData: string }>(jsonText as never)(name),
    postgres?.customType<{ data: T; driverData: string }>(jsonText as never)(name),
  );

/**
 * Bytes as they are: a BLOB, or bytea.
 * @example bytes('content').notNull()
 */
export const bytes = (name: string) =>
  either(
    sqlite.customType<{ data: Uint8Array; driverData: unknown }>({
      dataType: () => 'blob',
      fromDriver: asBytes,
    })(name),
    postgres?.customType<{ data: Uint8Array; driverData: unknown }>({
      dataType: () => 'bytea',
      // Every value goes to PostgreSQL as a text.
      toDriver: (value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}`,
      fromDriver: asBytes,
    })(name),
  );

function asBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  const text = String(value);
  return Buffer.from(text.startsWith('\\x') ? text.slice(2) : text, 'hex');
}

/**
 * `count(*)` as a number: PostgreSQL's driver returns it as text.
 * @example q.select({ count: countRows() }).from(entries)
 */
export const countRows = () => sql<number>`count(*)`.mapWith(Number);

/**
 * The whole numbers of a column in one text, with a comma between two; null without rows. In no particular order.
 * @example q.select({ ids: joinedIds(links.noteId) }).from(links)
 */
export const joinedIds = (column: sqlite.AnySQLiteColumn | SQL): SQL<string | null> =>
  postgres
    ? sql<string | null>`string_agg(cast(${column} as text), ',')`
    : sql<string | null>`group_concat(${column})`;

/**
 * The position of one text in another, from 1; 0 if absent. Use it for searches: LIKE would try a pattern of 255 letters at each position
 * of a long text.
 * @example q.select().from(entries).where(sql`${positionIn(entries.text, word)} > 0`)
 */
export const positionIn = (whole: sqlite.AnySQLiteColumn | SQL, part: SQL | string): SQL<number> =>
  postgres ? sql<number>`strpos(${whole}, ${part})` : sql<number>`instr(${whole}, ${part})`;

/**
 * Sorts a text by its code points, as SQLite does. A PostgreSQL has an order of its own, `a` before `B` for most, so a list would change when
 * its database moves.
 * @example q.select().from(entries).orderBy(byCodePoint(entries.title))
 */
export const byCodePoint = (text: sqlite.AnySQLiteColumn | SQL): SQL =>
  postgres ? sql`${text} collate "C"` : sql`${text}`;

/**
 * A text with A to Z in lower case and all other characters unchanged, like SQLite's `lower` and PostgreSQL's in the locale C, which takes
 * a tenth of the time.
 * @example q.select().from(entries).where(sql`${lowerAscii(entries.text)} = 'a'`)
 */
export const lowerAscii = (text: sqlite.AnySQLiteColumn | SQL): SQL<string> =>
  postgres ? sql<string>`lower(${text} collate "C")` : sql<string>`lower(${text})`;

/**
 * The same, and each of these letters beyond ASCII in lower case. Each one takes a replacement in the whole text.
 * @example q.select().from(entries).where(sql`${lowerLetters(entries.text, [{ capital: 'Ü', small: 'ü' }])} = 'übung'`)
 */
export const lowerLetters = (
  text: sqlite.AnySQLiteColumn | SQL,
  letters: ReadonlyArray<{ readonly capital: string; readonly small: string }>,
): SQL =>
  letters.reduce<SQL>(
    (whole, { capital, small }) => sql`replace(${whole}, ${capital}, ${small})`,
    lowerAscii(text),
  );

/*
 * Row locks of PostgreSQL, held until the transaction ends (postgresql.org/docs/current/explicit-locking.html §13.3.2); readers are never
 * blocked. On SQLite, where transactions run one after the other, each is the select itself. Every transaction locks in the same order
 * (docs/decisions/postgres.md), so that there are no deadlocks.
 */

/**
 * Locks rows that the transaction changes, or whose children it changes.
 * @param of in a join: the table whose rows are locked.
 * @example const [note] = await forUpdate(q.select().from(entries).where(eq(entries.id, 7)));
 */
export const forUpdate = <S extends object>(select: S, of?: sqlite.SQLiteTable): S =>
  locked(select, 'no key update', of);

/**
 * Excludes {@link forExclusive}: for work below a row that may run concurrently with other work below it.
 * @example const [note] = await forKeyShare(q.select().from(entries).where(eq(entries.id, 7)));
 */
export const forKeyShare = <S extends object>(select: S, of?: sqlite.SQLiteTable): S =>
  locked(select, 'key share', of);

/**
 * Locks rows against every other lock: for a change after which all work below them has to stop.
 * @example const [note] = await forExclusive(q.select().from(entries).where(eq(entries.id, 7)));
 */
export const forExclusive = <S extends object>(select: S): S => locked(select, 'update');

function locked<S extends object>(select: S, strength: LockStrength, of?: sqlite.SQLiteTable): S {
  return postgres ? (postgres.locked(select, strength, of) as S) : select;
}

/**
 * 1 when the select finds rows; otherwise PostgreSQL aborts the transaction and SQLite returns null. For a pipeline, whose later statements
 * are sent before the result of this one is read.
 * @example q.select({ held: heldRows() }).from(entries).where(isNull(entries.lockedAt))
 */
export const heldRows = () => sql<number | null>`1 / count(*)`.mapWith(Number);

/**
 * Whether a column is one of the values of a subquery. PostgreSQL evaluates the subquery first: without statistics it would join it with
 * the whole table.
 * @example q.select().from(entries).where(amongSelected(entries.id, q.select({ id: links.noteId }).from(links)))
 */
export const amongSelected = (column: sqlite.AnySQLiteColumn | SQL, subquery: SQLWrapper): SQL =>
  postgres ? sql`${column} = any(array(${subquery}))` : sql`${column} in (${subquery})`;

/**
 * Whether a column is in a list that a prepared statement gets as one value, {@link listValue}: lists of every length share the statement.
 * @example q.select().from(entries).where(inList(entries.id, 'ids'))
 */
export const inList = (column: sqlite.AnySQLiteColumn, name: string): SQL =>
  postgres
    ? sql`${column} = any(${sql.placeholder(name)})`
    : sql`${column} in (select value from json_each(${sql.placeholder(name)}))`;

/**
 * The value of a list for {@link inList}.
 * @example notesById(q, { ids: listValue([1, 2]) })
 */
export const listValue = (values: Iterable<number>): unknown =>
  postgres ? [...values] : JSON.stringify([...values]);

/**
 * The rows of a list that a prepared statement gets as one value, {@link rowsValue}: separate parameters cost most of the time of an
 * INSERT. {@link listedText} and {@link listedInt} read a row, named `listed.item`.
 * @example q.insert(entries).select(sql`select ${listedInt(0)}, ${listedText(1)} from ${listedRows('rows')}`)
 */
export const listedRows = (name: string): SQL => rowsFrom(sql`${sql.placeholder(name)}`);

/**
 * {@link listedRows} for a statement that is built for these rows.
 * @example q.update(entries).set({ title: listedText(1) }).from(givenRows([[7, 'a']])).where(eq(entries.id, listedInt(0)))
 */
export const givenRows = (rows: ListedRows): SQL => rowsFrom(sql`${rowsValue(rows)}`);

const rowsFrom = (rows: SQL): SQL =>
  postgres
    ? sql`jsonb_array_elements(cast(cast(${rows} as text) as jsonb)) as listed(item)`
    : sql`(select value as item from json_each(${rows})) as listed`;

/**
 * The text at a position of a row of {@link listedRows}, from 0.
 * @example sql`select ${listedText(1)} from ${listedRows('rows')}`
 */
export const listedText = (position: number): SQL => sql`listed.item ->> ${sql.raw(String(position))}`;

/**
 * The number at a position of a row of {@link listedRows}, from 0.
 * @example sql`select ${listedInt(0)} from ${listedRows('rows')}`
 */
export const listedInt = (position: number): SQL => sql`cast(${listedText(position)} as bigint)`;

/**
 * The value of a list of rows for {@link listedRows}.
 * @example add(q, { rows: rowsValue([[1, 'a'], [2, null]]) })
 */
export const rowsValue = (rows: ListedRows): string => JSON.stringify(rows);

type ListedRows = ReadonlyArray<readonly (string | number | null)[]>;

/**
 * Whether a column is one of many values, which the statement gets as one parameter.
 * @example q.select().from(entries).where(inValues(entries.id, [1, 2]))
 */
export const inValues = (column: sqlite.AnySQLiteColumn | SQL, values: readonly number[]): SQL =>
  postgres
    ? sql`${column} = any(${`{${values.join()}}`})`
    : sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;

/**
 * The id that the last INSERT of this transaction got, for a statement that is sent before the INSERT has returned. null where RETURNING
 * must be used: on SQLite this costs no round trip, and each row that a statement inserts changes the last id.
 * @example q.insert(links).values({ noteId: lastIdOf('notes_entries') ?? id })
 */
export const lastIdOf = (name: string): SQL<number> | null =>
  postgres ? sql<number>`currval(pg_get_serial_sequence(${sql.raw(`'${name}'`)}, 'id'))` : null;

/**
 * Whether a statement blocks the event loop while it runs: SQLite works in this process.
 * @example if (blocksWhileItRuns) await partsInTurns(ids, 1_000);
 */
export const blocksWhileItRuns = !postgres;

/**
 * A stored JSON object with the members of another one, in which null deletes a member (RFC 7396, without nested objects); null for none.
 * @example update.set({ tags: mergedJson(entries.tags, sql`excluded.tags`) })
 */
export const mergedJson = (stored: sqlite.AnySQLiteColumn | SQL, given: SQL): SQL<never> =>
  postgres
    ? sql`nullif(cast(jsonb_strip_nulls(cast(coalesce(${stored}, '{}') as jsonb) || cast(${given} as jsonb)) as text), '{}')`
    : sql`nullif(json_patch(coalesce(${stored}, '{}'), ${given}), '{}')`;

/** The ways to read a member of a stored JSON object; each is null where there is none of its type. `name` is a word without quotes. */
export interface JsonMember {
  readonly isThere: SQL;
  readonly text: SQL;
  readonly number: SQL;
  /** 1 or 0. */
  readonly truth: SQL;
  /**
   * Whether it is a text, or a list with a text, that is `small`, whatever the case of its letters ({@link lowerLetters}). PostgreSQL lowers
   * the stored object as a whole: the escapes of JSON mean the same in small letters.
   */
  isOrHas(searched: { readonly small: string; readonly pairs: Parameters<typeof lowerLetters>[1] }): SQL;
}

/**
 * A member of a stored JSON object. PostgreSQL parses the text of the object at each place where a statement names it, and a subquery in the
 * condition keeps it from a parallel scan. So each way to read a member names the object once and has no subquery: half of the time.
 * @example where(sql`${jsonMember(entries.tags, 'size').number} > 5`)
 */
export function jsonMember(column: sqlite.AnySQLiteColumn | SQL, name: string): JsonMember {
  if (!/^[a-z][a-z0-9_-]*$/.test(name)) throw new Error(`no name of a member: ${name}`);
  if (postgres) {
    const ofType = (type: string) =>
      sql`jsonb_path_query_first(cast(${column} as jsonb), ${sql.raw(`'strict $."${name}" ? (@.type() == "${type}")'`)}, '{}', true)`;
    const key = sql.raw(`'${name}'`);
    return {
      isThere: sql`(cast(${column} as jsonb) -> ${key})`,
      text: sql`(${ofType('string')} #>> '{}')`,
      number: sql`cast(${ofType('number')} as double precision)`,
      truth: sql`cast(cast(${ofType('boolean')} as boolean) as int)`,
      isOrHas: ({ small, pairs }) =>
        sql`jsonb_exists(cast(${lowerLetters(column, pairs)} as jsonb) -> ${key}, ${small})`,
    };
  }
  const path = sql.raw(`'$."${name}"'`);
  const value = sql`json_extract(${column}, ${path})`;
  const type = sql`json_type(${column}, ${path})`;
  return {
    isThere: type,
    text: sql`(case ${type} when 'text' then ${value} end)`,
    number: sql`(case when ${type} in ('integer', 'real') then ${value} end)`,
    truth: sql`(case ${type} when 'true' then 1 when 'false' then 0 end)`,
    isOrHas: ({ small, pairs }) => sql`case ${type} when 'text' then ${lowerLetters(value, pairs)} = ${small}
      when 'array' then exists (select 1 from json_each(${column}, ${path}) as listed
        where listed.type = 'text' and ${lowerLetters(sql`listed.value`, pairs)} = ${small}) end`,
  };
}
