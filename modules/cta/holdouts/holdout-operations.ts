import { Type } from '@sinclair/typebox';
import { adminOr, member } from '../../../core/base/actor.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { tenantOf, tenantParameter } from '../base/parameters.ts';
import { holdoutName } from '../experiments/experiment.ts';
import { isOfWholeBuckets } from '../rules/cohort.ts';
import { holdoutScopes } from '../rules/experiment.ts';
import { publishScope, tenantFor } from '../tenants/tenant-access.ts';
import { changeTenant } from '../tenants/tenant-change.ts';
import {
  insertHoldout,
  maxHoldouts,
  pageOfHoldouts,
  removeHoldout,
  type HoldoutRow,
} from './holdout-store.ts';

const holdoutRecord = closedObject({
  tenantId: Type.String(),
  name: Type.String(),
  percentage: Type.Number(),
  seed: Type.String(),
  scope: words(holdoutScopes, { description: 'Of which CTAs.' }),
  createdBy: Type.Integer(),
  createdAt: Type.Integer(),
});

const holdoutRecordOf = ({ share, ...row }: HoldoutRow) => ({ ...row, percentage: share / 100 });

export const createHoldout = operation({
  name: 'create-holdout',
  title: 'Create a holdout',
  description:
    'Keeps CTAs from a small share of the users of a tenant, always the same ones, from their next launch on, to see what CTAs ' +
    'achieve as a whole. It is decided before experiments. scope "named": only CTAs whose running experiment names it in ' +
    `experiment.holdout. It cannot be changed; delete-holdout ends it. A tenant has at most ${maxHoldouts}. ` +
    `Needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({
    tenantId: tenantParameter,
    name: holdoutName,
    percentage: Type.Number({
      exclusiveMinimum: 0,
      maximum: 20,
      description: 'Percent of all users, in steps of 0.01.',
    }),
    seed: Type.String({
      pattern: '^[A-Za-z0-9_.:-]{1,64}$',
      description: 'Decides who is in it, by the SHA-256 of seed:userId. Another than those of experiments.',
    }),
    scope: words(holdoutScopes, { default: 'tenant', description: 'Every CTA of the tenant, or as above.' }),
  }),
  output: holdoutRecord,
  access: adminOr(publishScope),
  effect: 'create',
  named: ['name', 'seed'],
  handler: ({ name, percentage, seed, scope, ...input }, context) => {
    if (!isOfWholeBuckets(percentage))
      throw fail.INVALID_REQUEST('percentage must be a multiple of 0.01.', { cause: 'percentage' });
    const target = { tenantId: tenantOf(input), right: 'publish' } as const;
    return changeTenant(context, target, async (q, { tenantId }) => {
      const row = { tenantId, name, seed, scope, share: Math.round(percentage * 100) };
      const made = { createdBy: context.actor.userId, createdAt: context.clock.now() };
      return holdoutRecordOf(await insertHoldout(q, { ...row, ...made }));
    });
  },
});

export const listHoldouts = operation({
  name: 'list-holdouts',
  title: 'List holdouts',
  description: 'Lists the holdouts of a tenant by name. explain-cta says whether a user is in one.',
  input: closedObject({ tenantId: tenantParameter, ...paging }),
  output: page('holdouts', holdoutRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const { total, rows } = await pageOfHoldouts(q, tenantId, { limit, offset });
    return { total, limit, offset, holdouts: rows.map(holdoutRecordOf) };
  },
});

export const deleteHoldout = operation({
  name: 'delete-holdout',
  title: 'Delete a holdout',
  description:
    'Ends a holdout: its users get CTAs from their next launch on. Fails while a running experiment names it. ' +
    `Needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({ tenantId: tenantParameter, name: holdoutName }),
  output: holdoutRecord,
  access: adminOr(publishScope),
  effect: 'delete',
  confirm: 'Users of the holdout get CTAs from their next launch on, so it cannot be resumed.',
  named: ['name'],
  handler: ({ name, ...input }, context) => {
    const target = { tenantId: tenantOf(input), right: 'publish' } as const;
    return changeTenant(context, target, async (q, { tenantId }) =>
      holdoutRecordOf(await removeHoldout(q, tenantId, name)),
    );
  },
});
