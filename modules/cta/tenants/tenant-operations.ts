import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { operation } from '../base/operation.ts';
import { ownerParameter, tenantName } from '../base/parameters.ts';
import { reserveTenant } from './tenant-access.ts';

export const createTenant = operation({
  name: 'create-tenant',
  title: 'Create a tenant of an organization',
  description:
    'Creates a tenant, which apps name in x-tenant-id, and binds it to an organization: its members can then draft CTAs in it, ' +
    'and nobody else sees it. The first create-cta of an administrator in a new tenant does the same.',
  input: closedObject({ tenantId: tenantName, orgId: ownerParameter }),
  output: closedObject({ tenantId: Type.String(), orgId: Type.Integer(), createdAt: Type.Integer() }),
  access: member('admin'),
  effect: 'create',
  handler: async (input, { actor, db, clock }) => {
    const now = clock.now();
    const { tenantId, orgId, createdAt } = await db.tx((q) =>
      reserveTenant(q, actor, { tenantId: input.tenantId, orgId: input.orgId }, now),
    );
    return { tenantId, orgId, createdAt };
  },
});
