import type { IdListing, IdListings } from '../../../core/tools/id-explanation.ts';
import { pageOfMembers } from './member-store.ts';
import { organizationsOf } from './organization-store.ts';

/** The users among which a name is searched. */
const maxSearched = 500;

export const organizationIds: IdListing = {
  tool: 'get-orgs-list',
  lookUp: ({ db, actor }) => organizationsOf(db.q, actor.roles),
};

/** Find ids of users and organizations by name, among those that the caller may see. */
export const peopleAndOrganizations: IdListings = {
  orgId: organizationIds,
  userId: {
    tool: 'get-all-users',
    // By name and by e-mail address.
    lookUp: async ({ db, actor }) => {
      const page = { limit: maxSearched, offset: 0 };
      const { rows } = await pageOfMembers(db.q, [...actor.roles.keys()], page);
      return rows.flatMap(({ id, name, email }) =>
        [name, email].flatMap((known) => (known === null ? [] : [{ id, name: known }])),
      );
    },
  },
};

/** Every parameter of this module that takes ids. */
export const idParameters: IdListings = {
  ...peopleAndOrganizations,
  ...(peopleAndOrganizations['userId'] && { duplicateId: peopleAndOrganizations['userId'] }),
  invitationId: { tool: 'list-invitations', lookUp: async () => [] },
  tokenId: { tool: 'list-access-tokens', lookUp: async () => [] },
};
