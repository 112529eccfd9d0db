import { and, asc, eq, lt, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { deleteChunk } from '../../../core/db/query/row-deletion.ts';
import { userAliases } from '../base/schema.ts';

const aliasById = prepared<{ userId: string }, { intoUserId: string }>(
  (q) =>
    q
      .select({ intoUserId: userAliases.intoUserId })
      .from(userAliases)
      .where(eq(userAliases.userId, sql.placeholder('userId'))),
  'cta_user_alias',
);

/** The user whom requests under an id reach: that of the id, unless it was merged into another within the last 30 days. */
export async function presentUserId(q: Query, userId: string): Promise<string> {
  const [alias] = await aliasById(q, { userId });
  return alias?.intoUserId ?? userId;
}

/** The ids under which a user was known before, within the last 30 days. */
export async function formerIdsOf(q: Query, userId: string): Promise<readonly string[]> {
  const rows = await q
    .select({ userId: userAliases.userId })
    .from(userAliases)
    .where(eq(userAliases.intoUserId, userId));
  return rows.map((row) => row.userId).sort();
}

/** Lets what comes under one id reach another user, with all that came under ids of its own. */
export async function insertAlias(
  q: Query,
  { userId, intoUserId, mergedAt }: { userId: string; intoUserId: string; mergedAt: number },
): Promise<void> {
  const to = { intoUserId, mergedAt, settled: false };
  // What was an id of the one that ends is an id of the other now: an alias never leads to another alias.
  await q.update(userAliases).set({ intoUserId, settled: false }).where(eq(userAliases.intoUserId, userId));
  await q.delete(userAliases).where(eq(userAliases.userId, intoUserId));
  await q
    .insert(userAliases)
    .values({ userId, ...to })
    .onConflictDoUpdate({ target: userAliases.userId, set: to });
}

type Alias = Pick<typeof userAliases.$inferSelect, 'userId' | 'intoUserId'>;

/** The aliases of one statement. */
const aliasesAtOnce = 200;

/** Some aliases that were made before a time and may still have a state of their own. */
export const openAliases = (q: Query, before: number): Promise<readonly Alias[]> =>
  Promise.resolve(
    q
      .select({ userId: userAliases.userId, intoUserId: userAliases.intoUserId })
      .from(userAliases)
      .where(and(sql`not settled`, lt(userAliases.mergedAt, before)))
      .orderBy(asc(userAliases.mergedAt))
      .limit(aliasesAtOnce),
  );

export async function settleAlias(q: Query, { userId, intoUserId }: Alias): Promise<void> {
  await q
    .update(userAliases)
    .set({ settled: true })
    .where(and(eq(userAliases.userId, userId), eq(userAliases.intoUserId, intoUserId)));
}

/** Deletes one chunk of the aliases that were made before a time. @returns whether there may be more. */
export async function deleteOldAliases(q: Query, before: number): Promise<boolean> {
  const old = lt(userAliases.mergedAt, before);
  return (await deleteChunk(q, userAliases.userId, old, aliasesAtOnce)) === aliasesAtOnce;
}
