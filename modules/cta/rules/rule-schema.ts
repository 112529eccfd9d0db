import {
  actionTypes,
  comparisonTypes,
  functionOperators,
  groupOperators,
  maxFilterDepth,
  maxRuleBytes,
  operandForm,
  propertyTypes,
  typesWithTemplate,
} from './rule-words.ts';
import { RuleInput } from './rule.ts';

export const ruleSchemaPath = '/schemas/cta-rule.json';

const name = (description: string) => ({ type: 'string', minLength: 1, description });
const word = (values: readonly string[], description: string) => ({
  type: 'string',
  enum: values,
  description,
});
const part = (definition: 'filterGroup' | 'filterLeaf' | 'filterFunction') => ({
  $ref: `#/$defs/${definition}`,
});

/**
 * Text that JavaScript's `Number()` can read, which is how apps compare numbers (ECMA-262, StringNumericLiteral). No character can belong to
 * two repetitions side by side: whoever validates by the schema would try each division of a long text.
 */
const numeral =
  '^\\s*(([+-]?(Infinity|\\d+(\\.\\d*)?([eE][+-]?\\d+)?|\\.\\d+([eE][+-]?\\d+)?)|0[xX][\\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)\\s*)?$';

const filterGroup = {
  description: 'Conditions that hold all (AND) or at least one (OR).',
  type: 'object',
  required: ['operator', 'filter'],
  properties: {
    operator: word(groupOperators, 'AND: all parts hold. OR: at least one does.'),
    filter: {
      type: 'array',
      minItems: 1,
      description: 'The parts: leaves and groups. What has "filter" is a group.',
      items: { anyOf: [part('filterGroup'), part('filterLeaf')] },
    },
  },
};

const filterLeaf = {
  description: 'One comparison of a property of the event.',
  type: 'object',
  required: ['propertyName', 'propertyType', 'comparisonType'],
  properties: {
    propertyName: name('The property of the event. A leaf whose property the event lacks does not hold.'),
    propertyType: word(propertyTypes, 'How both sides are read.'),
    comparisonType: word(
      comparisonTypes,
      'Numbers: all but !=, which never holds. Text: only = and !=. Booleans: ignored, both sides must be equal.',
    ),
    comparisonValue: {
      description:
        'The right side: a string, a number or a boolean. Required without functions; for a number, text must be a numeral.',
    },
    functions: {
      anyOf: [part('filterFunction'), { type: 'null' }],
      description: 'A calculation whose result takes the place of the property.',
    },
    // A node with a filter is a group, and apps treat a node with an operator as a group.
    filter: false,
    operator: false,
  },
  if: { required: ['functions'], properties: { functions: { type: 'object' } } },
  else: {
    required: ['comparisonValue'],
    properties: { comparisonValue: { type: ['string', 'number', 'boolean'] } },
    if: { not: { properties: { propertyType: { const: 'number' } } } },
    else: { properties: { comparisonValue: { pattern: numeral } } },
  },
};

const operand = (description: string) => ({
  anyOf: [{ type: 'number' }, { type: 'string', pattern: operandForm }, part('filterFunction')],
  description,
});

const filterFunction = {
  description: 'A sum or a difference.',
  type: 'object',
  required: ['operator', 'operand1', 'operand2'],
  properties: {
    operator: word(functionOperators, '+ adds, - subtracts operand2 from operand1.'),
    operand1: operand('A number, $.property of the event, $.currentTime (epoch milliseconds) or a function.'),
    operand2: operand('As operand1.'),
  },
};

const transition = {
  type: 'object',
  required: ['transitionTo'],
  properties: {
    transitionTo: name('The next state: a whole number as text.'),
    filters: {
      anyOf: [part('filterGroup'), { type: 'object', maxProperties: 0 }, { type: 'null' }],
      description: 'When the transition is taken. Absent, null or {} is always.',
    },
  },
};

const action = {
  type: 'object',
  required: ['actionId', 'type'],
  properties: {
    actionId: name('Its name, unique in the rule. stateToAction refers to it.'),
    type: word(actionTypes, 'What the app shows or does.'),
    config: {
      type: ['object', 'null'],
      description: 'Settings of the action.',
      properties: {
        triggerDelay: {
          type: ['number', 'null'],
          minimum: 0,
          description: 'Milliseconds before the app runs it. A CTA has at most one action waiting.',
        },
      },
    },
    template: {
      description: `What the app draws: any JSON. Required for ${typesWithTemplate.join(' and ')}.`,
    },
  },
  if: { not: { required: ['type'], properties: { type: { enum: typesWithTemplate } } } },
  else: { required: ['template'], properties: { template: { not: { type: 'null' } } } },
};

const { stateToAction, stateTransition, actions, ...plain } = RuleInput.properties;

/**
 * The rule of a CTA as a JSON Schema 2020-12: {@link RuleInput}, including the parts that it leaves open. It covers as much of a rule's
 * form as JSON Schema can express; `checkRule` checks the rest too (docs/cta-rules.md, "What the schema cannot say").
 * @param id the address at which it is served.
 */
export const ruleSchema = (id: string) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: id,
  title: 'The rule of a CTA',
  description:
    `${RuleInput.description} create-cta also checks that states can be reached, that stateToAction names actions of the rule, ` +
    `that filters have at most ${maxFilterDepth} levels, and that the rule has at most ${maxRuleBytes} bytes of JSON.`,
  type: RuleInput.type,
  required: RuleInput.required,
  additionalProperties: RuleInput.additionalProperties,
  properties: {
    stateTransition: {
      ...stateTransition,
      description:
        'By event, then by state: the transitions that the event may set off. The first whose filters hold is taken.',
      // The app SDK throws at such an event, and then every CTA of the tenant fails.
      propertyNames: { not: { enum: Object.getOwnPropertyNames(Object.prototype) } },
      additionalProperties: {
        type: 'object',
        description: 'The transitions of one event, by state. The initial state is "0".',
        additionalProperties: {
          type: 'array',
          description: 'The transitions of one event in one state, in the order in which they are tried.',
          items: transition,
        },
      },
    },
    stateToAction: {
      ...stateToAction,
      description: 'By state: the action that runs when the state is entered.',
      additionalProperties: name('The actionId of one of the actions.'),
    },
    actions: { ...actions, description: 'What the app can show or do.', items: action },
    ...plain,
  },
  $defs: { filterGroup, filterLeaf, filterFunction },
});
