import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';

/**
 * Sizes of the chunks in which long lists are sent to the database. One statement blocks the event loop while it is built and, on
 * SQLite, while it runs: these take 2 to 5 ms (measured; docs/decisions/testmgmt.md). Between chunks the work yields to other
 * requests (core/base/turns.ts).
 */
export const rowsPerInsert = 100;
/** For rows with few columns. */
export const linksPerInsert = 500;
export const resultsPerInsert = 250;
export const idsPerQuery = 1_000;
/** Rows that one statement changes by id: each is in several indexes. */
export const rowsPerChange = 400;
export const rowsPerRead = 500;

/**
 * All rows of a long list in id order, read in chunks. Yields to other requests between chunks.
 * @param readAfter returns at most `size` rows with greater ids.
 * @param size may exceed {@link rowsPerRead} for rows with only a few numbers.
 */
export async function everyRow<R extends { readonly id: number }>(
  readAfter: (id: number) => PromiseLike<readonly R[]>,
  signal?: AbortSignal,
  size: number = rowsPerRead,
): Promise<R[]> {
  const rows: R[] = [];
  for (let after = 0; ;) {
    const chunk = await readAfter(after);
    for (const row of chunk) rows.push(row);
    const last = chunk.at(-1);
    if (!last || chunk.length < size) return rows;
    after = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
}
