import { expect, test } from 'bun:test';
import { serialiseCta } from '../catalogue/serialised-cta.ts';
import { byPriority, type AppCta } from '../rules/app-cta.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import { wireRule } from '../rules/wire-rule.ts';
import {
  emptyCtaState,
  emptyState,
  emptyTagState,
  type CtaState,
  type UserState,
} from '../state/user-state.ts';
import { launchAnswerJson } from './launch-answer.ts';

const rule = (priority: number, most?: number) =>
  wireRule(
    {
      stateToAction: {},
      stateTransition: {},
      actions: [],
      priority,
      ...(most !== undefined && { groupByConfig: { maxActiveStateMachineCount: most } }),
    },
    null,
  );
const cta = (ctaId: string, priority = 0, over: Partial<AppCta> = {}): AppCta => ({
  ctaId,
  rule: rule(priority),
  behaviourTagName: null,
  ...over,
});
const machine = (lastTransitionAt: number) => ({ currentState: '1', lastTransitionAt, createdAt: 1 });
const tombstone = { removed: true as const, lastTransitionAt: 9, receivedAt: 9 };
const stored = (over: Partial<CtaState>): UserState => ({
  ...emptyState,
  ctas: { '7': { ...emptyCtaState, ...over } },
});
const nothing = { activeStateMachines: {}, resetAt: [], actionDoneAt: [] };

const seven = { ctaId: '7', rule: rule(0), behaviourTagName: null, version: 4 };
const ctaCases: [string, readonly AppCta[], UserState, readonly unknown[]][] = [
  ['none eligible', [], stored({}), []],
  ['no stored state', [cta('7')], emptyState, [{ ...seven, ...nothing }]],
  [
    'stored state',
    [cta('7', 0, { behaviourTagName: 't' })],
    stored({
      machines: { k: { ...machine(5), context: { 'a"b': [1] } } },
      resetAt: { marks: [1, 2], clearedAt: 0 },
      actionDoneAt: { marks: [3] },
    }),
    [
      {
        ...seven,
        activeStateMachines: { k: { ...machine(5), context: { 'a"b': [1] } } },
        resetAt: [1, 2],
        actionDoneAt: [3],
        behaviourTagName: 't',
      },
    ],
  ],
  ['tombstones only', [cta('7')], stored({ machines: { k: tombstone } }), [{ ...seven, ...nothing }]],
  [
    'more machines than a user may have, tombstones not counted',
    [cta('7', 0, { rule: rule(0, 2) })],
    stored({ machines: { a: machine(5), b: machine(7), c: machine(6), d: tombstone } }),
    [{ ...seven, rule: rule(0, 2), ...nothing, activeStateMachines: { b: machine(7), c: machine(6) } }],
  ],
  [
    'state of CTAs that are not eligible',
    [cta('8')],
    stored({ machines: { k: machine(5) } }),
    [{ ...seven, ctaId: '8', ...nothing }],
  ],
  [
    'several, the lower priority number first and then by id',
    [cta('10', 1), cta('9', 1), cta('3', 2), cta('4', -1)],
    emptyState,
    [
      { ...seven, ctaId: '4', rule: rule(-1), ...nothing },
      { ...seven, ctaId: '9', rule: rule(1), ...nothing },
      { ...seven, ctaId: '10', rule: rule(1), ...nothing },
      { ...seven, ctaId: '3', rule: rule(2), ...nothing },
    ],
  ],
];

const limits = {
  session: { limit: 1 },
  window: { limit: 3, unit: 'days' as const, value: 7 },
  lifespan: { limit: 5 },
};

const relation = {
  shownCta: { rule: 'ANY' as const, ctaList: [] },
  hideCta: { rule: 'REST' as const, ctaList: [] },
};

const whole: TagDefinition = { behaviourTagName: 't', exposureRule: limits, ctaRelation: relation };
const used: UserState = {
  ...emptyState,
  tags: {
    t: {
      ctasResetAt: { marks: [{ ctaId: '7', resetAt: 5 }] },
      activeCtas: {
        '10': { active: true, at: 1 },
        '9': { active: true, at: 1 },
        '8': { active: false, at: 1 },
      },
    },
    u: emptyTagState,
  },
};

const tagCases: [string, readonly TagDefinition[], UserState, readonly unknown[]][] = [
  [
    'a tag not used yet',
    [whole],
    emptyState,
    [
      {
        behaviourTagName: 't',
        exposureRule: { ...limits, ctasResetAt: [] },
        ctaRelation: { ...relation, activeCtas: [] },
      },
    ],
  ],
  [
    'a tag in use',
    [whole],
    used,
    [
      {
        behaviourTagName: 't',
        exposureRule: { ...limits, ctasResetAt: [{ ctaId: '7', resetAt: 5 }] },
        ctaRelation: { ...relation, activeCtas: ['9', '10'] },
      },
    ],
  ],
  ['a tag without limits and relations', [{ behaviourTagName: 'u' }], used, [{ behaviourTagName: 'u' }]],
  [
    'a tag that lost its limits and relations',
    [{ behaviourTagName: 't' }],
    used,
    [{ behaviourTagName: 't', exposureRule: { ctasResetAt: [{ ctaId: '7', resetAt: 5 }] } }],
  ],
];

/** The CTAs in the form in which the catalogue stores them. */
const prepared = (ctas: readonly AppCta[]) =>
  ctas.map((cta) => serialiseCta({ ...cta, version: 4 })).sort(byPriority);

test.each(ctaCases)('%s', (_, ctas, state, entries) => {
  const data = { ctas: [...entries], behaviourTags: [] };
  expect(JSON.parse(launchAnswerJson(prepared(ctas), [], state))).toStrictEqual({ data });
});

test.each(tagCases)('%s', (_, tags, state, entries) => {
  const data = { ctas: [], behaviourTags: [...entries] };
  expect(JSON.parse(launchAnswerJson([], tags, state))).toStrictEqual({ data });
});

test('byte for byte, with ids and keys that need care', () => {
  const state = JSON.parse(
    `{"version":1,"ctas":{"__proto__":{"machines":{"__proto__":${JSON.stringify(machine(1))}},"resetAt":{"marks":[]},"actionDoneAt":{"marks":[]}}},"tags":{}}`,
  ) as UserState;
  const stored = `"activeStateMachines":{"__proto__":${JSON.stringify(machine(1))}},"resetAt":[],"actionDoneAt":[]`;
  const untouched = '"activeStateMachines":{},"resetAt":[],"actionDoneAt":[]';
  const entry = (ctaId: string, userPart: string) =>
    `{"ctaId":${JSON.stringify(ctaId)},"rule":${JSON.stringify(rule(0))},${userPart},"behaviourTagName":null,"version":4}`;
  const tag = { behaviourTagName: 't', exposureRule: { ...limits, ctasResetAt: [] } };
  const tagJson = JSON.stringify({ ...tag, ctaRelation: { ...relation, activeCtas: [] } });
  const ctas = [cta('__proto__'), cta('a"\u2028'), cta('constructor')];
  const entries = [entry('__proto__', stored), entry('a"\u2028', untouched), entry('constructor', untouched)];
  expect(launchAnswerJson(prepared(ctas), [whole], state)).toBe(
    `{"data":{"ctas":[${entries.join(',')}],"behaviourTags":[${tagJson}]}}`,
  );
});
