import type { IdListing, IdListings } from '../../../core/tools/id-explanation.ts';
import { organizationIds } from '../../auth/index.ts';
import { ctasNamed } from './cta-list-store.ts';
import { defaultTenant } from '../base/parameters.ts';

/** CTAs of one name that an error lists. */
const maxListed = 5;

const ctaIds: IdListing = {
  tool: 'list-ctas',
  asText: true,
  lookUp: async ({ db, actor }, name, { tenantId = defaultTenant }) => {
    const orgIds = [...actor.roles.keys()];
    const rows = await ctasNamed(db.q, String(tenantId), orgIds, name.trim(), maxListed);
    return rows.map(({ id, name: stored }) => ({ id: String(id), name: stored }));
  },
};

/** The listings in which the ids of this toolset are found by name. The users are those of apps: they have no name here. */
export const idParameters: IdListings = { orgId: organizationIds, ctaId: ctaIds, ctaIds };
