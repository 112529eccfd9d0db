import { expect, test } from 'bun:test';
import { emptyState, type CtaState, type UserState } from '../state/user-state.ts';
import { derivedEvents, type Derived } from './derived-events.ts';

/** Mutation note: seen to fail without the test for known stamps, the later of both times, and the state of a reset. */
const live = (currentState: string, at = 10) => ({ currentState, lastTransitionAt: at, createdAt: at });
const removed = (at = 10) => ({ removed: true as const, lastTransitionAt: at, receivedAt: 1 });
const cta = (over: Partial<CtaState>): CtaState => ({
  machines: {},
  resetAt: { marks: [] },
  actionDoneAt: { marks: [] },
  ...over,
});
const state = (over: Partial<CtaState>): UserState => ({ ...emptyState, ctas: { 7: cta(over) } });
const inState = (...states: string[]) =>
  state({ machines: Object.fromEntries(states.map((one, n) => [`g${n}`, live(one)])) });

const action = (at: number) =>
  ({ ctaId: '7', version: 3, variant: 'b', type: 'action', state: null, at }) as const;
const completion = (at: number) => ({ ...action(at), type: 'completion' }) as const;
const reached = (name: string, at = 10) => ({ ...action(at), type: 'reached', state: name }) as const;
const there = (name: string, at = 10) => ({ ctaId: '7', state: name, at, isThere: true });
const left = (name: string, at = 10) => ({ ...there(name, at), isThere: false });

type Case = readonly [what: string, before: UserState, after: UserState, shown: Derived];
const cases: readonly Case[] = [
  ['nothing', emptyState, emptyState, { events: [], moves: [] }],
  [
    'first stamps',
    emptyState,
    state({ actionDoneAt: { marks: [5, 8] }, resetAt: { marks: [9] } }),
    { events: [action(5), action(8), completion(9)], moves: [] },
  ],
  [
    'a further stamp, also an older one of another device',
    state({ actionDoneAt: { marks: [5] } }),
    state({ actionDoneAt: { marks: [2, 5, 8] } }),
    { events: [action(2), action(8)], moves: [] },
  ],
  [
    'the same stamps again',
    state({ resetAt: { marks: [5] } }),
    state({ resetAt: { marks: [5] } }),
    { events: [], moves: [] },
  ],
  [
    'a clear',
    state({ resetAt: { marks: [5] } }),
    state({ resetAt: { marks: [], clearedAt: 9 } }),
    { events: [], moves: [] },
  ],
  ['a first machine', emptyState, inState('1'), { events: [reached('1')], moves: [there('1')] }],
  ['a transition', inState('1'), inState('2'), { events: [reached('2')], moves: [there('2'), left('1')] }],
  [
    'a copy with another time',
    inState('1'),
    state({ machines: { g0: live('1', 99) } }),
    { events: [], moves: [] },
  ],
  [
    'two machines in one state',
    inState('1', '2'),
    inState('1', '1'),
    { events: [reached('1')], moves: [there('1'), left('2')] },
  ],
  [
    'not before the first action',
    state({ machines: { g0: live('1') }, actionDoneAt: { marks: [50] } }),
    state({ machines: { g0: live('2') }, actionDoneAt: { marks: [50, 70] } }),
    { events: [action(70), reached('2', 50)], moves: [there('2', 50), left('1')] },
  ],
  [
    'a reset in another state',
    inState('1'),
    state({ machines: { g0: removed() } }),
    { events: [reached('9')], moves: [left('9'), left('1')] },
  ],
  [
    'a machine past its time to live',
    inState('1'),
    state({ machines: {} }),
    { events: [], moves: [left('1')] },
  ],
  [
    'a reset that was known',
    state({ machines: { g0: removed() } }),
    state({ machines: { g0: removed(11) } }),
    { events: [], moves: [] },
  ],
  [
    'the state of a CTA that waits for another start is dropped',
    inState('1', '2'),
    emptyState,
    { events: [], moves: [left('1'), left('2')] },
  ],
  [
    'the state of a CTA that has ended is dropped',
    { ...emptyState, ctas: { 8: cta({ machines: { g: live('1') } }) } },
    emptyState,
    { events: [], moves: [] },
  ],
  [
    'a CTA that is not counted',
    emptyState,
    { ...emptyState, ctas: { 8: cta({ resetAt: { marks: [1] } }) } },
    { events: [], moves: [] },
  ],
];

test.each(cases)('%s', (_what, before, after, shown) => {
  const facts = {
    ctas: new Map([['7', { edit: 3 }]]),
    variantOf: () => 'b',
    resetIn: () => '9',
  };
  expect(derivedEvents(before, { userId: '1', state: after }, facts)).toEqual(shown);
});

test('a reset in the state that is known is no arrival', () => {
  const facts = { ctas: { get: () => ({ edit: 3 }) }, variantOf: () => null, resetIn: () => '1' };
  expect(
    derivedEvents(inState('1'), { userId: '1', state: state({ machines: { g0: removed() } }) }, facts),
  ).toEqual({
    events: [],
    moves: [left('1')],
  });
});
