import { expect, test } from 'bun:test';
import type { AppCta } from '../rules/app-cta.ts';
import type { RuleInput } from '../rules/rule.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import { wireRule } from '../rules/wire-rule.ts';
import { emptyState } from '../state/user-state.ts';
import { openNextClose, outcomesOf, outcomeText } from '../testing/played-rules.ts';
import { deviceOf, launchFirstTime, restart, type Device, type Offer } from './device.ts';

/* Behaviour that app-sdk.test.ts does not cover: restarts, first launches, and the reported outcome of each event. */

/** Entering 1 shows `a`, entering 2 shows `b`. */
const steps: RuleInput = {
  ...openNextClose,
  stateToAction: { '1': 'a', '2': 'b' },
  actions: [
    { actionId: 'a', type: 'TOOLTIP', template: {} },
    { actionId: 'b', type: 'POPUP', template: {} },
  ],
};

const cta = (
  ctaId: string,
  rule: Partial<RuleInput> = {},
  behaviourTagName: string | null = null,
): AppCta => ({ ctaId, rule: wireRule({ ...steps, ...rule }, null), behaviourTagName });
const offerOf = (ctas: AppCta[], ...tags: TagDefinition[]): Offer => ({
  ctas,
  tags: new Map(tags.map((tag) => [tag.behaviourTagName, tag])),
});
const shopTag = (over: Partial<TagDefinition>): TagDefinition => ({ behaviourTagName: 'shop', ...over });
const anyRest: TagDefinition['ctaRelation'] = {
  shownCta: { rule: 'ANY', ctaList: [] },
  hideCta: { rule: 'REST', ctaList: [] },
};

const limit = (count: number) => ({ limit: count });

/** Events one second apart, starting at 1000, or at the time after `@`; the text after a slash is the property `g`. */
function told(device: Device, offer: Offer, happened: readonly string[], from = 0): string[] {
  let now = from;
  return happened.map((step) => {
    const [what = '', at] = step.split('@');
    now = at === undefined ? now + 1000 : Number(at);
    if (what === 'restart') restart(device, offer, now);
    if (what === 'first') launchFirstTime(device, offer, now);
    const [name = '', g] = what.split('/');
    const properties = g === undefined ? {} : { g };
    return outcomesOf(device, offer, { name, at: now, properties }).map(outcomeText).join(' ');
  });
}

const grouped = (over: Partial<RuleInput> = {}) =>
  cta('1', { groupByConfig: { groupByKeys: ['g'], maxActiveStateMachineCount: 2 }, ...over });
const lists: TagDefinition['ctaRelation'] = {
  shownCta: { rule: 'LIST', ctaList: ['1'] },
  hideCta: { rule: 'LIST', ctaList: ['2'] },
};

test.each<[string, Offer, string[], string[]]>([
  ['runs through', offerOf([cta('1')]), ['open', 'next', 'close'], ['1:0⇒1 1!a', '1:1→2 1!b', '1:2→9 1×']],
  [
    'an event that only goes on makes a machine',
    offerOf([cta('1')]),
    ['close', 'open', 'x'],
    ['1⇒0', '1:0→1 1!a', ''],
  ],
  [
    'machines that wait count for the maximum, and a restart loses them',
    offerOf([grouped()]),
    ['close/x', 'open/y', 'open/z', 'restart', 'open/z', 'next/y'],
    ['1/x⇒0', '1/y:0⇒1 1/y!a', '1/z#machine_count', '', '1/z:0⇒1 1/z!a', '1/y:1→2 1/y!b'],
  ],
  [
    'past its time to live: the event is swallowed, other groups are not looked at, a restart drops it',
    offerOf([grouped({ stateMachineTTL: 5000 })]),
    ['open/x@0', 'open/y@0', 'next/x@6000', 'open/z@6000', 'open/x@6000', 'restart@6001', 'next/y@6001'],
    ['1/x:0⇒1 1/x!a', '1/y:0⇒1 1/y!a', '1/x†', '1/z:0⇒1 1/z!a', '1/x#machine_count', '', '1/y⇒0'],
  ],
  ['an event without the property of the group', offerOf([grouped()]), ['open'], ['1/#group_key']],
  [
    'a limit stops what is under way',
    offerOf([grouped({ frequency: { lifeSpan: limit(1) } })]),
    ['open/x', 'open/y', 'close/x', 'next/y', 'restart', 'close/y'],
    [
      '1/x:0⇒1 1/x!a',
      '1/y:0⇒1 1/y!a',
      '1/x:1→9 1/x×',
      '1/y#frequency.lifespan',
      '',
      '1/y#frequency.lifespan',
    ],
  ],
  [
    'resets of one millisecond are several until the server has joined them',
    offerOf([grouped({ frequency: { lifeSpan: limit(3) } })]),
    [
      'open/x@1',
      'open/y@1',
      'close/x@2',
      'close/y@2',
      'restart@3',
      'open/x@4',
      'close/x@5',
      'open/x@6',
      'close/x@7',
      'open/x@8',
    ],
    [
      '1/x:0⇒1 1/x!a',
      '1/y:0⇒1 1/y!a',
      '1/x:1→9 1/x×',
      '1/y:1→9 1/y×',
      '',
      '1/x:0⇒1 1/x!a',
      '1/x:1→9 1/x×',
      '1/x:0⇒1 1/x!a',
      '1/x:1→9 1/x×',
      '1/x#frequency.lifespan',
    ],
  ],
  [
    'the session of a tag goes on over a restart, the session of a CTA does not',
    offerOf(
      [cta('1', { frequency: { session: limit(1) } }), cta('2', {}, 'shop')],
      shopTag({ exposureRule: { session: limit(1) } }),
    ),
    ['open', 'close', 'open', 'restart', 'open', 'first', 'open'],
    [
      '1:0⇒1 1!a 2:0⇒1 2!a',
      '1:1→9 1× 2:1→9 2×',
      '1#frequency.session 2#exposure.session',
      '',
      '1:0⇒1 1!a 2#exposure.session',
      '',
      '2:0⇒1 2!a',
    ],
  ],
  [
    'ANY with REST: the first to run an action has the place, over resets and restarts',
    offerOf([cta('1', {}, 'shop'), cta('2', {}, 'shop')], shopTag({ ctaRelation: anyRest })),
    ['open', 'close', 'open', 'restart', 'close', 'open'],
    [
      '1:0⇒1 1!a 2#relation',
      '1:1→9 1× 2#relation',
      '1:0⇒1 1!a 2#relation',
      '',
      '1:1→9 1× 2#relation',
      '1:0⇒1 1!a 2#relation',
    ],
  ],
  [
    'and a first launch frees it when the CTA starts over',
    offerOf(
      [
        cta(
          '1',
          { resetCTAonFirstLaunch: true, stateTransition: { one: { '0': [{ transitionTo: '1' }] } } },
          'shop',
        ),
        cta('2', {}, 'shop'),
      ],
      shopTag({ ctaRelation: anyRest }),
    ),
    ['one', 'open', 'first', 'open', 'one'],
    ['1:0⇒1 1!a', '2#relation', '', '2:0⇒1 2!a', '1#relation'],
  ],
  [
    'LIST with LIST: hidden only while none has entered, and only shown ones enter',
    offerOf(
      [
        cta('2', { priority: -1 }, 'shop'),
        cta('1', { stateTransition: { one: { '0': [{ transitionTo: '1' }] } } }, 'shop'),
      ],
      shopTag({ ctaRelation: lists }),
    ),
    ['open', 'one', 'close'],
    ['2:0⇒1 2!a', '1:0⇒1 1!a', '2#relation'],
  ],
  ['a tag that is not there holds nothing', offerOf([cta('1', {}, 'gone')]), ['open'], ['1:0⇒1 1!a']],
  [
    'after an action another one is passed over, and the next transition tried',
    offerOf([
      cta('1', { stateToAction: { '1': 'b' } }),
      cta('2', { stateTransition: { open: { '0': [{ transitionTo: '2' }, { transitionTo: '7' }] } } }),
      cta('3'),
    ]),
    ['open'],
    ['1:0⇒1 1!b 2#one_action 2:0⇒7 3#one_action 3⇒0'],
  ],
  [
    'a popup that waits for its context blocks nobody, takes the place of its tag and moves on',
    offerOf(
      [
        cta('1', { contextParams: ['never'], stateToAction: { '1': 'b' } }, 'shop'),
        cta('2', {}, 'shop'),
        cta('3'),
      ],
      shopTag({ ctaRelation: anyRest }),
    ),
    ['open'],
    ['1:0⇒1 1#context 2#relation 3:0⇒1 3!a'],
  ],
  [
    'a popup without template, saved by an earlier version, shows nothing and blocks',
    offerOf([cta('1', { actions: [{ actionId: 'a', type: 'POPUP' }] }), cta('3')]),
    ['open'],
    ['1:0⇒1 1#template 3#one_action 3⇒0'],
  ],
])('%s', (_, offer, happened, expected) => {
  expect(told(deviceOf(emptyState), offer, happened)).toEqual(expected);
});

test('resets that a first launch forgot come back unless a machine was reset with them', () => {
  const offer = offerOf([cta('1', { resetCTAonFirstLaunch: true, frequency: { lifeSpan: limit(2) } })]);
  const again = ['open', 'close', 'open'];
  const forgotten = told(deviceOf(emptyState), offer, [
    'open',
    'close',
    'first',
    ...again.slice(0, 2),
    'restart',
    'open',
  ]);
  expect(forgotten.at(-1)).toBe('1#frequency.lifespan');
  const cleared = told(deviceOf(emptyState), offer, [
    ...again,
    'first',
    ...again.slice(0, 2),
    'restart',
    'open',
  ]);
  expect(cleared.at(-1)).toBe('1:0⇒1 1!a');
});

test('the counts of what was shown before are told', () => {
  const offer = offerOf([cta('1', { frequency: { session: limit(1), lifeSpan: limit(5) } })]);
  const device = deviceOf(emptyState);
  told(device, offer, ['open', 'close', 'restart', 'open', 'close']);
  expect(outcomesOf(device, offer, { name: 'open', at: 9000, properties: {} }) as object).toEqual([
    {
      kind: 'held',
      ctaId: '1',
      groupKey: '1',
      hold: 'frequency.session',
      to: null,
      counts: { session: 1, window: 0, lifespan: 2 },
    },
  ]);
});

test('what the server keeps of a user, as an app has it', () => {
  const machine = { currentState: '1', lastTransitionAt: 5, createdAt: 5, context: { a: 1 } };
  const device = deviceOf({
    ...emptyState,
    ctas: {
      '1': {
        machines: { g: machine, gone: { removed: true, lastTransitionAt: 1, receivedAt: 1 } },
        resetAt: { marks: [1] },
        actionDoneAt: { marks: [2], clearedAt: 1 },
      },
    },
    tags: {
      shop: {
        ctasResetAt: { marks: [{ ctaId: '1', resetAt: 1 }] },
        activeCtas: { '1': { active: true, at: 5 }, '2': { active: false, at: 5 } },
      },
    },
  });
  expect(device.ctas.get('1') as object).toEqual({
    machines: new Map([['g', { ...machine, contextSize: 7, sent: true }]]),
    resetAt: [1],
    resetInSession: [],
    resetOnServer: [1],
    actionDoneAt: [2],
  });
  expect(device.tags.get('shop') as object).toEqual({
    ctasResetAt: [{ ctaId: '1', resetAt: 1 }],
    resetInSession: [],
    activeCtas: ['1'],
  });
});
