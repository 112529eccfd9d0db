import { Type } from '@sinclair/typebox';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { member } from '../../../core/actor.ts';
import type { Query } from '../../../core/db/db.ts';
import { operation } from '../../../core/tools/operation.ts';
import { canonicalUserId, closed, tenantOf, tenantParameter, toolset, userIdText } from '../parameters.ts';
import { cohortMembers, cohorts, userAttributes, userStates } from '../schema.ts';
import { stateUsage } from './state-usage.ts';
import { tenantFor } from '../tenants/tenant-store.ts';

export const purgeCtaUser = operation({
  name: 'purge-cta-user',
  toolset,
  title: 'Erase what is stored of an app user',
  description:
    'Erases everything that a tenant stores of one user: CTA state, attributes, and membership in cohorts of kind list. It ' +
    'cannot be undone. An app that still runs sends its own state again at the next launch. Needs the role admin.',
  input: Type.Object(
    { tenantId: tenantParameter, userId: userIdText('The user, as apps name it in auth-userid.') },
    closed,
  ),
  output: Type.Object(
    {
      tenantId: Type.String(),
      userId: Type.String(),
      state: Type.Boolean({ description: 'Whether a state was erased.' }),
      attributes: Type.Boolean({ description: 'Whether attributes were erased.' }),
      cohorts: Type.Array(Type.String(), { description: 'The cohorts that the user was taken out of.' }),
    },
    closed,
  ),
  access: member('admin'),
  effect: 'delete',
  handler: async (input, { actor, db, host, clock, afterCommit }) => {
    const userId = canonicalUserId(input.userId, 'userId');
    const { bytes, ...erased } = await db.tx(async (q) => {
      const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'admin');
      return erase(q, tenantId, userId, clock.now());
    });
    afterCommit(() => {
      if (erased.state) stateUsage(host).count(erased.tenantId, { states: -1, bytes: -bytes });
    });
    return erased;
  },
});

async function erase(q: Query, tenantId: string, userId: string, now: number) {
  const [state] = await q
    .delete(userStates)
    .where(and(eq(userStates.tenantId, tenantId), eq(userStates.userId, userId)))
    .returning({ bytes: sql<number>`octet_length(${userStates.state})`.mapWith(Number) });
  const attributes = await q
    .delete(userAttributes)
    .where(and(eq(userAttributes.tenantId, tenantId), eq(userAttributes.userId, userId)))
    .returning({ userId: userAttributes.userId });
  const ofTenant = q.select({ id: cohorts.id }).from(cohorts).where(eq(cohorts.tenantId, tenantId));
  const left = await q
    .delete(cohortMembers)
    .where(and(inArray(cohortMembers.cohortId, ofTenant), eq(cohortMembers.userId, userId)))
    .returning({ cohortId: cohortMembers.cohortId });
  const smaller =
    left.length === 0
      ? []
      : await q
          .update(cohorts)
          .set({ size: sql`${cohorts.size} - 1`, updatedAt: now })
          .where(
            inArray(
              cohorts.id,
              left.map(({ cohortId }) => cohortId),
            ),
          )
          .returning({ name: cohorts.name });
  return {
    tenantId,
    userId,
    state: state !== undefined,
    attributes: attributes.length > 0,
    cohorts: smaller.map(({ name }) => name).sort(),
    bytes: state?.bytes ?? 0,
  };
}
