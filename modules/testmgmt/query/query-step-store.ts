import { and, asc, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { inRange, type IdRange } from './query-place-store.ts';
import type { QuerySource } from './query-source-store.ts';

/** The milliseconds that one statement should take, because other requests wait for it. */
const stepMs = { least: 2, most: 4 } as const;
const rowsPerStep = { first: 500, most: 20_000 } as const;
/** Milliseconds of work for one query. */
const budgetMs = 5_000;

/** The values of {@link stepRange}. */
export type StepValues = { readonly after: number; readonly to: number };

/** The ids of one step, for statements that are built once for all steps. */
export const stepRange: IdRange = {
  after: sql`${sql.placeholder('after')}`,
  to: sql`${sql.placeholder('to')}`,
};

/** All ids. */
export const wholeRange: StepValues = { after: 0, to: Number.MAX_SAFE_INTEGER };

/**
 * Examines the rows of a source in parts, in id order, and serves other requests in between, because on SQLite a statement blocks the event
 * loop. The size of a part adapts to the duration of the last one.
 * @param rowsAtOnce the most rows of the first part.
 * @throws Fault QUERY_TOO_EXPENSIVE.
 */
export async function inSteps(
  q: Query,
  { counted, id, base }: QuerySource,
  rowsAtOnce: number,
  signal: AbortSignal,
  look: (step: StepValues) => Promise<void>,
): Promise<void> {
  const endOfStep = prepared<StepValues & { rows: number }, { id: number }>(
    (builder) =>
      builder
        .select({ id: sql<number>`${sql`${id}`}` })
        .from(counted as unknown as SQLiteTable)
        .where(and(base, inRange(id, stepRange)))
        .orderBy(asc(id))
        .limit(1)
        .offset(sql.placeholder('rows')),
    'testmgmt_query_step',
  );
  let rows: number = Math.min(rowsPerStep.first, rowsAtOnce);
  let workMs = 0;
  for (let after = 0; ;) {
    const startedAt = performance.now();
    const [end] = await endOfStep(q, { ...wholeRange, after, rows: rows - 1 });
    const to = end === undefined ? wholeRange.to : Number(end.id);
    await look({ after, to });
    if (end === undefined) return;
    after = to;
    const tookMs = performance.now() - startedAt;
    workMs += tookMs;
    if (workMs > budgetMs) throw tooExpensive(`it was stopped after ${budgetMs / 1_000} seconds`);
    if (tookMs < stepMs.least) rows = Math.min(rows * 2, rowsPerStep.most);
    else if (tookMs > stepMs.most) rows = Math.max(1, Math.floor((rows * stepMs.most) / tookMs));
    if (turnIsOver()) await nextTurn(signal);
  }
}

export const tooExpensive = (what: string) =>
  fail.QUERY_TOO_EXPENSIVE(`The query looks at too much; ${what}.`, { cause: 'query' });
