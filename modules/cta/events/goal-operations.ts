import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { ctaIdParameter, nameText, warnings } from '../base/parameters.ts';
import { ctaFor } from '../ctas/cta-store.ts';
import { checkStoredFilters } from '../rules/filter-check.ts';
import { defaultWindowHours, goalWarnings, type GoalEvent } from '../rules/goal.ts';
import type { FilterGroup } from '../rules/rule-parts.ts';
import { writeBesideCatalogue } from '../tenants/tenant-change.ts';
import { checkReadable } from './goal-filters.ts';
import { deleteGoal, goalsOfCta, insertGoal, maxGoals, type Goal } from './goal-store.ts';

const goalName = nameText('The name of the goal, unique for its CTA.');

const onState = closedObject(
  { state: Type.String({ minLength: 1, maxLength: 256, description: 'A state of the CTA.' }) },
  { description: 'Reached by an arrival in this state, which needs no change of the app.' },
);
const onEvent = closedObject(
  {
    event: Type.String({ minLength: 1, maxLength: 256, description: 'The name of a custom event.' }),
    filters: Type.Optional(
      Type.Unsafe<FilterGroup>(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              '{operator: AND|OR, filter: [leaf or group]} as in a cohort, on value, element, reason, state, actionId and groupKey of the event; at most 64 KiB.',
          },
        ),
      ),
    ),
  },
  { description: 'Reached by a custom event that the app sends to POST /cta/events/.' },
);

const goalRecord = closedObject({
  ctaId: Type.String(),
  name: Type.String(),
  on: Type.Union([onState, onEvent]),
  windowHours: Type.Integer(),
  createdBy: Type.Integer(),
  createdAt: Type.Integer(),
});

const goalRecordOf = ({ ctaId, name, on, windowHours, createdBy, createdAt }: Goal) => ({
  ctaId: String(ctaId),
  name,
  on,
  windowHours,
  createdBy,
  createdAt,
});

export const defineCtaGoal = operation({
  name: 'define-cta-goal',
  title: 'Define what counts as the success of a CTA',
  description:
    'Defines a goal: an arrival in a state of the CTA, or a custom event that the app sends. A user converts who reaches it ' +
    'within windowHours after the first impression, or after the first action where the app reports no impressions. It also ' +
    `counts what is stored already; get-cta-metrics returns the conversions. A CTA has at most ${maxGoals} goals. "warnings" ` +
    'says when the rule never leads to the state. The definition of a goal does not change: delete-cta-goal, then define it anew.',
  input: closedObject({
    ctaId: ctaIdParameter,
    name: goalName,
    on: Type.Union([onState, onEvent]),
    windowHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 720,
        default: defaultWindowHours,
        description: 'Hours in which it counts.',
      }),
    ),
  }),
  output: closedObject({ ...goalRecord.properties, warnings }),
  access: member('write'),
  effect: 'create',
  handler: async ({ ctaId, windowHours = defaultWindowHours, ...input }, context) => {
    const { actor, db, clock } = context;
    const name = input.name.trim();
    requireFilters(input.on);
    const { tenantId, rule } = await ctaFor(db.q, actor, ctaId, 'write');
    return writeBesideCatalogue(context, { tenantId, right: 'write' }, async (q) => {
      const goal = { tenantId, ctaId: Number(ctaId), name, on: input.on, windowHours };
      const stored = await insertGoal(q, { ...goal, createdBy: actor.userId, createdAt: clock.now() });
      return { ...goalRecordOf(stored), warnings: goalWarnings(input.on, rule) };
    });
  },
});

/** @throws Fault INVALID_REQUEST that names the first fault of the filters. */
function requireFilters(on: GoalEvent): void {
  if (!('filters' in on) || on.filters === undefined) return;
  const refuse = (path: string, message: string) => {
    throw fail.INVALID_REQUEST(`${path} ${message}.`, { cause: 'on' });
  };
  checkStoredFilters(on.filters, 'on.filters', refuse);
  checkReadable(on.filters, 'on.filters', refuse);
}

export const listCtaGoals = operation({
  name: 'list-cta-goals',
  title: 'List the goals of a CTA',
  description: 'Returns the goals of a CTA, oldest first. get-cta-metrics has their conversions.',
  input: closedObject({ ctaId: ctaIdParameter }),
  output: closedObject({ goals: Type.Array(goalRecord) }),
  access: member('read'),
  effect: 'read',
  handler: async ({ ctaId }, { actor, db: { q } }) => {
    const { tenantId } = await ctaFor(q, actor, ctaId, 'read');
    return { goals: (await goalsOfCta(q, tenantId, Number(ctaId))).map(goalRecordOf) };
  },
});

export const deleteCtaGoal = operation({
  name: 'delete-cta-goal',
  title: 'Delete a goal of a CTA',
  description: 'Deletes a goal. The events that it counted stay, so the same goal can be defined again.',
  input: closedObject({ ctaId: ctaIdParameter, name: goalName }),
  output: closedObject({ ctaId: Type.String(), name: nullable(Type.String()) }),
  access: member('write'),
  effect: 'delete',
  confirm: 'Its conversions are no longer shown; the same goal can be defined again.',
  handler: async ({ ctaId, name }, context) => {
    const { tenantId } = await ctaFor(context.db.q, context.actor, ctaId, 'write');
    return writeBesideCatalogue(context, { tenantId, right: 'write' }, async (q) => {
      await deleteGoal(q, tenantId, Number(ctaId), name.trim());
      return { ctaId, name: name.trim() };
    });
  },
});
