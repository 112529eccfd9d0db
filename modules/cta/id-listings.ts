import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { IdListing, IdListings } from '../../core/tools/id-explanation.ts';
import { organizationIds } from '../auth/index.ts';
import { ctas, tenants } from './schema.ts';

/** CTAs of one name that are told. */
const told = 5;

const ctaIds: IdListing = {
  tool: 'list-ctas',
  asText: true,
  lookUp: async ({ db, actor }, name, { tenantId = 'default' }) => {
    const rows = await db.q
      .select({ id: ctas.id, name: ctas.name })
      .from(ctas)
      .innerJoin(tenants, eq(tenants.tenantId, ctas.tenantId))
      .where(
        and(
          eq(ctas.tenantId, String(tenantId)),
          inArray(tenants.orgId, [...actor.roles.keys()]),
          sql`lower(${ctas.name}) = lower(${name.trim()})`,
        ),
      )
      .orderBy(asc(ctas.id))
      .limit(told);
    return rows.map(({ id, name: stored }) => ({ id: String(id), name: stored }));
  },
};

/** Where the ids of this toolset are found by name. Its users are those of the app: they have no name here. */
export const idParameters: IdListings = {
  orgId: organizationIds,
  ctaId: ctaIds,
  ctaIds,
};
