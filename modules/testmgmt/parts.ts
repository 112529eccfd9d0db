/**
 * Sizes of the parts in which long lists go to the database. SQLite allows 32,766 bound values in a statement,
 * PostgreSQL 65,535.
 */
export const rowsPerInsert = 1_500;
export const idsPerQuery = 10_000;

/** A long list in parts of at most `size`, in order. */
export function* parts<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
