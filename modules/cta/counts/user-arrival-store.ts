import { and, eq, inArray, sql } from 'drizzle-orm';
import { partsInTurns } from '../../../core/base/turns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { ctaArrivals, ctas } from '../base/schema.ts';
import { least } from './derived-store.ts';

type Arrival = typeof ctaArrivals.$inferSelect;

/** Rows of one statement: a hostile app can invent states. */
const statesAtOnce = 500;

/**
 * The arrivals of a user. They have no index by user, so this goes through the states that each CTA has: reading all arrivals of a CTA takes
 * longer the more users it has. SQLite keeps the order of a CROSS JOIN.
 * @param tenantId absent: of every tenant.
 */
function arrivalsOfUser(q: Query, userId: string, tenantId?: string): Promise<readonly Arrival[]> {
  const next = (place: string, after: ReturnType<typeof sql>) => {
    const of = sql.raw(place);
    return sql`(select min(a.state) from ${ctaArrivals} a
      where a.tenant_id = ${of}.tenant_id and a.cta_id = ${of}.cta_id and ${after})`;
  };
  const owned = tenantId === undefined ? sql`true` : eq(ctas.tenantId, tenantId);
  const found = sql`(with recursive places(tenant_id, cta_id, state) as (
      select c.tenant_id, c.cta_id, ${next('c', sql`true`)}
        from (select ${ctas.tenantId} as tenant_id, ${ctas.id} as cta_id from ${ctas} where ${owned}) c
      union all
      select p.tenant_id, p.cta_id, ${next('p', sql`a.state > p.state`)} from places p where p.state is not null)
    select a.* from places p cross join ${ctaArrivals} a where a.tenant_id = p.tenant_id and a.cta_id = p.cta_id
      and a.state = p.state and a.user_id = ${userId}) as found`;
  return Promise.resolve(
    q
      .select({
        tenantId: sql<string>`tenant_id`,
        ctaId: sql<number>`cta_id`.mapWith(Number),
        state: sql<string>`state`,
        userId: sql<string>`user_id`,
        firstAt: sql<number>`first_at`.mapWith(Number),
        isThere: sql<boolean>`is_there`.mapWith(Boolean),
      })
      .from(found),
  );
}

/** Does something with the arrivals of a user, those of one CTA at a time. @param work gets them, and the condition that selects them. */
async function eachPart(
  q: Query,
  userId: string,
  tenantId: string | undefined,
  work: (rows: readonly Arrival[], which: ReturnType<typeof and>) => Promise<unknown>,
): Promise<void> {
  const rows = await arrivalsOfUser(q, userId, tenantId);
  const byCta = Map.groupBy(rows, (row) => JSON.stringify([row.tenantId, row.ctaId]));
  for (const ofCta of byCta.values())
    for await (const part of partsInTurns(ofCta, statesAtOnce)) {
      const [first] = part;
      if (!first) continue;
      const ofUser = and(eq(ctaArrivals.tenantId, first.tenantId), eq(ctaArrivals.ctaId, first.ctaId));
      const states = part.map(({ state }) => state);
      await work(part, and(ofUser, inArray(ctaArrivals.state, states), eq(ctaArrivals.userId, userId)));
    }
}

/** Makes the arrivals of a user in a tenant those of nobody. */
export const eraseArrivals = (q: Query, tenantId: string, userId: string, nobody: string): Promise<void> =>
  eachPart(q, userId, tenantId, (_, which) =>
    Promise.resolve(q.update(ctaArrivals).set({ userId: nobody, isThere: false }).where(which)),
  );

/** Makes the arrivals of one user those of another, in every tenant. */
export const moveArrivals = (q: Query, from: string, into: string): Promise<void> =>
  eachPart(q, from, undefined, async (rows, which) => {
    await q.delete(ctaArrivals).where(which);
    await q
      .insert(ctaArrivals)
      .values(rows.map((row) => ({ ...row, userId: into })))
      .onConflictDoUpdate({
        target: [ctaArrivals.tenantId, ctaArrivals.ctaId, ctaArrivals.state, ctaArrivals.userId],
        set: {
          firstAt: least(ctaArrivals.firstAt, 'first_at'),
          isThere: sql`${ctaArrivals.isThere} or excluded.is_there`,
        },
      });
  });
