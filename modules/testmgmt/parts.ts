/**
 * Sizes of the parts in which long lists go to the database. One statement holds the event loop while it is built and, on SQLite,
 * while it runs: these take 2 to 5 ms (measured; docs/decisions/testmgmt.md). Requests are let in between two parts
 * (core/turns.ts).
 */
export const rowsPerInsert = 100;
export const linksPerInsert = 500;
export const idsPerQuery = 1_000;
/** Rows that a statement changes by their ids: each has several indexes. */
export const rowsPerChange = 400;
