import type { IdListing, IdListings } from '../../core/tools/id-explanation.ts';
import { pageOfMembers } from './people/member-store.ts';
import { organizationsOf } from './people/organization-store.ts';

/** So many people are looked through for a name. */
const lookedThrough = 500;

/** Organizations of the caller. */
export const organizationIds: IdListing = {
  tool: 'get-orgs-list',
  lookUp: ({ db, actor }) => organizationsOf(db.q, actor.roles),
};

/** Where the ids of people and organizations are found by name, among those that the caller may see. */
export const peopleAndOrganizations: IdListings = {
  orgId: organizationIds,
  userId: {
    tool: 'get-all-users',
    // By name and by e-mail: what people know of each other.
    lookUp: async ({ db, actor }) => {
      const page = { limit: lookedThrough, offset: 0 };
      const { rows } = await pageOfMembers(db.q, [...actor.roles.keys()], page);
      return rows.flatMap(({ id, name, email }) =>
        [name, email].flatMap((known) => (known === null ? [] : [{ id, name: known }])),
      );
    },
  },
};
