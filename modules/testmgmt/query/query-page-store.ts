import { and, asc, gt, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { blocksWhileItRuns, countRows, inValues } from '../../../core/db/columns.ts';
import type { Page } from '../../../core/db/counted-page.ts';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { fail } from '../errors.ts';
import type { AskedQuery } from './query-store.ts';

/** The rows among which a query chooses. */
export interface QuerySource {
  /** A table, or tables joined. */
  readonly from: SQL;
  readonly id: AnySQLiteColumn;
  /** Which of the rows count at all, e.g. those of a project that are not deleted. An index finds them in the order of their ids. */
  readonly base: SQL | undefined;
}

interface Ids {
  readonly total: number;
  readonly ids: readonly number[];
}

/** The ids of one page of a query in its order and then by id, and the number of rows on all pages. */
export async function idsOfQuery(
  q: Query,
  source: QuerySource,
  asked: AskedQuery,
  page: Page & { readonly signal: AbortSignal },
): Promise<Ids> {
  if (blocksWhileItRuns) return idsInSteps(q, source, asked, page);
  const { from, id, base } = source;
  const where = and(base, asked.where(q));
  const [rows, [counted]] = await Promise.all([
    q
      .select({ id: sql<number>`${id}` })
      .from(from as unknown as SQLiteTable)
      .where(where)
      .orderBy(...asked.orderBy, asc(id))
      .limit(page.limit)
      .offset(page.offset),
    q
      .select({ total: countRows() })
      .from(from as unknown as SQLiteTable)
      .where(where),
  ]);
  return { total: counted?.total ?? 0, ids: rows.map((row) => Number(row.id)) };
}

/** Milliseconds that one statement should take: other requests wait for it. */
const stepMs = { least: 1, most: 4 } as const;
const rowsPerStep = { first: 500, most: 20_000 } as const;
/** Milliseconds of work for one query. */
const budgetMs = 5_000;
/** A sorted page needs every row before it. */
export const deepestSortedRow = 10_000;

/**
 * The ids of one page of a query and the number of rows on all pages, in parts of the rows, so that others are served between them:
 * on SQLite a statement blocks the event loop, and a query of 50 phrases looks at 100,000 tests for 20 seconds.
 * @throws Fault QUERY_TOO_EXPENSIVE, and for a sorted page too far back.
 */
async function idsInSteps(
  q: Query,
  { from, id, base }: QuerySource,
  asked: AskedQuery,
  { limit, offset, signal }: Page & { readonly signal: AbortSignal },
): Promise<Ids> {
  const wanted = offset + limit;
  const sorted = asked.orderBy.length > 0;
  if (sorted && wanted > deepestSortedRow) throw sortTooDeep();
  const order = [...asked.orderBy, asc(id)];
  const idsWhere = async (where: SQL | undefined, rows: number, skipped = 0): Promise<number[]> => {
    const found = await q
      .select({ id: sql<number>`${id}` })
      .from(from as unknown as SQLiteTable)
      .where(where)
      .orderBy(...order)
      .limit(rows)
      .offset(skipped);
    return found.map((row) => Number(row.id));
  };
  const best = (ids: readonly number[]) => idsWhere(inValues(id, ids), wanted);

  let total = 0;
  let ids: number[] = [];
  let size: number = rowsPerStep.first;
  let workMs = 0;
  for (let after = 0; ;) {
    const startedAt = performance.now();
    const end = await q
      .select({ id: sql<number>`${id}` })
      .from(from as unknown as SQLiteTable)
      .where(and(base, gt(id, after)))
      .orderBy(asc(id))
      .limit(1)
      .offset(size - 1);
    const to = end[0] === undefined ? Number.MAX_SAFE_INTEGER : Number(end[0].id);
    const where = and(base, sql`${id} between ${after + 1} and ${to}`, asked.where(q));
    const [counted] = await q
      .select({ total: countRows() })
      .from(from as unknown as SQLiteTable)
      .where(where);
    const count = counted?.total ?? 0;
    if (sorted) {
      if (count > 0) ids.push(...(await idsWhere(where, wanted)));
      if (ids.length > 2 * wanted) ids = await best(ids);
    } else if (count > 0 && total + count > offset && total < wanted) {
      const skipped = Math.max(0, offset - total);
      ids.push(...(await idsWhere(where, limit - ids.length, skipped)));
    }
    total += count;
    if (end[0] === undefined) break;
    after = to;
    const tookMs = performance.now() - startedAt;
    workMs += tookMs;
    if (workMs > budgetMs) throw tooExpensive();
    if (tookMs < stepMs.least) size = Math.min(size * 2, rowsPerStep.most);
    else if (tookMs > stepMs.most) size = Math.max(1, Math.floor((size * stepMs.most) / tookMs));
    if (turnIsOver()) await nextTurn(signal);
  }
  return { total, ids: sorted ? (await best(ids)).slice(offset) : ids };
}

/** A sorted list is asked for beyond {@link deepestSortedRow}. */
export const sortTooDeep = () =>
  fail.QUERY_TOO_EXPENSIVE(`A sorted list has at most ${deepestSortedRow} rows.`, {
    cause: 'offset',
    tip: 'Leave out the sort to read everything in the order of ids, or narrow the query.',
  });

const tooExpensive = () =>
  fail.QUERY_TOO_EXPENSIVE(`The query looks at too much; it was stopped after ${budgetMs / 1_000} seconds.`, {
    cause: 'query',
  });
