import { nextTurn, turnIsOver } from '../../core/turns.ts';

/**
 * Sizes of the parts in which long lists go to the database. One statement holds the event loop while it is built and, on SQLite,
 * while it runs: these take 2 to 5 ms (measured; docs/decisions/testmgmt.md). Requests are let in between two parts
 * (core/turns.ts).
 */
export const rowsPerInsert = 100;
/** Rows of few columns. */
export const linksPerInsert = 500;
export const resultsPerInsert = 250;
export const idsPerQuery = 1_000;
/** Rows that a statement changes by their ids: each has several indexes. */
export const rowsPerChange = 400;
/** Rows that are read by one statement. */
export const rowsPerRead = 500;

/**
 * All rows of a long list, read in the order of their ids, part by part, with requests let in between.
 * @param readAfter answers at most {@link rowsPerRead} rows whose ids are greater.
 */
export async function everyRow<R extends { readonly id: number }>(
  readAfter: (id: number) => PromiseLike<readonly R[]>,
  signal?: AbortSignal,
): Promise<R[]> {
  const rows: R[] = [];
  for (let after = 0; ;) {
    const part = await readAfter(after);
    for (const row of part) rows.push(row);
    const last = part.at(-1);
    if (!last || part.length < rowsPerRead) return rows;
    after = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
}
