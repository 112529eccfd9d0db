import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { tombstoneLifetime } from '../state/archive.ts';
import { emptyCtaState, emptyState, emptyTagState, type UserState } from '../state/user-state.ts';
import { deltaPath, freshUser, machineAt, startCtaKernel, type Sent } from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
/** Ids of a live CTA with a time to live, a paused one and a draft, all in the tenant `default`. */
const tag = { behaviourTagName: 'checkout', exposureRule: { lifespan: { limit: 3 } } };
const rule = {
  stateToAction: { '1': 'a' },
  stateTransition: { opened: { '0': [{ transitionTo: '1' }] } },
  actions: [{ actionId: 'a', type: 'POPUP', template: {} }],
  stateMachineTTL: 60_000,
};

const ruleOnWire =
  '{"stateToAction":{"1":"a"},"resetStates":[],"resetCTAonFirstLaunch":false,"contextParams":[],' +
  '"stateTransition":{"opened":{"0":[{"transitionTo":"1"}]}},"groupByConfig":{"groupByKeys":[]},"priority":0,' +
  '"stateMachineTTL":60000,"ctaValidTill":null,"actions":[{"actionId":"a","type":"POPUP","template":{}}],"frequency":{}}';

const trivet = await startCtaKernel(clock);
await trivet.call('create-behaviour-tag', tag);
const live = await trivet.makeCta({ rule, behaviourTagName: 'checkout' }, 'LIVE');
const paused = await trivet.makeCta({ rule }, 'LIVE', 'PAUSED');
const draft = await trivet.makeCta({ rule });
afterAll(() => trivet.stop());

const machine = (over: object = {}) => machineAt(now, over);
/** A body with one machine of the live CTA. */
const push = (over: object = {}, groupKey = 'g') => ({
  ctas: [{ ctaId: live, activeStateMachines: { [groupKey]: machine(over) } }],
});
/** A state with these parts for the live CTA. */
const having = (over: object): UserState => ({
  ...emptyState,
  ctas: { [live]: { ...emptyCtaState, ...over } },
});
const tagJson = (marks = '[]') =>
  `[{"behaviourTagName":"checkout","exposureRule":{"lifespan":{"limit":3},"ctasResetAt":${marks}}}]`;
const launched = (part = '"activeStateMachines":{},"resetAt":[],"actionDoneAt":[]', tags = tagJson()) =>
  `{"data":{"ctas":[{"ctaId":"${live}","rule":${ruleOnWire},${part},"behaviourTagName":"checkout","version":1}],` +
  `"behaviourTags":${tags}}}`;
const machineJson = (over: object = {}) => JSON.stringify(machine(over));
const withMachine = (over: object = {}) =>
  launched(`"activeStateMachines":{"g":${machineJson(over)}},"resetAt":[],"actionDoneAt":[]`);

interface Case {
  readonly what: string;
  readonly before?: () => UserState;
  readonly sent: () => Sent;
  readonly answer: () => string;
  /** null: no row; undefined: the row is unchanged. */
  readonly after?: () => UserState | null;
}

const cases: readonly Case[] = [
  {
    what: 'launch of a user nobody knows, without body: nothing is stored',
    sent: () => ({}),
    answer: () => launched(),
  },
  {
    what: 'launch with an empty object, without the slash',
    sent: () => ({ path: '/cta/active/state-machines', body: {} }),
    answer: () => launched(),
  },
  {
    what: 'launch with null lists and a charset',
    sent: () => ({
      body: { ctas: null, behaviourTags: null },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    }),
    answer: () => launched(),
  },
  {
    what: 'launch answers what is stored and writes nothing',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ body: {} }),
    answer: () => withMachine(),
  },
  {
    what: 'launch with the copy that is stored already: nothing is written',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ body: push() }),
    answer: () => withMachine(),
  },
  {
    what: 'launch merges a newer copy',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ body: push({ currentState: '2', lastTransitionAt: 11 }) }),
    answer: () => withMachine({ currentState: '2', lastTransitionAt: 11 }),
    after: () => having({ machines: { g: machine({ currentState: '2', lastTransitionAt: 11 }) } }),
  },
  {
    what: 'launch keeps the stored copy when it is newer',
    before: () => having({ machines: { g: machine({ lastTransitionAt: 11 }) } }),
    sent: () => ({ body: push({ currentState: '2' }) }),
    answer: () => withMachine({ lastTransitionAt: 11 }),
  },
  {
    what: 'launch drops a machine past its time to live and a tombstone past its month',
    before: () =>
      having({
        machines: {
          g: machine({ createdAt: now - 60_001 }),
          h: { removed: true, lastTransitionAt: 1, receivedAt: now - tombstoneLifetime - 1 },
        },
      }),
    sent: () => ({ body: {} }),
    answer: () => launched(),
    after: () => having({}),
  },
  {
    what: 'launch drops the state of a draft and of a CTA that is not there; a paused one is hidden and kept',
    before: () => ({
      ...emptyState,
      ctas: {
        [paused]: { ...emptyCtaState, actionDoneAt: { marks: [1] } },
        [draft]: { ...emptyCtaState, actionDoneAt: { marks: [2] } },
        '999999': { ...emptyCtaState, actionDoneAt: { marks: [3] } },
      },
    }),
    sent: () => ({ body: {} }),
    answer: () => launched(),
    after: () => ({ ...emptyState, ctas: { [paused]: { ...emptyCtaState, actionDoneAt: { marks: [1] } } } }),
  },
  {
    what: 'launch takes behaviour tags without CTAs, and no limits from clients',
    sent: () => ({
      body: {
        behaviourTags: [
          {
            behaviourTagName: 'checkout',
            exposureRule: { lifespan: { limit: 99 }, ctasResetAt: [{ ctaId: '7', resetAt: 5 }] },
          },
        ],
      },
    }),
    answer: () => launched(undefined, tagJson('[{"ctaId":"7","resetAt":5}]')),
    after: () => ({
      ...emptyState,
      tags: { checkout: { ...emptyTagState, ctasResetAt: { marks: [{ ctaId: '7', resetAt: 5 }] } } },
    }),
  },
  {
    what: 'launch ignores CTAs and tags that are not there',
    sent: () => ({
      body: {
        ctas: [
          { ctaId: '999999', activeStateMachines: { g: machine() } },
          { ctaId: draft, activeStateMachines: { g: machine() } },
        ],
        behaviourTags: [{ behaviourTagName: 'nobody', exposureRule: { ctasResetAt: [1] } }],
        other: true,
      },
    }),
    answer: () => launched(),
  },
  {
    what: 'delta merges and says true',
    sent: () => ({
      path: deltaPath,
      body: { ctas: [{ ctaId: live, activeStateMachines: {}, resetAt: [7, 5], actionDoneAt: [6] }] },
    }),
    answer: () => '{"data":true}',
    after: () => having({ resetAt: { marks: [5, 7] }, actionDoneAt: { marks: [6] } }),
  },
  {
    what: 'delta of a paused CTA is kept',
    sent: () => ({
      path: deltaPath,
      body: { ctas: [{ ctaId: paused, activeStateMachines: {}, resetAt: [5] }] },
    }),
    answer: () => '{"data":true}',
    after: () => ({ ...emptyState, ctas: { [paused]: { ...emptyCtaState, resetAt: { marks: [5] } } } }),
  },
  {
    what: 'delta that says nothing new, without the slash: true, and nothing is written',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ path: '/cta/state-machines/snapshot/delta', body: push() }),
    answer: () => '{"data":true}',
  },
  {
    what: 'delta with a reset leaves a tombstone',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ path: deltaPath, body: push({ reset: true }) }),
    answer: () => '{"data":true}',
    after: () => having({ machines: { g: { removed: true, lastTransitionAt: 10, receivedAt: now } } }),
  },
  {
    what: 'delta with group keys that are words of JavaScript',
    sent: () => ({
      path: deltaPath,
      body: `{"ctas":[{"ctaId":"${live}","activeStateMachines":{"__proto__":${JSON.stringify(machine())}}}]}`,
    }),
    answer: () => '{"data":true}',
    after: () => having({ machines: JSON.parse(`{"__proto__":${JSON.stringify(machine())}}`) as object }),
  },
];

describe('what is answered and what is stored', () => {
  test.each(cases.map((one) => [one.what, one] as const))(
    '%s',
    async (_, { before, sent, answer, after }) => {
      const userId = freshUser();
      if (before) await trivet.store(userId, before());
      const others = (await trivet.allStored()).filter((row) => row.userId !== userId);
      const { status, headers, text } = await trivet.send(userId, sent());
      expect([status, text]).toEqual([200, answer()]);
      expect(headers.get('content-type')).toBe('application/json');
      const expected = after ? after() : (before?.() ?? null);
      expect(JSON.stringify(await trivet.stored(userId))).toBe(JSON.stringify(expected));
      expect((await trivet.allStored()).filter((row) => row.userId !== userId)).toEqual(others);
      // An unchanged row must not be written again either.
      if (!after && before) {
        expect((await trivet.allStored()).find((row) => row.userId === userId)?.updatedAt).toBe(now - 1_000);
      }
    },
  );
});

test('a launch tells the end of a CTA as ctaValidTill: an app that is offline then must not show it after its end', async () => {
  const endTime = now + 60_000;
  const ctaId = await trivet.makeCta({ endTime }, 'LIVE');
  const { text } = await trivet.send(freshUser(), {});
  const { ctas } = (JSON.parse(text) as { data: { ctas: { ctaId: string; rule: object }[] } }).data;
  expect(ctas.find((cta) => cta.ctaId === ctaId)?.rule).toMatchObject({ ctaValidTill: endTime });
});
