import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
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
import { operation } from '../base/operation.ts';
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
  description: 'Lists the members of your organizations, with roles.',
  input: closedObject({
    orgId: Type.Optional(recordId('Only of this one; from get-orgs-list.')),
    former: Type.Optional(Type.Boolean({ description: 'Those who left.' })),
    ...paging,
  }),
  output: page('users', memberRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    if (input.orgId !== undefined) await requireOrganization(q, actor, input.orgId, 'read');
    const { limit, offset } = pageOf(input);
    const shared = input.orgId === undefined ? [...(await membershipsOf(q, actor)).keys()] : [input.orgId];
    const { total, rows } = await (input.former ? pageOfFormerMembers : pageOfMembers)(q, shared, {
      limit,
      offset,
    });
    return { total, limit, offset, users: rows.map(memberRecordOf) };
  },
});
