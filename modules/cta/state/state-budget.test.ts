import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { dropReasons } from './drop.ts';
import { weightOf } from './json-weight.ts';
import { stateBudget, trimToBudget } from './state-budget.ts';
import { readStoredState } from './stored-text.ts';
import { emptyState, type UserState } from './user-state.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const budget = { bytes: 6000, values: 300 };

const marks = fc
  .uniqueArray(fc.nat(2000), { maxLength: 80 })
  .map((all) => all.sort((left, right) => left - right));
const machine = fc.oneof(
  fc.record({
    currentState: fc.string({ minLength: 1, maxLength: 4 }),
    lastTransitionAt: fc.nat(2000),
    createdAt: fc.nat(2000),
    context: fc.dictionary(fc.string({ unit: 'binary', maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 4,
    }),
  }),
  fc.record({
    removed: fc.constant(true as const),
    lastTransitionAt: fc.nat(2000),
    receivedAt: fc.nat(2000),
  }),
);

const name = fc.string({ unit: 'grapheme', maxLength: 20 });
const everyState = {
  version: fc.constantFrom(1 as const, 2 as const),
  lastDrop: fc.record({ at: fc.nat(), count: fc.nat(), reasons: fc.subarray([...dropReasons]) }),
  ctas: fc.dictionary(
    name,
    fc.record({
      machines: fc.dictionary(name, machine, { maxKeys: 20 }),
      resetAt: fc.record({ marks }),
      actionDoneAt: fc.record({ marks, clearedAt: fc.constant(-1) }),
    }),
    { maxKeys: 8 },
  ),
  tags: fc.dictionary(
    name,
    fc.record({
      ctasResetAt: fc.record({
        marks: marks.map((times) => times.map((resetAt) => ({ ctaId: '1', resetAt }))),
      }),
      activeCtas: fc.dictionary(name, fc.record({ active: fc.boolean(), at: fc.nat() }), { maxKeys: 30 }),
    }),
    { maxKeys: 3 },
  ),
};
const states = fc.record(everyState, {
  requiredKeys: ['version', 'ctas', 'tags'],
}) as fc.Arbitrary<UserState>;

test(`any state is cut to its budget, once for all; one within it stays itself (SEED=${seed})`, () => {
  fc.assert(
    fc.property(states, (state) => {
      const { state: cut, dropped } = trimToBudget(state, budget);
      expect(weightOf(cut, budget)).not.toBeNull();
      expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(budget.bytes);
      expect(trimToBudget(cut, budget)).toEqual({ state: cut, dropped: 0 });
      expect(cut === state).toBe(dropped === 0);
    }),
    { seed, numRuns: 300 },
  );
}, 60_000);

test(`the text of any state is read in steps as it is parsed at once (SEED=${seed})`, () => {
  fc.assert(
    fc.property(states, (state) => {
      const text = JSON.stringify(state);
      const work = readStoredState(text, stateBudget);
      let step = work.next();
      while (!step.done) step = work.next();
      expect(step.value.dropped).toBe(0);
      expect(JSON.parse(JSON.stringify(step.value.state))).toEqual(JSON.parse(text));
    }),
    { seed, numRuns: 300 },
  );
}, 60_000);

const at = (lastTransitionAt: number, text = '') => ({
  currentState: '1',
  lastTransitionAt,
  createdAt: 1,
  context: { text },
});
const tombstone = (lastTransitionAt: number) => ({ removed: true as const, lastTransitionAt, receivedAt: 1 });
const withCta = (over: object): UserState => ({
  ...emptyState,
  ctas: { '1': { machines: {}, resetAt: { marks: [] }, actionDoneAt: { marks: [] }, ...over } },
});

test('tombstones go before machines, old ones before new ones', () => {
  const big = 'x'.repeat(1200);
  const machines = { gone: tombstone(99), a: at(3, big), b: at(1, big), c: at(4, big), d: at(2, big) };
  const cut = [5200, 5000].map((bytes) => trimToBudget(withCta({ machines }), { bytes, values: 300 }));
  expect(cut.map(({ state }) => Object.keys(state.ctas['1']?.machines ?? {}).sort())).toEqual([
    ['a', 'c', 'd', 'gone'],
    ['a', 'c', 'd'],
  ]);
  expect(cut.map(({ dropped }) => dropped)).toEqual([1, 2]);
});

test('marks of actions done go before those of resets, which count', () => {
  const times = Array.from({ length: 100 }, (_, index) => index);
  const { state } = trimToBudget(withCta({ resetAt: { marks: times }, actionDoneAt: { marks: times } }), {
    bytes: 20_000,
    values: 240,
  });
  const cta = state.ctas['1'];
  expect(cta?.resetAt.marks).toEqual(times);
  expect(cta?.actionDoneAt.marks).toEqual(times.slice(-(cta?.actionDoneAt.marks.length ?? 0)));
  expect(cta?.actionDoneAt.marks.length).toBeGreaterThan(0);
});
