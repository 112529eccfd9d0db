import { describe, expect, test } from 'bun:test';
import type { AnswerableCta, TagDefinition } from './answer.ts';
import {
  actionDone,
  deviceOf,
  emptyDevice,
  firstLaunched,
  sessionBegun,
  take,
  type Device,
  type Offer,
  type Outcome,
} from './device.ts';
import { wireRule, type RuleInput } from './rule.ts';
import { emptyState } from './state.ts';

/** open: 0 → 1, which shows `a`; next: 1 → 2, which shows `b`; close: 1 or 2 → 9, which resets. */
const steps: RuleInput = {
  stateToAction: { '1': 'a', '2': 'b' },
  resetStates: ['9'],
  stateTransition: {
    open: { '0': [{ transitionTo: '1' }] },
    next: { '1': [{ transitionTo: '2' }] },
    close: { '1': [{ transitionTo: '9' }], '2': [{ transitionTo: '9' }] },
  },
  actions: [
    { actionId: 'a', type: 'POPUP' },
    { actionId: 'b', type: 'TOOLTIP' },
  ],
};
const cta = (
  ctaId: string,
  rule: Partial<RuleInput> = {},
  behaviourTagName: string | null = null,
): AnswerableCta => ({ ctaId, rule: wireRule({ ...steps, ...rule }), behaviourTagName });
const offerOf = (ctas: AnswerableCta[], ...tags: TagDefinition[]): Offer => ({
  ctas,
  tags: new Map(tags.map((tag) => [tag.behaviourTagName, tag])),
});

type Step = string | { readonly at: number; readonly event?: string; readonly [property: string]: unknown };

/** Events a second apart, from 1000 on, or at the time they name; `session`, `done` and `first` are no events. */
function played(offer: Offer, happened: readonly Step[], from: Device = emptyDevice) {
  let device = from;
  let now = 0;
  const told: string[] = [];
  for (const step of happened) {
    const { at, event, ...properties } = typeof step === 'string' ? { at: now + 1000, event: step } : step;
    now = at;
    const [word = '', ctaId = ''] = (event ?? '').split(' ');
    if (word === 'session') device = sessionBegun(device, at);
    else if (word === 'first') device = firstLaunched(device, offer);
    else if (word === 'done') device = actionDone(device, ctaId, at);
    else {
      const taken = take(device, offer, { name: word, at, properties });
      device = taken.device;
      told.push(taken.outcomes.map(shown).join(' '));
    }
  }
  return { device, told };
}

function shown(outcome: Outcome): string {
  const who = outcome.groupKey === 'default' ? outcome.ctaId : `${outcome.ctaId}/${outcome.groupKey}`;
  switch (outcome.kind) {
    case 'transition':
      return `${who}:${outcome.from}${outcome.started ? '⇒' : '→'}${outcome.to}`;
    case 'action':
      return `${who}!${outcome.action.actionId}`;
    case 'reset':
      return `${who}×`;
    case 'expired':
      return `${who}†`;
    case 'held':
      return `${who}#${outcome.hold}`;
  }
}

const limit = (count: number) => ({ limit: count });
const shopTag = (over: Partial<TagDefinition>): TagDefinition => ({ behaviourTagName: 'shop', ...over });
const anyRest: TagDefinition['ctaRelation'] = {
  shownCta: { rule: 'ANY', ctaList: [] },
  hideCta: { rule: 'REST', ctaList: [] },
};

test.each<[string, Offer, Step[], string[]]>([
  [
    'runs through its states',
    offerOf([cta('1')]),
    ['open', 'next', 'close'],
    ['1:0⇒1 1!a', '1:1→2 1!b', '1:2→9 1×'],
  ],
  ['an event out of place does nothing', offerOf([cta('1')]), ['close', 'next', 'unknown'], ['', '', '']],
  [
    'starts over after a reset',
    offerOf([cta('1')]),
    ['open', 'close', 'open'],
    ['1:0⇒1 1!a', '1:1→9 1×', '1:0⇒1 1!a'],
  ],
  [
    'CTAs in the order of the offer',
    offerOf([cta('7', { priority: 1 }), cta('3', { priority: 2 })]),
    ['open'],
    ['7:0⇒1 7!a 3:0⇒1 3!a'],
  ],
  [
    'groups have machines of their own',
    offerOf([cta('1', { groupByConfig: { groupByKeys: ['game'] } })]),
    [
      { at: 1, event: 'open', game: 'x' },
      { at: 2, event: 'open', game: 'y' },
      { at: 3, event: 'open', game: 'x' },
      { at: 4, event: 'close', game: 'y' },
      { at: 5, event: 'open' },
    ],
    ['1/x:0⇒1 1/x!a', '1/y:0⇒1 1/y!a', '', '1/y:1→9 1/y×', '1/#group_key'],
  ],
  [
    'no more machines than it may have, and a free place is used again',
    offerOf([cta('1', { groupByConfig: { groupByKeys: ['game'], maxActiveStateMachineCount: 1 } })]),
    [
      { at: 1, event: 'open', game: 'x' },
      { at: 2, event: 'open', game: 'y' },
      { at: 3, event: 'next', game: 'x' },
      { at: 4, event: 'close', game: 'x' },
      { at: 5, event: 'open', game: 'y' },
    ],
    ['1/x:0⇒1 1/x!a', '1/y#machine_count', '1/x:1→2 1/x!b', '1/x:2→9 1/x×', '1/y:0⇒1 1/y!a'],
  ],
  [
    'a machine past its time to live has ended, and the event starts another',
    offerOf([cta('1', { stateMachineTTL: 100 })]),
    [
      { at: 1000, event: 'open' },
      { at: 1100, event: 'next' },
      { at: 1101, event: 'open' },
    ],
    ['1:0⇒1 1!a', '1:1→2 1!b', '1† 1:0⇒1 1!a'],
  ],
  [
    'nothing after ctaValidTill',
    offerOf([cta('1', { ctaValidTill: 1000 })]),
    [
      { at: 1000, event: 'open' },
      { at: 1001, event: 'next' },
    ],
    ['1:0⇒1 1!a', '1#valid_till'],
  ],
  [
    'an action in a state that resets runs before the reset',
    offerOf([cta('1', { resetStates: ['1'], stateToAction: { '1': 'a' } })]),
    ['open', 'open'],
    ['1:0⇒1 1!a 1×', '1:0⇒1 1!a 1×'],
  ],
])('%s', (_, offer, happened, told) => expect(played(offer, happened).told).toEqual(told));

describe('frequency', () => {
  test.each<[string, Partial<RuleInput>, Step[], string[]]>([
    [
      'a reset counts',
      { frequency: { lifeSpan: limit(1) } },
      ['open', 'close', 'open'],
      ['1:0⇒1 1!a', '1:1→9 1×', '1#frequency.lifespan'],
    ],
    [
      'either spelling of lifespan',
      { frequency: { lifespan: limit(1) } },
      ['open', 'close', 'open'],
      ['1:0⇒1 1!a', '1:1→9 1×', '1#frequency.lifespan'],
    ],
    [
      'an action done counts',
      { frequency: { lifeSpan: limit(1) }, groupByConfig: { groupByKeys: ['g'] } },
      [
        { at: 1, event: 'open', g: 'x' },
        { at: 2, event: 'done 1' },
        { at: 3, event: 'open', g: 'y' },
      ],
      ['1/x:0⇒1 1/x!a', '1/y#frequency.lifespan'],
    ],
    [
      'what is shown already goes on to its end',
      { frequency: { lifeSpan: limit(1) } },
      ['open', 'done 1', 'next', 'close', 'open'],
      ['1:0⇒1 1!a', '1:1→2 1!b', '1:2→9 1×', '1#frequency.lifespan'],
    ],
    [
      'a session, and the next one',
      { frequency: { session: limit(1) } },
      ['session', 'open', 'close', 'open', 'session', 'open'],
      ['1:0⇒1 1!a', '1:1→9 1×', '1#frequency.session', '1:0⇒1 1!a'],
    ],
    [
      'a window, and after it',
      { frequency: { window: { limit: 1, unit: 'seconds', value: 10 } } },
      ['open', { at: 5000, event: 'close' }, { at: 14_999, event: 'open' }, { at: 15_000, event: 'open' }],
      ['1:0⇒1 1!a', '1:1→9 1×', '1#frequency.window', '1:0⇒1 1!a'],
    ],
    [
      'a state without action is entered all the same',
      { frequency: { lifeSpan: limit(1) }, stateToAction: { '2': 'b' } },
      ['done 1', 'open', 'next'],
      ['1:0⇒1', '1#frequency.lifespan'],
    ],
    ['a limit of 0 is none', { frequency: { lifeSpan: limit(0) } }, ['done 1', 'open'], ['1:0⇒1 1!a']],
  ])('%s', (_, rule, happened, told) =>
    expect(played(offerOf([cta('1', rule)]), happened).told).toEqual(told),
  );

  test('counts are told with the action and with what was held back', () => {
    const offer = offerOf([cta('1', { frequency: { session: limit(1), lifeSpan: limit(5) } })]);
    const { device } = played(offer, ['open', 'close', 'session', 'open', 'close']);
    const { outcomes } = take(device, offer, { name: 'open', at: 9000, properties: {} });
    expect(outcomes).toEqual([
      {
        kind: 'held',
        ctaId: '1',
        groupKey: 'default',
        hold: 'frequency.session',
        to: '1',
        counts: { session: 1, window: 0, lifespan: 2 },
      },
    ]);
  });
});

describe('behaviour tags', () => {
  const both = [cta('1', {}, 'shop'), cta('2', {}, 'shop')];
  /** The second one listens to other events, so that what happens has an order. */
  const twoEvents = [
    cta('1', {}, 'shop'),
    cta(
      '2',
      {
        stateTransition: {
          open2: steps.stateTransition['open'] ?? {},
          close2: steps.stateTransition['close'] ?? {},
        },
      },
      'shop',
    ),
    cta('3'),
  ];
  test.each<[string, Offer, Step[], string[]]>([
    [
      'resets of one CTA use up the exposure of all',
      offerOf(twoEvents, shopTag({ exposureRule: { lifespan: limit(1) } })),
      ['open', 'close', 'open2', 'open'],
      ['1:0⇒1 1!a 3:0⇒1 3!a', '1:1→9 1× 3:1→9 3×', '2#exposure.lifespan', '1#exposure.lifespan 3:0⇒1 3!a'],
    ],
    [
      'the exposure of a session',
      offerOf(twoEvents, shopTag({ exposureRule: { session: limit(1) } })),
      ['session', 'open', 'close', 'open2', 'session', 'open2'],
      ['1:0⇒1 1!a 3:0⇒1 3!a', '1:1→9 1× 3:1→9 3×', '2#exposure.session', '2:0⇒1 2!a'],
    ],
    [
      'the exposure of a window',
      offerOf(twoEvents, shopTag({ exposureRule: { window: { limit: 1, unit: 'minutes', value: 1 } } })),
      ['open', 'close', 'open2', { at: 62_000, event: 'open2' }],
      ['1:0⇒1 1!a 3:0⇒1 3!a', '1:1→9 1× 3:1→9 3×', '2#exposure.window', '2:0⇒1 2!a'],
    ],
    [
      'of two on one event, the first of the order hides the rest',
      offerOf(both, shopTag({ ctaRelation: anyRest })),
      ['open', 'open', 'close', 'open'],
      ['1:0⇒1 1!a 2#relation', '2#relation', '1:1→9 1×', '1:0⇒1 1!a 2#relation'],
    ],
    [
      'what was hidden is shown once nothing hides it',
      offerOf(twoEvents.slice(0, 2), shopTag({ ctaRelation: anyRest })),
      ['open', 'open2', 'close', 'open2', 'open'],
      ['1:0⇒1 1!a', '2#relation', '1:1→9 1×', '2:0⇒1 2!a', '1#relation'],
    ],
    [
      'lists hide one way',
      offerOf(
        twoEvents.slice(0, 2),
        shopTag({
          ctaRelation: {
            shownCta: { rule: 'LIST', ctaList: ['1'] },
            hideCta: { rule: 'LIST', ctaList: ['2'] },
          },
        }),
      ),
      ['open2', 'open', 'close2', 'open2'],
      ['2:0⇒1 2!a', '1:0⇒1 1!a', '2:1→9 2×', '2#relation'],
    ],
    [
      'an expired CTA hides nothing more',
      offerOf(
        [cta('1', { stateMachineTTL: 1500 }, 'shop'), ...twoEvents.slice(1, 2)],
        shopTag({ ctaRelation: anyRest }),
      ),
      ['open', 'open2', 'open2'],
      ['1:0⇒1 1!a', '2#relation', '1† 2:0⇒1 2!a'],
    ],
    ['a tag that is not there holds nothing', offerOf(both), ['open'], ['1:0⇒1 1!a 2:0⇒1 2!a']],
  ])('%s', (_, offer, happened, told) => expect(played(offer, happened).told).toEqual(told));

  test('a machine that has shown nothing yet does not make its CTA active', () => {
    const quiet = cta('1', { stateToAction: { '2': 'b' } }, 'shop');
    const offer = offerOf([quiet], shopTag({ ctaRelation: anyRest }));
    expect(played(offer, ['open']).device.tags['shop']?.activeCtas ?? []).toEqual([]);
    expect(played(offer, ['open', 'next']).device.tags['shop']?.activeCtas).toEqual(['1']);
  });

  test('a CTA is active until the last of its machines has ended', () => {
    const grouped = cta('1', { groupByConfig: { groupByKeys: ['g'] } }, 'shop');
    const offer = offerOf([grouped], shopTag({}));
    const events = ['x', 'y'].map((g, at) => ({ at: at + 1, event: 'open', g }));
    const closed = ['x', 'y'].map((g, at) => ({ at: at + 5, event: 'close', g }));
    expect(played(offer, [...events, ...closed.slice(0, 1)]).device.tags['shop']?.activeCtas).toEqual(['1']);
    expect(played(offer, [...events, ...closed]).device.tags['shop']).toEqual({
      activeCtas: [],
      ctasResetAt: [
        { ctaId: '1', resetAt: 5 },
        { ctaId: '1', resetAt: 6 },
      ],
    });
  });
});

describe('first launch', () => {
  test('CTAs that ask for it start over, others keep what they have', () => {
    const offer = offerOf(
      [
        cta('1', { resetCTAonFirstLaunch: true, frequency: { lifeSpan: limit(1) } }, 'shop'),
        cta('2', {}, 'shop'),
      ],
      shopTag({}),
    );
    const before = played(offer, ['open', 'close']).device;
    const after = firstLaunched(before, offer);
    expect(after.ctas['1']).toEqual({ machines: {}, resetAt: [], actionDoneAt: [] });
    expect(after.ctas['2']).toBe(before.ctas['2'] as never);
    expect(after.tags['shop']?.ctasResetAt).toEqual([{ ctaId: '2', resetAt: 2000 }]);
    expect(played(offer, ['open'], after).told).toEqual(['1:0⇒1 1!a 2:0⇒1 2!a']);
  });
});

test('what the server keeps of a user, as an app has it', () => {
  const machine = { currentState: '1', lastTransitionAt: 5, createdAt: 5 };
  const device = deviceOf(
    {
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
    },
    7,
  );
  expect(device as object).toEqual({
    sessionStart: 7,
    ctas: { '1': { machines: { g: machine }, resetAt: [1], actionDoneAt: [2] } },
    tags: { shop: { ctasResetAt: [{ ctaId: '1', resetAt: 1 }], activeCtas: ['1'] } },
  });
});

test('nothing that is given is changed', () => {
  const offer = offerOf([cta('1', {}, 'shop')], shopTag({ ctaRelation: anyRest }));
  const before = played(offer, ['open']).device;
  const frozen = JSON.stringify(before);
  played(offer, ['next', 'close', 'done 1', 'first', 'session'], before);
  expect(JSON.stringify(before)).toBe(frozen);
});
