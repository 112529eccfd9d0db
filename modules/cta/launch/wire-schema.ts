import { Type, type TSchema } from '@sinclair/typebox';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { BehaviourTagSnapshot, StateMachine, StateMachineSnapshot, windowUnits } from '../state/snapshot.ts';

/**
 * The bodies of Area B's requests and responses, for the API description. Responses are written as text (launch-answer.ts);
 * test/openapi.test.ts checks them against these schemas. Created on demand: together with the schemas of Area A they would add 0.9 ms
 * (measured) to the start of each command.
 */
export function ctaWire() {
  const whole = (description?: string) =>
    Type.Integer({
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      ...(description === undefined ? {} : { description }),
    });
  const limit = closedObject({ limit: whole('0 is no limit.') });

  const Rule = closedObject({
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

  const CtaEntry = closedObject({
    ctaId: Type.String(),
    rule: Rule,
    activeStateMachines: Type.Record(Type.String(), StateMachine, { description: 'By group key.' }),
    resetAt: Type.Array(whole('Epoch milliseconds.')),
    actionDoneAt: Type.Array(whole('Epoch milliseconds.')),
    behaviourTagName: nullable(Type.String()),
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
