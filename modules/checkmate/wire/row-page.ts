import type { Work } from './api-route.ts';

/** Rows of one answer: Checkmate's clients read it whole, and it is made at once. */
export const mostRows = 2_000;
/** Records that are read for a search which no operation has. */
export const mostSearched = 5_000;
/** The largest page of an operation. */
const rowsPerCall = 500;

export interface Wanted {
  readonly limit: number;
  readonly offset: number;
}

interface Rows<T> {
  readonly total: number;
  readonly rows: readonly T[];
}

/** `page` and `pageSize` as limit and offset. @param usual the page size without one. */
export function wantedOf(
  { page = 1, pageSize }: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
  usual: number,
): Wanted {
  const size = pageSize ?? usual;
  return { limit: Math.min(size, mostRows), offset: Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER) };
}

/** Says that an answer has fewer rows than were asked for. */
export function warnOfMore(
  work: Pick<Work, 'warn'>,
  { rows, total }: Rows<unknown>,
  { offset }: Wanted,
): void {
  if (rows.length === mostRows && total > offset + rows.length)
    work.warn(
      `Only ${mostRows} of ${total} rows: an answer has at most that many. Read on with page and pageSize.`,
    );
}

/** Reads rows page by page. */
export async function rowsOf<T>(
  read: (page: Wanted) => Promise<Rows<T>>,
  { limit, offset }: Wanted,
): Promise<Rows<T>> {
  const rows: T[] = [];
  let total = 0;
  while (rows.length < limit) {
    const size = Math.min(rowsPerCall, limit - rows.length);
    const part = await read({ limit: size, offset: offset + rows.length });
    ({ total } = part);
    rows.push(...part.rows);
    if (part.rows.length < size) break;
  }
  return { total, rows };
}

/** The rows at a place of the reversed list, for lists that Checkmate has newest first and Trivet oldest first. */
export async function newestFirst<T>(
  read: (page: Wanted) => Promise<Rows<T>>,
  { limit, offset }: Wanted,
): Promise<Rows<T>> {
  const { total } = await read({ limit: 1, offset: 0 });
  const end = total - offset;
  if (end <= 0) return { total, rows: [] };
  const start = Math.max(0, end - limit);
  const { rows } = await rowsOf(read, { limit: end - start, offset: start });
  return { total, rows: rows.toReversed() };
}
