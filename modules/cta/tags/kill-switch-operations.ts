import { Type } from '@sinclair/typebox';
import { adminOr, member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { operation } from '../base/operation.ts';
import { tagName, tenantOf, tenantParameter } from '../base/parameters.ts';
import { publishScope, tenantFor } from '../tenants/tenant-access.ts';
import { changeTenant } from '../tenants/tenant-change.ts';
import { killTenant } from '../tenants/tenant-store.ts';
import { readKilledTags, killTag, tagNamed } from './tag-store.ts';

const killedAt = nullable(Type.Integer());

export const setCtaKillSwitch = operation({
  name: 'set-cta-kill-switch',
  title: 'Hide or show all CTAs of a tenant or a behaviour tag',
  description:
    'With killed true, apps get none of the CTAs of a tenant, or of one behaviour tag if it is given, from their next launch ' +
    "on; the users' state is kept as for PAUSED CTAs. With killed false they are sent again. No status changes; " +
    `set-cta-status is for single CTAs. Needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({
    tenantId: tenantParameter,
    behaviourTagName: Type.Optional(
      tagName('Only the CTAs of this behaviour tag; default all of the tenant.'),
    ),
    killed: Type.Boolean({ description: 'true hides them, false shows them again.' }),
  }),
  output: closedObject({ tenantId: Type.String(), behaviourTagName: nullable(Type.String()), killedAt }),
  access: adminOr(publishScope),
  effect: 'update',
  confirm: 'Apps show or hide it from their next launch on.',
  handler: ({ killed, behaviourTagName, ...input }, context) => {
    const target = { tenantId: tenantOf(input), right: 'publish' } as const;
    return changeTenant(context, target, async (q, tenant) => {
      const { tenantId } = tenant;
      const tag = behaviourTagName === undefined ? null : await tagNamed(q, tenantId, behaviourTagName);
      // A switch that is already on keeps its time.
      const killedAt = killed ? ((tag ?? tenant).killedAt ?? context.clock.now()) : null;
      await (tag ? killTag(q, tag, killedAt) : killTenant(q, tenantId, killedAt));
      return { tenantId, behaviourTagName: behaviourTagName ?? null, killedAt };
    });
  },
});

export const getCtaKillSwitches = operation({
  name: 'get-cta-kill-switches',
  title: 'Read the kill switches of a tenant',
  description:
    'Returns whether all CTAs of a tenant are hidden, and the behaviour tags whose CTAs are hidden, each with the time since ' +
    'when (epoch milliseconds; null while shown).',
  input: closedObject({ tenantId: tenantParameter }),
  output: closedObject({
    tenantId: Type.String(),
    killedAt,
    behaviourTags: Type.Array(closedObject({ behaviourTagName: Type.String(), killedAt: Type.Integer() })),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const tenant = await tenantFor(q, actor, tenantOf(input), 'read');
    return {
      tenantId: tenant.tenantId,
      killedAt: tenant.killedAt,
      behaviourTags: await readKilledTags(q, tenant.tenantId),
    };
  },
});
