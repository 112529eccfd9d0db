import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { forgetErased } from '../../../core/host/erasure.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { operation } from '../base/operation.ts';
import { canonicalUserId, tenantOf, tenantParameter, userIdText } from '../base/parameters.ts';
import { writeBesideCatalogue } from '../tenants/tenant-change.ts';
import { eraseUserOfTenant } from './purge-store.ts';
import { stateUsage } from './state-usage.ts';

export const purgeCtaUser = operation({
  name: 'purge-cta-user',
  title: 'Erase what is stored of an app user',
  description:
    'Erases everything that a tenant stores of one user: CTA state, attributes, and membership in cohorts of kind list. Events ' +
    'stay in the figures, without the user. This cannot be undone. An app that still runs sends its own state again at the next launch. Needs the role admin.',
  input: closedObject({ tenantId: tenantParameter, userId: userIdText('The user, as in auth-userid.') }),
  output: closedObject({
    tenantId: Type.String(),
    userId: Type.String(),
    state: Type.Boolean({ description: 'Whether a state was erased.' }),
    attributes: Type.Boolean({ description: 'Whether attributes were erased.' }),
    cohorts: Type.Array(Type.String(), { description: 'The cohorts that the user was removed from.' }),
  }),
  access: member('admin'),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  handler: async (input, context) => {
    const userId = canonicalUserId(input.userId, 'userId');
    const word = context.random(16).toHex();
    const target = { tenantId: tenantOf(input), right: 'admin' } as const;
    const { bytes, states, ...erased } = await writeBesideCatalogue(context, target, (q, { tenantId }) =>
      eraseUserOfTenant(q, { tenantId, userId, now: context.clock.now(), word }),
    );
    context.afterCommit(async () => {
      if (states > 0) stateUsage(context.host).count(erased.tenantId, { states: -states, bytes: -bytes });
      await forgetErased(context.host);
    });
    return erased;
  },
});
