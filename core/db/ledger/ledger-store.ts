import { sql } from 'drizzle-orm';
import type { Query } from '../query/db.ts';
import type { Applied } from './ledger.ts';

/** The applied migrations of a database. */
export const readAppliedMigrations = async (q: Query): Promise<readonly Applied[]> =>
  q
    .select({ tag: sql<string>`tag`, hash: sql<string>`hash` })
    .from(sql`trivet_migrations`)
    .orderBy(sql`applied_at`, sql`tag`);
