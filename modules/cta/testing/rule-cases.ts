import type { RuleInput } from '../rules/rule.ts';
import { action, at, computed, filtered, leaf, nest, sound } from './sound-rule.ts';

type Faulty = readonly [title: string, rule: Record<string, unknown>, path: string, message: string];

/** Rules that may be saved. */
export const soundRules: ReadonlyArray<readonly [title: string, rule: RuleInput]> = [
  ['a sound rule', sound],
  ['a rule that does nothing', { stateToAction: {}, stateTransition: {}, actions: [] }],
  ['an action in the initial state', { ...sound, stateToAction: { '0': 'a' } }],
  ['nested groups', filtered({ operator: 'OR', filter: [leaf, { operator: 'AND', filter: [leaf] }] })],
  ['sixteen levels', filtered(nest(16))],
  ['null for no filters', filtered(null)],
  [
    'a function of the event and the time',
    computed({
      operator: '-',
      operand1: '$.currentTime',
      operand2: { operator: '+', operand1: '$.at', operand2: 5 },
    }),
  ],
  [
    'both spellings of one limit',
    { ...sound, frequency: { lifeSpan: { limit: 1 }, lifespan: { limit: 1 } } },
  ],
];

/** Rules that may not be saved, with the path and the text of the one problem. */
export const faultyRules: ReadonlyArray<Faulty> = [
  [
    'an unknown action',
    { ...sound, stateToAction: { '1': 'b' } },
    'stateToAction.1',
    'names an actionId that actions does not hold',
  ],
  [
    'an action id that is no text',
    { ...sound, stateToAction: { '1': 1 } } as unknown as RuleInput,
    'stateToAction.1',
    'names an actionId that actions does not hold',
  ],
  [
    'an action twice',
    { ...sound, actions: [action('a'), action('a')] },
    'actions[1].actionId',
    'is the same as that of an earlier action',
  ],
  [
    'an action without id',
    { ...sound, actions: [action('a'), { type: 'POPUP', template: {} }] },
    'actions[1].actionId',
    'must be a non-empty string',
  ],
  [
    'an unknown type',
    { ...sound, actions: [{ actionId: 'a', type: 'BANNER' }] },
    'actions[0].type',
    'must be one of NUDGE_UI, POPUP, TOOLTIP, NUDGE_ACTION',
  ],
  [
    'a negative delay',
    { ...sound, actions: [{ ...action('a'), config: { triggerDelay: -1 } }] },
    'actions[0].config.triggerDelay',
    'must be milliseconds, 0 or more',
  ],
  [
    'an unreachable state with an action',
    { ...sound, stateToAction: { '1': 'a', '5': 'a' } },
    'stateToAction.5',
    'cannot be reached from the initial state "0"',
  ],
  [
    'an unreachable reset state',
    { ...sound, resetStates: ['2', '5'] },
    'resetStates[1]',
    'cannot be reached from the initial state "0"',
  ],
  [
    'a transition out of nowhere',
    { ...sound, stateTransition: { ...sound.stateTransition, x: { '5': [{ transitionTo: '1' }] } } },
    'stateTransition.x.5',
    'starts from a state that no transition enters',
  ],
  [
    'an island of states',
    { ...sound, stateTransition: { ...sound.stateTransition, x: { '5': [{ transitionTo: '5' }] } } },
    'stateTransition.x.5',
    'cannot be reached from the initial state "0"',
  ],
  [
    'a transition to nowhere',
    { ...sound, stateTransition: { ...sound.stateTransition, x: { '0': [{}] } } },
    'stateTransition.x.0[0].transitionTo',
    'must be a non-empty string',
  ],
  [
    'a list that is none',
    { ...sound, stateTransition: { ...sound.stateTransition, x: { '0': {} } } },
    'stateTransition.x.0',
    'must be an array of {transitionTo, filters?}',
  ],
  [
    'an event that maps nothing',
    { ...sound, stateTransition: { ...sound.stateTransition, x: [] } },
    'stateTransition.x',
    'must be an object',
  ],
  ['filters without operator', filtered({ filter: [leaf] }), `${at}.operator`, 'must be AND or OR'],
  [
    'filters without a filter',
    filtered({ operator: 'AND', filter: [] }),
    `${at}.filter`,
    'must be a non-empty array of leaves and groups',
  ],
  ['a filter that is a list', filtered([leaf]), at, 'must be {operator, filter}'],
  [
    'an unknown comparison',
    filtered({ operator: 'AND', filter: [{ ...leaf, comparisonType: '~' }] }),
    `${at}.filter[0].comparisonType`,
    'must be one of = != > < >= <=',
  ],
  [
    'an unknown property type',
    filtered({ operator: 'AND', filter: [{ ...leaf, propertyType: 'date' }] }),
    `${at}.filter[0].propertyType`,
    'must be one of string, number, boolean',
  ],
  [
    'a value that cannot be compared',
    filtered({ operator: 'AND', filter: [{ ...leaf, comparisonValue: [] }] }),
    `${at}.filter[0].comparisonValue`,
    'must be a string, a number or a boolean',
  ],
  [
    'a value that is none of its type',
    filtered({ operator: 'AND', filter: [{ ...leaf, comparisonValue: 'five' }] }),
    `${at}.filter[0].comparisonValue`,
    'cannot be read as a number, so the leaf would never hold',
  ],
  [
    'an unknown function',
    computed({ operator: '*', operand1: 1, operand2: 2 }),
    `${at}.filter[0].functions.operator`,
    'must be + or -',
  ],
  [
    'an operand that is plain text',
    computed({ operator: '+', operand1: 'price', operand2: 2 }),
    `${at}.filter[0].functions.operand1`,
    'must be a number, $.eventProperty, $.currentTime or a function',
  ],
  [
    'seventeen levels',
    filtered(nest(17)),
    `${at}${'.filter[0]'.repeat(16)}`,
    'must be nested at most 16 levels deep',
  ],
  [
    'a negative limit',
    { ...sound, frequency: { session: { limit: -1 } } },
    'frequency.session.limit',
    'must not be negative',
  ],
  ['a negative time to live', { ...sound, stateMachineTTL: -1 }, 'stateMachineTTL', 'must not be negative'],
  [
    'an unknown unit',
    { ...sound, frequency: { window: { limit: 1, unit: 'weeks', value: 1 } } },
    'frequency.window.unit',
    'must be one of days, hours, minutes, seconds',
  ],
  [
    'two spellings at odds',
    { ...sound, frequency: { lifeSpan: { limit: 1 }, lifespan: { limit: 2 } } },
    'frequency.lifespan',
    'differs from lifeSpan, which means the same',
  ],
];

/** Rules that break the app. */
export const breakingRules: ReadonlyArray<Faulty> = [
  [
    'an event that every object has',
    {
      ...sound,
      stateTransition: { ...sound.stateTransition, constructor: { '0': [{ transitionTo: '1' }] } },
    },
    'stateTransition.constructor',
    'is the name of a member of every JavaScript object: it would stop all CTAs of the tenant in apps',
  ],
  [
    'a popup without template',
    { ...sound, actions: [{ actionId: 'a', type: 'POPUP' }] },
    'actions[0].template',
    'is missing: apps cannot run a POPUP without one',
  ],
  [
    'a nudge action with a template of null',
    { ...sound, actions: [{ actionId: 'a', type: 'NUDGE_ACTION', template: null }] },
    'actions[0].template',
    'is missing: apps cannot run a NUDGE_ACTION without one',
  ],
  [
    'a leaf that apps take for a group',
    filtered({ operator: 'AND', filter: [{ ...leaf, operator: 'AND' }] }),
    `${at}.filter[0].operator`,
    'must not stand in a leaf: apps read it as a group',
  ],
];

/** Rules that look wrong but may be saved, because apps can read them. */
export const oddRules: ReadonlyArray<readonly [title: string, rule: RuleInput]> = [
  ['no filters as an empty object', filtered({})],
  [
    'a boolean compared with a word',
    filtered({ operator: 'AND', filter: [{ ...leaf, propertyType: 'boolean', comparisonValue: 'no' }] }),
  ],
  [
    'a number that only JavaScript reads',
    filtered({ operator: 'AND', filter: [{ ...leaf, comparisonValue: '' }] }),
  ],
  [
    'a state that goes on as the number it is read as',
    {
      ...sound,
      stateTransition: { ...sound.stateTransition, opened: { '0': [{ transitionTo: '1st' }] } },
      stateToAction: { '1st': 'a' },
    },
  ],
];
