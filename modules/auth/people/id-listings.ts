import { nameless, type IdListing, type IdListings } from '../../../core/tools/id-explanation.ts';
import { pageOfMembers } from './member-store.ts';
import { organizationsOf } from './organization-store.ts';

/** The users among which a name is searched. */
const maxSearched = 500;

export const organizationIds: IdListing = {
  tool: 'get-orgs-list',
  lookUp: ({ db, actor }) => organizationsOf(db.q, actor.roles),
};

/** Users by name and by e-mail address, among those that the caller may see. */
export const userIds: IdListing = {
  tool: 'get-all-users',
  lookUp: async ({ db, actor }) => {
    const page = { limit: maxSearched, offset: 0 };
    const { rows } = await pageOfMembers(db.q, [...actor.roles.keys()], page);
    return rows.flatMap(({ id, name, email }) =>
      [name, email].flatMap((known) => (known === null ? [] : [{ id, name: known }])),
    );
  },
};

/** Every parameter of this module that takes ids. */
export const idParameters: IdListings = {
  orgId: organizationIds,
  userId: userIds,
  duplicateId: userIds,
  invitationId: nameless('list-invitations'),
  tokenId: nameless('list-access-tokens'),
};
