import { and, asc, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { blocksWhileItRuns, countRows, inValues } from '../../../core/db/query/columns.ts';
import type { Page } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { Fault } from '../../../core/base/errors.ts';
import { fail } from '../base/errors.ts';
import { inRange } from './query-place-store.ts';
import type { QuerySource } from './query-source-store.ts';
import { inSteps, stepRange, tooExpensive, wholeRange, type StepValues } from './query-step-store.ts';
import type { AskedQuery, SortValue } from './query-store.ts';

interface Ids {
  readonly total: number;
  readonly ids: readonly number[];
}

/** The whole of a list of ids. */
const everything: Page = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };
/** The last row of a sorted list that can be reached: a sorted page needs every row before it. */
const deepestSortedRow = 10_000;
/** Up to this many rows of a step are sorted by reading them again by id. */
const fewRows = 1_000;

const orderOf = (sort: ReadonlyArray<SortValue>, id: AnySQLiteColumn | SQL): SQL[] => [
  ...sort.flatMap(({ value, optional, descending }) => [
    ...(optional ? [sql`${value} is null`] : []),
    descending ? sql`${value} desc` : sql`${value} asc`,
  ]),
  asc(id),
];

/** Includes the name of its table, which drizzle omits in a select from a single table. */
const numberOf = (column: AnySQLiteColumn) => sql<number | null>`${sql`${column}`}`;

const fromOf = (from: SQL) => from as unknown as SQLiteTable;

/**
 * The ids of one page of a query in its order and then by id, and the total number of rows. SQLite examines the rows in steps; PostgreSQL
 * examines each row once for both.
 * @throws Fault QUERY_TOO_EXPENSIVE, also for a sorted page beyond the limit.
 */
export async function idsOfQuery(
  q: Query,
  source: QuerySource,
  given: AskedQuery,
  page: Page & { readonly signal: AbortSignal },
): Promise<Ids> {
  const asked = given.inItsTime ? await given.inItsTime(q) : given;
  if (!blocksWhileItRuns) return idsAtOnce(q, source, asked, page);
  if (asked.sort.length === 0) return idsInSteps(q, source, asked, page);
  if (page.offset + page.limit > deepestSortedRow) throw sortTooDeep();
  return sortedInSteps(q, source, asked, page);
}

/** The ids of all rows that a query selects, in its order. @throws Fault QUERY_TOO_EXPENSIVE, also when it sorts too many. */
export async function everyIdOf(
  q: Query,
  source: QuerySource,
  asked: AskedQuery,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const page = asked.sort.length > 0 ? { limit: deepestSortedRow, offset: 0 } : everything;
  const { ids, total } = await idsOfQuery(q, source, asked, { ...page, signal });
  if (total > ids.length) throw sortTooDeep();
  return ids;
}

/** Blames the query for a statement that exceeded `--database-timeout`. */
export async function bounded<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (error instanceof Fault && error.causeWord === 'statement_timeout')
      throw tooExpensive('PostgreSQL stopped it after --database-timeout');
    throw error;
  }
}

async function idsAtOnce(
  q: Query,
  { from, id, base }: QuerySource,
  asked: AskedQuery,
  range: Page,
): Promise<Ids> {
  const keys = asked.sort.map(({ value }, at) => [`k${at}`, sql`${value}`.as(`k${at}`)] as const);
  const chosen = q.$with('chosen').as(
    q
      .select({ chosenId: numberOf(id).as('chosen_id'), ...Object.fromEntries(keys) })
      .from(fromOf(from))
      .where(and(base, asked.where(q))),
  );
  const order = orderOf(
    asked.sort.map((key, at) => ({ ...key, value: sql.identifier(`k${at}`) as unknown as SQL })),
    sql`chosen_id`,
  );
  const { from: rows, ...page } = asked.sort.length > 0 ? sortedAtOnce(order, range) : inOrderOfIds(range);
  const [row] = await bounded(
    q
      .with(chosen)
      .select({ total: page.total.mapWith(Number), ids: sql<string>`array_to_json(${page.ids})` })
      .from(fromOf(rows)),
  );
  return { total: row?.total ?? 0, ids: idList(row?.ids) };
}

/** The number of selected rows, and the ids of a page. */
interface CountedIds {
  readonly from: SQL;
  readonly total: SQL<number>;
  readonly ids: SQL;
}

/** For a sorted list: PostgreSQL keeps the rows, and finds the first ones without sorting all. */
const sortedAtOnce = (order: readonly SQL[], { limit, offset }: Page): CountedIds => ({
  from: sql`(select 1) as one`,
  total: sql<number>`(select count(*) from chosen)`,
  ids: sql`array(select chosen_id from chosen order by ${sql.join([...order], sql`, `)}
    ${limit === everything.limit ? sql`` : sql`limit ${limit} offset ${offset}`})`,
});

/** For an unsorted list: PostgreSQL does not keep the rows. They mostly arrive in this order: 46,000 take 28 ms instead of 45. */
const inOrderOfIds = ({ limit, offset }: Page): CountedIds => ({
  from: sql`chosen`,
  total: sql<number>`count(*)`,
  ids: sql`(array_agg(chosen_id order by chosen_id))
    [${Math.min(offset + 1, greatestIndex)} : ${Math.min(offset + limit, greatestIndex)}]`,
});

/** The greatest index of a PostgreSQL array. */
const greatestIndex = 2 ** 31 - 1;

/** A list of ids as returned by the engines: as text, or parsed by the driver. */
const idList = (ids: unknown): number[] =>
  (typeof ids === 'string' ? (JSON.parse(ids) as number[]) : ((ids ?? []) as number[])).map(Number);

/** The rows that a query selects on SQLite, with statements that are built once for all steps. */
async function chosenRows(q: Query, source: QuerySource, asked: AskedQuery) {
  const driven = asked.hasFewRows ? await asked.hasFewRows(q) : false;
  const from = fromOf(source.from);
  const where = driven
    ? and(source.base, asked.where(q, { driven }))
    : and(source.base, inRange(source.id, stepRange), asked.where(q, { range: stepRange }));
  const listed = prepared<StepValues, { ids: string }>(
    (builder) =>
      builder
        .select({ ids: listOf(source.id) })
        .from(from)
        .where(where),
    'testmgmt_query_ids',
  );
  const idsIn = async (step: StepValues) => idList((await listed(q, step))[0]?.ids);
  /** All rows at once if an index finds them. */
  const look = (signal: AbortSignal, step: (values: StepValues) => Promise<void>) =>
    driven ? step(wholeRange) : inSteps(q, source, asked.rowsAtOnce, signal, step);
  return { from, where, idsIn, look };
}

async function idsInSteps(
  q: Query,
  source: QuerySource,
  asked: AskedQuery,
  { limit, offset, signal }: Page & { readonly signal: AbortSignal },
): Promise<Ids> {
  const { from, where, idsIn, look } = await chosenRows(q, source, asked);
  const counted = prepared<StepValues, { total: number }>(
    (builder) => builder.select({ total: countRows() }).from(from).where(where),
    'testmgmt_query_count',
  );
  let total = 0;
  const ids: number[] = [];
  await look(signal, async (step) => {
    if (ids.length >= limit) {
      total += (await counted(q, step))[0]?.total ?? 0;
      return;
    }
    const found = await idsIn(step);
    // The rows may have been found by an index on a column other than the id.
    const skipped = Math.max(0, offset - total);
    if (skipped < found.length)
      for (const id of found.toSorted((a, b) => a - b).slice(skipped, skipped + limit - ids.length))
        ids.push(id);
    total += found.length;
  });
  return { total, ids };
}

/** Many ids as one value: returning them as rows would cost more than finding them. */
const listOf = (column: AnySQLiteColumn) => sql<string>`json_group_array(${sql`${column}`})`;

async function sortedInSteps(
  q: Query,
  source: QuerySource,
  asked: AskedQuery,
  { limit, offset, signal }: Page & { readonly signal: AbortSignal },
): Promise<Ids> {
  const wanted = offset + limit;
  const { from, where, idsIn, look } = await chosenRows(q, source, asked);
  const order = orderOf(asked.sort, source.id);
  const first = prepared<StepValues, { id: number | null }>(
    (builder) =>
      builder
        .select({ id: numberOf(source.id) })
        .from(from)
        .where(where)
        .orderBy(...order)
        .limit(wanted),
    'testmgmt_query_first',
  );
  const best = async (among: readonly number[]) =>
    (
      await q
        .select({ id: numberOf(source.id) })
        .from(fromOf(source.from))
        .where(and(source.base, inValues(source.id, among)))
        .orderBy(...order)
        .limit(wanted)
    ).map(({ id }) => Number(id));

  let total = 0;
  let ids: number[] = [];
  await look(signal, async (step) => {
    const found = await idsIn(step);
    total += found.length;
    if (found.length <= Math.max(fewRows, wanted)) ids.push(...found);
    else ids.push(...(await first(q, step)).map(({ id }) => Number(id)));
    if (ids.length > 4 * Math.max(fewRows, wanted)) ids = await best(ids);
  });
  return { total, ids: (await best(ids)).slice(offset) };
}

/** Columns by whose values the rows of a query are counted. */
type CountedColumns = readonly [AnySQLiteColumn, AnySQLiteColumn];

/** The number of selected rows for each pair of values. @throws Fault QUERY_TOO_EXPENSIVE. */
export async function groupsOfQuery(
  q: Query,
  source: QuerySource,
  given: AskedQuery,
  [first, second]: CountedColumns,
  signal: AbortSignal,
): Promise<ReadonlyArray<{ first: number | null; second: number | null; count: number }>> {
  const asked = given.inItsTime ? await given.inItsTime(q) : given;
  const number = (value: number | null) => (value === null ? null : Number(value));
  if (!blocksWhileItRuns) {
    const rows = await bounded(
      q
        .select({ first: numberOf(first), second: numberOf(second), count: countRows() })
        .from(fromOf(source.from))
        .where(and(source.base, asked.where(q)))
        .groupBy(first, second),
    );
    return rows.map((row) => ({ ...row, first: number(row.first), second: number(row.second) }));
  }
  const { from, where, look } = await chosenRows(q, source, asked);
  // SQLite groups by sorting, which takes three times as long as listing the values.
  const listed = prepared<StepValues, { first: string; second: string }>(
    (builder) =>
      builder
        .select({ first: listOf(first), second: listOf(second) })
        .from(from)
        .where(where),
    'testmgmt_query_groups',
  );
  const counts = new Map<number | null, Map<number | null, number>>();
  await look(signal, async (step) => {
    const [row] = await listed(q, step);
    const [firsts, seconds] = [row?.first, row?.second].map(
      (list) => JSON.parse(list ?? '[]') as Array<number | null>,
    );
    for (let at = 0; at < (firsts?.length ?? 0); at++) {
      const [value, other] = [firsts?.[at] ?? null, seconds?.[at] ?? null];
      const of = counts.get(value) ?? new Map<number | null, number>();
      counts.set(value, of.set(other, (of.get(other) ?? 0) + 1));
    }
  });
  return [...counts].flatMap(([value, of]) =>
    [...of].map(([other, count]) => ({ first: value, second: other, count })),
  );
}

/** The error for a page of a sorted list beyond {@link deepestSortedRow}. */
const sortTooDeep = () =>
  fail.QUERY_TOO_EXPENSIVE(`A sorted list has at most ${deepestSortedRow} rows.`, {
    cause: 'offset',
    tip: 'Leave out the sort to read everything in the order of ids, or narrow the query.',
  });
