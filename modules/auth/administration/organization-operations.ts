import { Type } from '@sinclair/typebox';
import { member, requireGrant } from '../../../core/actor.ts';
import { isoTime } from '../../../core/clock.ts';
import { fail } from '../../../core/errors.ts';
import { operation } from '../../../core/tools/operation.ts';
import { members, organizations } from '../schema.ts';
import { administersAll } from '../people/user-store.ts';

export const createOrganization = operation({
  name: 'create-organization',
  toolset: 'auth',
  title: 'Create an organization',
  description:
    'Creates an organization with projects, people and app tenants of its own; the caller becomes its admin and can invite ' +
    'others with invite-user. Members of other organizations see nothing of it. For administrators of the first organization.',
  input: Type.Object(
    {
      orgName: Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '\\S',
        description: 'What people call it.',
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ orgId: Type.Integer(), orgName: Type.String(), createdAt: Type.String() }),
  access: member('admin'),
  effect: 'create',
  handler: async ({ orgName }, { actor, db, clock }) => {
    requireGrant(actor, 'admin', 'make an organization');
    const name = orgName.trim();
    const now = clock.now();
    return db.tx(async (q) => {
      if (!(await administersAll(q, actor))) {
        throw fail.FORBIDDEN('Only administrators of the first organization create others.', {
          cause: 'role',
        });
      }
      const [organization] = await q.insert(organizations).values({ name, createdAt: now }).returning();
      if (!organization) throw new Error('the organization was not stored');
      const owner = { orgId: organization.id, userId: actor.userId, role: 'admin' as const, createdAt: now };
      await q.insert(members).values(owner);
      return { orgId: organization.id, orgName: organization.name, createdAt: isoTime(now) };
    });
  },
});
