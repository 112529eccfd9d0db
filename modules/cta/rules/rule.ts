import { Type, type Static, type TObject } from '@sinclair/typebox';
import { clearable, closedObject } from '../../../core/base/schema.ts';
import { windowUnits } from '../state/snapshot.ts';
import type { Action, StateTransition } from './rule-parts.ts';

/**
 * A CTA's rule, both as the administrator gives it ({@link RuleInput}) and as clients receive it ({@link wireRule}).
 *
 * The schema is a plain closed object, for tools whose callers read JSON Schema without `anyOf` or `$ref`. Parts that are recursive or have
 * keys chosen by the administrator (transitions, actions) are open in it and checked by `checkRule`; `rule-schema.ts` describes those parts
 * for readers of full JSON Schema.
 */
const Count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const opened = <T>(schema: TObject) => Type.Unsafe<T>(schema);

/** An optional list of texts. */
const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const Limit = (description: string) =>
  closedObject({ limit: Count('Max impressions; 0 is no limit.') }, { description });

export const RuleInput = closedObject(
  {
    stateToAction: opened<Record<string, string>>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'State name to the actionId that runs on entering it, e.g. {"1":"show-offer"}.',
        },
      ),
    ),
    resetStates: texts('States that end the state machine and count as one impression.'),
    resetCTAonFirstLaunch: Type.Optional(
      Type.Boolean({ description: 'Start over at the first launch of the app. Default false.' }),
    ),
    contextParams: texts('Event properties kept in the context of a state machine.'),
    stateTransition: opened<StateTransition>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            '{event: {fromState: [{transitionTo, filters?}]}}; the first match of a list wins; the initial state is "0". ' +
            'filters: {operator: AND|OR, filter: [leaf or group]}; leaf: {propertyName, propertyType: string|number|boolean, ' +
            'comparisonType: = != > < >= <=, comparisonValue, functions?}.',
        },
      ),
    ),
    groupByConfig: Type.Optional(
      closedObject(
        {
          maxActiveStateMachineCount: Type.Optional(
            Count('Max state machines of a user at a time. Absent is no limit.'),
          ),
          groupByKeys: texts('Event properties; each combination of their values has its own state machine.'),
        },
        { description: 'One state machine per group of events instead of one per CTA.' },
      ),
    ),
    priority: Type.Optional(
      Type.Integer({
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The lower number goes first. Default 0.',
      }),
    ),
    stateMachineTTL: Type.Optional(
      Count(
        'Milliseconds from creation until a state machine ends. 0 or absent is for ever; apps then get 9007199254740991.',
      ),
    ),
    ctaValidTill: Type.Optional(
      clearable(Count('Epoch milliseconds after which apps no longer show it. Absent or null is no end.')),
    ),
    actions: Type.Array(opened<Action>(Type.Object({}, { additionalProperties: true })), {
      description:
        '[{actionId, type: NUDGE_UI|POPUP|TOOLTIP|NUDGE_ACTION, config?: {triggerDelay}, template}].',
    }),
    frequency: Type.Optional(
      closedObject(
        {
          session: Type.Optional(Limit('Per app session.')),
          window: Type.Optional(
            closedObject(
              {
                limit: Count('Max impressions; 0 is no limit.'),
                unit: Type.Unsafe<(typeof windowUnits)[number]>(
                  Type.String({ enum: [...windowUnits], description: 'Unit of the window.' }),
                ),
                value: Count('Length of the window in that unit.'),
              },
              { description: 'Per sliding window of time.' },
            ),
          ),
          lifeSpan: Type.Optional(Limit('Ever.')),
          lifespan: Type.Optional(Limit('The same as lifeSpan; give one of them.')),
        },
        { description: 'How often a user sees the CTA.' },
      ),
    ),
    cohortEligibility: Type.Optional(
      closedObject(
        {
          includes: texts('Cohorts that get it; "all" or an empty list is everyone.'),
          excludes: texts('Cohorts that never get it.'),
        },
        { description: 'Who gets the CTA. Absent is everyone.' },
      ),
    ),
    appVersions: Type.Optional(
      closedObject(
        {
          min: Type.Optional(Type.String({ description: 'Lowest app version, e.g. 4.2.0.' })),
          max: Type.Optional(Type.String({ description: 'Highest app version.' })),
        },
        { description: 'App versions that get the CTA, both ends included. Absent is all.' },
      ),
    ),
    packageNames: texts('App packages that get the CTA. Absent or empty is all.'),
  },
  { description: 'What the CTA does, how often, and for whom.' },
);

export type RuleInput = Static<typeof RuleInput>;
