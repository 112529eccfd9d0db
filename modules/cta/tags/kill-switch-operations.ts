import { Type } from '@sinclair/typebox';
import { adminOr, member } from '../../../core/actor.ts';
import { operation } from '../../../core/tools/operation.ts';
import { killedTags, killTag, tagNamed } from './tag-store.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { closed, nullable, tagName, tenantOf, tenantParameter, toolset } from '../parameters.ts';
import { killTenant, publishGrant, raiseVersion, tenantFor } from '../tenants/tenant-store.ts';

const killedAt = nullable(Type.Integer());

export const setCtaKillSwitch = operation({
  name: 'set-cta-kill-switch',
  toolset,
  title: 'Hide all CTAs of a tenant or a behaviour tag',
  description:
    'With killed true, apps get none of the CTAs of the tenant, or of one behaviour tag if it is named, from their next ' +
    "launch on; users' state is kept as if they were paused. With killed false they come back. No status changes: " +
    `set-cta-status is for single CTAs. Needs the role admin or the token scope ${publishGrant}.`,
  input: Type.Object(
    {
      tenantId: tenantParameter,
      behaviourTagName: Type.Optional(
        tagName('Only the CTAs of this behaviour tag; all of the tenant unless given.'),
      ),
      killed: Type.Boolean({ description: 'true hides them, false shows them again.' }),
    },
    closed,
  ),
  output: Type.Object(
    { tenantId: Type.String(), behaviourTagName: nullable(Type.String()), killedAt },
    closed,
  ),
  access: adminOr(publishGrant),
  effect: 'update',
  handler: async ({ killed, behaviourTagName, ...input }, { actor, db, clock, host, afterCommit }) => {
    const tenant = await db.tx(async (q) => {
      const found = await tenantFor(q, actor, tenantOf(input), 'publish');
      const known =
        behaviourTagName === undefined ? found : await tagNamed(q, found.tenantId, behaviourTagName);
      // A switch that is on stays on since when it was.
      const at = killed ? (known.killedAt ?? clock.now()) : null;
      if (behaviourTagName === undefined) await killTenant(q, found.tenantId, at);
      else await killTag(q, found.tenantId, behaviourTagName, at);
      await raiseVersion(q, found.tenantId);
      return { tenantId: found.tenantId, killedAt: at };
    });
    afterCommit(() => catalogues(host).forget(tenant.tenantId));
    return { ...tenant, behaviourTagName: behaviourTagName ?? null };
  },
});

export const getCtaKillSwitches = operation({
  name: 'get-cta-kill-switches',
  toolset,
  title: 'Read the kill switches of a tenant',
  description:
    'Answers whether all CTAs of a tenant are hidden, and the behaviour tags whose CTAs are, with the time since when ' +
    '(epoch milliseconds, null while they are shown).',
  input: Type.Object({ tenantId: tenantParameter }, closed),
  output: Type.Object(
    {
      tenantId: Type.String(),
      killedAt,
      behaviourTags: Type.Array(
        Type.Object({ behaviourTagName: Type.String(), killedAt: Type.Integer() }, closed),
      ),
    },
    closed,
  ),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const tenant = await tenantFor(q, actor, tenantOf(input), 'read');
    return {
      tenantId: tenant.tenantId,
      killedAt: tenant.killedAt,
      behaviourTags: await killedTags(q, tenant.tenantId),
    };
  },
});
