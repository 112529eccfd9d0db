import { Type } from '@sinclair/typebox';
import { closedObject } from '../../../core/base/schema.ts';
import type { Action } from '../rules/rule-parts.ts';

/** Seeds and keys are recorded in the audit log, which contains no text that anybody typed freely. */
const word = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9_.:-]{1,64}$',
    description: `${description} Letters, digits and _ . : -`,
  });

export const holdoutName = word('The holdout.');

const variantParameter = closedObject({
  key: word('Its name, unique in the experiment.'),
  weight: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    description: 'The share of the users in the experiment.',
  }),
  control: Type.Optional(Type.Boolean({ description: 'Shows nothing. At most one variant.' })),
  actions: Type.Optional(
    Type.Array(Type.Unsafe<Action>(Type.Object({}, { additionalProperties: true })), {
      description: 'Replace the actions of the rule, with the same actionIds; absent: they stay.',
    }),
  ),
});

/** An experiment as a tool takes and returns it. */
export const experimentParameter = closedObject(
  {
    key: word('The name of the experiment.'),
    seed: word('Decides who is in which arm, by the SHA-256 of seed:userId.'),
    coverage: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The share of all users that takes part; the others get the CTA as it is.',
    }),
    holdout: Type.Optional(word('A holdout of the tenant, whose users do not get the CTA.')),
    variants: Type.Array(variantParameter, {
      minItems: 2,
      maxItems: 5,
      description: 'The arms. Their weights add up to 1.',
    }),
  },
  { description: 'Variants of the actions that are compared; start-experiment starts it.' },
);
