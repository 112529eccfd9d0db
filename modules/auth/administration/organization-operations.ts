import { Type } from '@sinclair/typebox';
import { member, requireAdminGrant } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { operation } from '../base/operation.ts';
import { requireAdministersAll } from '../people/administrator.ts';
import { insertOrganization } from '../people/organization-store.ts';

export const createOrganization = operation({
  name: 'create-organization',
  title: 'Create an organization',
  description:
    'Creates an organization with its own projects, users and app tenants; the caller becomes its admin and can invite ' +
    'others with invite-user. Members of other organizations see nothing of it. Only for administrators of the first organization.',
  input: closedObject({
    orgName: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'Its name.' }),
  }),
  output: Type.Object({ orgId: Type.Integer(), orgName: Type.String(), createdAt: Type.String() }),
  access: member('admin'),
  effect: 'create',
  handler: async ({ orgName }, { actor, db, clock }) => {
    requireAdminGrant(actor, 'create an organization');
    const now = clock.now();
    const rule = { serializable: 'only an administrator of the first organization creates others' };
    return db.tx(async (q) => {
      await requireAdministersAll(q, actor, 'create others');
      const { id, name } = await insertOrganization(q, { name: orgName.trim(), adminId: actor.userId, now });
      return { orgId: id, orgName: name, createdAt: isoTime(now) };
    }, rule);
  },
});
