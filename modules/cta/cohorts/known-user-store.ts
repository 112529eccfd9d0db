import { and, eq, inArray, sql, type SQL } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import type { Properties } from '../rules/filter.ts';
import { userAttributes, userStates } from '../base/schema.ts';

/** Users read at once, with their attributes: 2 to 4 ms. */
const usersAtOnce = 500;
/** Users skipped at once, by the index alone: 1 ms. */
const skippedAtOnce = 2_000;

/** Up to this many users, each one is examined. Of more, as many are examined in runs that are spread evenly over all users. */
export const maxExamined = 50_000;

/** A user whose state or attributes a tenant has stored. */
interface KnownUser {
  readonly userId: string;
  /** Empty unless attributes were requested. */
  readonly attributes: Properties;
}

/** How many users a tenant knows. Yields to other requests. */
export async function countKnownUsers(q: Query, tenantId: string, signal: AbortSignal): Promise<number> {
  let known = 0;
  for (let after = ''; ;) {
    const next = await idsAfter(q, tenantId, after, { size: 1, offset: skippedAtOnce - 1 });
    if (next[0] === undefined) return known + (await countAfter(q, tenantId, after));
    known += skippedAtOnce;
    [after] = next;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/**
 * The users that a tenant knows, in chunks. Above {@link maxExamined} users, a sample: evenly spaced runs of {@link usersAtOnce} users.
 * Yields to other requests.
 */
export async function* readKnownUsers(
  q: Query,
  tenantId: string,
  { known, attributes }: { readonly known: number; readonly attributes: boolean },
  signal: AbortSignal,
): AsyncGenerator<readonly KnownUser[]> {
  const skipped = usersAtOnce * (Math.ceil(known / maxExamined) - 1);
  for (let after: string | undefined = ''; after !== undefined;) {
    const ids: readonly string[] = await idsAfter(q, tenantId, after, { size: usersAtOnce, offset: 0 });
    const found = attributes && ids.length > 0 ? await attributesOfAll(q, tenantId, ids) : noAttributes;
    yield ids.map((userId) => ({ userId, attributes: found.get(userId) ?? {} }));
    after = ids.length < usersAtOnce ? undefined : await skip(q, tenantId, ids.at(-1) ?? '', skipped, signal);
    if (turnIsOver()) await nextTurn(signal);
  }
}

const noAttributes: ReadonlyMap<string, Properties> = new Map();

/** The id `count` users further on; undefined when fewer remain. */
async function skip(q: Query, tenantId: string, from: string, count: number, signal: AbortSignal) {
  let after: string | undefined = from;
  for (let left = count; left > 0 && after !== undefined;) {
    const step: number = Math.min(left, skippedAtOnce);
    [after] = await idsAfter(q, tenantId, after, { size: 1, offset: step - 1 });
    left -= step;
    if (turnIsOver()) await nextTurn(signal);
  }
  return after;
}

/** Both tables are read in key order, each at most as far as the page needs. Without the inner limits, PostgreSQL reads all rows. */
function unionAfter(tenantId: string, after: string, most: number): SQL {
  const part = (table: typeof userStates | typeof userAttributes, name: string) =>
    sql`select * from (select user_id from ${table} where tenant_id = ${tenantId} and user_id > ${after}
      order by user_id limit ${most}) as ${sql.raw(name)}`;
  return sql`(${part(userStates, 'of_states')} union ${part(userAttributes, 'of_attributes')}) as known`;
}

async function idsAfter(
  q: Query,
  tenantId: string,
  after: string,
  { size, offset }: { readonly size: number; readonly offset: number },
): Promise<readonly string[]> {
  const rows = await q
    .select({ userId: sql<string>`user_id` })
    .from(unionAfter(tenantId, after, size + offset))
    .orderBy(sql`user_id`)
    .limit(size)
    .offset(offset);
  return rows.map(({ userId }) => userId);
}

async function countAfter(q: Query, tenantId: string, after: string): Promise<number> {
  const count = sql<number>`count(*)`.mapWith(Number);
  const [row] = await q.select({ count }).from(unionAfter(tenantId, after, skippedAtOnce));
  return row?.count ?? 0;
}

async function attributesOfAll(q: Query, tenantId: string, userIds: readonly string[]) {
  const rows = await q
    .select({ userId: userAttributes.userId, attributes: userAttributes.attributes })
    .from(userAttributes)
    .where(and(eq(userAttributes.tenantId, tenantId), inArray(userAttributes.userId, [...userIds])));
  return new Map(rows.map(({ userId, attributes }) => [userId, attributes]));
}
