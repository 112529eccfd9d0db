import type { IdListing, IdListings } from '../../../core/tools/id-explanation.ts';
import { organizationIds } from '../../auth/index.ts';
import { ctasNamed } from './cta-list-store.ts';
import { defaultTenant } from '../base/parameters.ts';

/** The most CTAs of one name that an error lists. */
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

/** The listings that resolve names to the ids of this toolset. Users are omitted: they are users of apps and have no name here. */
export const idParameters: IdListings = { orgId: organizationIds, ctaId: ctaIds, ctaIds };
