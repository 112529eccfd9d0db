import { Type, type Static } from '@sinclair/typebox';
import { closedObject, words } from '../../../core/base/schema.ts';
import type { CtaOutcome } from '../rules/outcome.ts';
import { snapshotOf, type Device } from '../device/device.ts';
import type { StateMachine } from '../state/snapshot.ts';

const countsRecord = closedObject({
  session: Type.Integer(),
  window: Type.Integer(),
  lifespan: Type.Integer(),
});

export const outcomeRecord = closedObject({
  kind: words(['started', 'transition', 'action', 'reset', 'expired', 'held'], {
    description: 'What happened; started: a state machine was created and stays in "0".',
  }),
  ctaId: Type.String(),
  groupKey: Type.String(),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  started: Type.Optional(Type.Boolean({ description: 'Whether the state machine is new.' })),
  actionId: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  triggerDelay: Type.Optional(Type.Number({ description: 'Milliseconds.' })),
  state: Type.Optional(Type.String()),
  hold: Type.Optional(
    Type.String({
      description:
        'Why the app did nothing: a gate (frequency.session, relation …), one_action, context, trigger_delay.',
    }),
  ),
  counts: Type.Optional({
    ...countsRecord,
    description: 'How often the CTA was reset before: what limits count.',
  }),
});

export function outcomeRecordOf(outcome: CtaOutcome): Static<typeof outcomeRecord> {
  const { ctaId, groupKey } = outcome;
  switch (outcome.kind) {
    case 'transition': {
      const { kind, from, to, started } = outcome;
      return { kind, ctaId, groupKey, from, to, started };
    }
    case 'action': {
      const { kind, action, counts } = outcome;
      const triggerDelay = action.config?.triggerDelay ?? 0;
      return { kind, ctaId, groupKey, actionId: action.actionId, type: action.type, triggerDelay, counts };
    }
    case 'started':
    case 'reset':
    case 'expired':
      return { kind: outcome.kind, ctaId, groupKey, state: outcome.state };
    case 'held': {
      const { kind, hold, to, counts } = outcome;
      const optional = { ...(to !== null && { to }), ...(counts !== null && { counts }) };
      return { kind, ctaId, groupKey, hold, ...optional };
    }
  }
}

const machines = Type.Unsafe<Readonly<Record<string, StateMachine>>>(
  Type.Object({}, { additionalProperties: true }),
);

const times = Type.Array(Type.Integer());

/** The app's data of its CTAs after the last step. */
export const deviceRecord = Type.Array(
  closedObject(
    { ctaId: Type.String(), activeStateMachines: machines, resetAt: times, actionDoneAt: times },
    { description: 'What the app keeps in the end.' },
  ),
);

export const deviceRecordOf = (device: Device): Static<typeof deviceRecord> =>
  [...device.ctas].map(([ctaId, cta]) => ({
    ctaId,
    activeStateMachines: Object.fromEntries(
      [...cta.machines].map(([groupKey, machine]) => [groupKey, snapshotOf(machine)]),
    ),
    resetAt: [...cta.resetAt, ...cta.resetInSession],
    actionDoneAt: cta.actionDoneAt,
  }));
