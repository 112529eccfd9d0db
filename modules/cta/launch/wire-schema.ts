import { Type, type TSchema } from '@sinclair/typebox';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { BehaviourTagSnapshot, StateMachine, StateMachineSnapshot, windowUnits } from '../state/snapshot.ts';

const whole = (description?: string) =>
  Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    ...(description === undefined ? {} : { description }),
  });

/** The rule of a CTA, by which an app runs its state machine. */
function ruleWire() {
  const limit = closedObject({ limit: whole('0 is no limit.') });
  return closedObject({
    stateToAction: Type.Record(Type.String(), Type.String()),
    resetStates: Type.Array(Type.String()),
    resetCTAonFirstLaunch: Type.Boolean(),
    contextParams: Type.Array(Type.String()),
    stateTransition: Type.Record(
      Type.String(),
      Type.Record(Type.String(), Type.Array(Type.Object({ transitionTo: Type.String() }))),
      { description: '{event: {fromState: [{transitionTo, filters?}]}}; the first match of a list wins.' },
    ),
    groupByConfig: closedObject({
      maxActiveStateMachineCount: Type.Optional(whole()),
      groupByKeys: Type.Array(Type.String()),
    }),
    priority: whole('The lower number goes first.'),
    stateMachineTTL: whole('Milliseconds; 9007199254740991 is for ever.'),
    ctaValidTill: nullable(whole('Epoch milliseconds.')),
    actions: Type.Array(Type.Object({ actionId: Type.String(), type: Type.String() })),
    frequency: closedObject(
      {
        session: Type.Optional(limit),
        window: Type.Optional(
          closedObject({
            limit: whole('0 is no limit.'),
            unit: Type.String({ enum: [...windowUnits] }),
            value: whole(),
          }),
        ),
        lifeSpan: Type.Optional(limit),
        lifespan: Type.Optional(limit),
      },
      {
        description: 'lifeSpan and lifespan are the same; existing clients differ in which they read.',
      },
    ),
  });
}

/**
 * The bodies of Area B's requests and responses, for the API description. Responses are written as text (launch-answer.ts);
 * test/openapi.test.ts checks them against these schemas. Created on demand: it would cost each command 0.9 ms of its start
 * together with that of Area A (measured).
 */
export function ctaWire() {
  const CtaEntry = closedObject({
    ctaId: Type.String(),
    rule: ruleWire(),
    activeStateMachines: Type.Record(Type.String(), StateMachine, { description: 'By group key.' }),
    resetAt: Type.Array(whole('Epoch milliseconds.')),
    actionDoneAt: Type.Array(whole('Epoch milliseconds.')),
    behaviourTagName: nullable(Type.String()),
    version: whole('The edit of the CTA that this rule is.'),
    variant: Type.Optional(
      Type.String({ description: 'The arm of the user, while an experiment of the CTA runs.' }),
    ),
  });

  const data = (schema: TSchema) => closedObject({ data: schema });

  const SnapshotBodySchema = Type.Object({
    ctas: Type.Optional(Type.Array(StateMachineSnapshot)),
    behaviourTags: Type.Optional(Type.Array(BehaviourTagSnapshot)),
  });
  const LaunchAnswerSchema = data(
    closedObject(
      { ctas: nullable(Type.Array(CtaEntry)), behaviourTags: nullable(Type.Array(BehaviourTagSnapshot)) },
      { description: 'Both null if api_version is absent or below 1.' },
    ),
  );
  const DeltaAnswerSchema = data(
    Type.Boolean({ description: 'False if api_version is absent or below 1: nothing was merged.' }),
  );
  const PreviewAnswerSchema = data(
    nullable(
      closedObject({
        id: Type.String(),
        template: Type.String(),
        tenantId: Type.String(),
        ttl: nullable(Type.Integer({ description: 'Seconds.' })),
      }),
    ),
  );
  return { SnapshotBodySchema, LaunchAnswerSchema, DeltaAnswerSchema, PreviewAnswerSchema };
}
