import { sql, type SQL } from 'drizzle-orm';

/**
 * A number of a prepared statement where PostgreSQL cannot tell its type, as in the list of a SELECT.
 * @example sql`select ${givenInt('runId')}, ${listedInt(0)} from ${listedRows('rows')}`
 */
export const givenInt = (name: string): SQL<number> => sql<number>`cast(${sql.placeholder(name)} as bigint)`;

/** A text of a prepared statement, as {@link givenInt}. */
export const givenText = (name: string): SQL<string> => sql<string>`cast(${sql.placeholder(name)} as text)`;
