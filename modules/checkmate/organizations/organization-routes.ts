import { answered, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import { count, idReader, optionalReader, textReader, list, oneOf } from '../wire/request-field.ts';
import { mostRows, mostSearched, rowsOf, wantedOf } from '../wire/row-page.ts';
import { roleWords } from '../words/role-word.ts';
import { requireAdministrator } from './administrator-check.ts';
import { organizationOf, shownUser } from './organization-form.ts';

const usersPerPage = 100;

interface UserSearch {
  readonly orgId?: number | undefined;
  readonly textSearch?: string | undefined;
  readonly userRoles?: ReadonlyArray<(typeof roleWords)[number]> | undefined;
}

/** The members that a search finds. All are read first: Trivet does not search them. */
async function searchUsers(work: Work, { orgId, textSearch, userRoles }: UserSearch) {
  const { rows, total } = await rowsOf(
    async (page) => {
      const read = await work.call('get-all-users', { ...page, ...(orgId !== undefined && { orgId }) });
      return { total: read.total, rows: read.users };
    },
    { limit: mostSearched, offset: 0 },
  );
  if (total > rows.length) work.warn(`Only the first ${mostSearched} of ${total} users were searched.`);
  const wanted = textSearch?.toLowerCase() ?? '';
  return rows
    .map((member) => shownUser(member, orgId))
    .filter(
      ({ userName, email, role }) =>
        `${userName ?? ''}\n${email ?? ''}`.toLowerCase().includes(wanted) &&
        (userRoles === undefined || userRoles.includes(role)),
    );
}

const ofPage = async (
  work: Work,
  search: UserSearch,
  { limit, offset }: { limit: number; offset: number },
) => {
  const found = await searchUsers(work, search);
  return answered({ userData: found.slice(offset, offset + limit), usersCount: found.length });
};

export const organizationRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'orgs',
    verb: 'read',
    input: {},
    answer: async (_, work) => {
      const { rows } = await rowsOf(
        async (page) => {
          const { total, organizations } = await work.call('get-orgs-list', page);
          return { total, rows: organizations };
        },
        { limit: mostSearched, offset: 0 },
      );
      return answered(rows.map(organizationOf));
    },
  }),
  route({
    path: 'org/detail',
    verb: 'read',
    input: { orgId: idReader },
    answer: async ({ orgId }, work) =>
      answered(organizationOf(await work.call('get-org-details', { orgId }))),
  }),
  route({
    path: 'all-users',
    verb: 'read',
    input: {
      orgId: optionalReader(idReader),
      page: optionalReader(count),
      pageSize: optionalReader(count),
      textSearch: optionalReader(textReader),
      userRoles: optionalReader(list(oneOf(roleWords))),
    },
    answer: (input, work) => {
      for (const orgId of input.orgId === undefined ? work.actor.roles.keys() : [input.orgId])
        requireAdministrator(work, orgId);
      return ofPage(work, input, wantedOf(input, usersPerPage));
    },
  }),
  route({
    path: 'users',
    verb: 'read',
    // `offset` may be 0, which is no count.
    input: {
      orgId: optionalReader(idReader),
      limit: optionalReader(count),
      offset: optionalReader(textReader),
    },
    answer: async ({ orgId, limit = usersPerPage, offset }, work) => {
      const from = /^\d{1,9}$/.test(offset ?? '') ? Number(offset) : 0;
      return ofPage(work, { orgId }, { limit: Math.min(limit, mostRows), offset: from });
    },
  }),
];
