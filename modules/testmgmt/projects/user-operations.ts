import { Type } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import {
  memberOf,
  memberRecord,
  memberRecordOf,
  pageOfFormerMembers,
  pageOfMembers,
} from '../../auth/index.ts';
import { fail } from '../base/errors.ts';
import { extraOperation, operation } from '../base/operation.ts';
import { membershipsOf, requireOrganization } from './project-store.ts';

export const getUserDetails = operation({
  name: 'get-user-details',
  title: 'Read a user',
  description: 'Returns one member of your organizations.',
  input: closedObject({ userId: recordId('From get-all-users.') }),
  output: memberRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const found = await memberOf(q, [...(await membershipsOf(q, actor)).keys()], input.userId);
    if (!found) throw fail.USER_NOT_FOUND(`There is no user ${input.userId} in your organizations.`);
    return memberRecordOf(found);
  },
});

export const getAllUsers = operation({
  name: 'get-all-users',
  title: 'List users',
  description: 'Lists the members of your organizations, or of one, with their roles.',
  input: closedObject({ orgId: Type.Optional(recordId('Only of this one; from get-orgs-list.')), ...paging }),
  output: page('users', memberRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { limit, offset } = pageOf(input);
    const shared = await organizationsAsked(q, actor, input.orgId);
    const { total, rows } = await pageOfMembers(q, shared, { limit, offset });
    return { total, limit, offset, users: rows.map(memberRecordOf) };
  },
});

export const listFormerMembers = extraOperation({
  name: 'list-former-members',
  title: 'List who has left',
  description:
    'Lists the names of those who have left your organizations, or one: records still have their ids. Erased users are not in it.',
  input: closedObject({ orgId: Type.Optional(recordId('Only of this one; from get-orgs-list.')), ...paging }),
  output: page('users', closedObject({ userId: Type.Integer(), name: Type.String() })),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { limit, offset } = pageOf(input);
    const shared = await organizationsAsked(q, actor, input.orgId);
    const { total, rows } = await pageOfFormerMembers(q, shared, { limit, offset });
    return { total, limit, offset, users: [...rows] };
  },
});

/** The named organization, or all of the caller. @throws Fault ORGANIZATION_NOT_FOUND. */
async function organizationsAsked(
  q: Query,
  actor: Actor,
  orgId: number | undefined,
): Promise<readonly number[]> {
  if (orgId === undefined) return [...(await membershipsOf(q, actor)).keys()];
  await requireOrganization(q, actor, orgId, 'read');
  return [orgId];
}
