import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { archive, tombstoneLifetime } from './archive.ts';
import type { CtaFacts } from './cta-facts.ts';
import { emptyState, type CtaState, type UserState } from './user-state.ts';

const now = 100 * 24 * 60 * 60 * 1000;
const machine = (createdAt: number) => ({ currentState: '1', lastTransitionAt: createdAt, createdAt });
const tombstone = (receivedAt: number) => ({ removed: true as const, lastTransitionAt: 1, receivedAt });
const cta = (machines: CtaState['machines']): CtaState => ({
  machines,
  resetAt: { marks: [1] },
  actionDoneAt: { marks: [] },
});
const stateOf = (ctas: UserState['ctas']): UserState => ({ ...emptyState, ctas });

const options = {
  now,
  ctas: new Map([
    ['live', { isPaused: false, ttl: 1000 }],
    ['paused', { isPaused: true, ttl: 1000 }],
  ]),
  others: new Set(['ended']),
};

test.each<[string, UserState['ctas'], UserState['ctas']]>([
  ['a CTA that ended', { ended: cta({}), live: cta({}) }, { live: cta({}) }],
  ['a CTA that does not exist', { gone: cta({}) }, {}],
  [
    'a machine over its time to live',
    { live: cta({ a: machine(now - 1001), b: machine(now - 1000) }) },
    { live: cta({ b: machine(now - 1000) }) },
  ],
  [
    'a tombstone older than 30 days',
    { live: cta({ a: tombstone(now - tombstoneLifetime - 1), b: tombstone(now - tombstoneLifetime) }) },
    { live: cta({ b: tombstone(now - tombstoneLifetime) }) },
  ],
])('drops %s and keeps the history', (_, before, after) => {
  const state = stateOf(before);
  const frozen = JSON.stringify(state);
  const archived = archive(state, options);
  expect(archived.changed).toBe(true);
  expect(JSON.parse(JSON.stringify(archived.state))).toEqual(stateOf(after));
  expect(JSON.stringify(state)).toBe(frozen);
});

test('answers the same state when all of it is needed', () => {
  const state = stateOf({
    live: cta({ a: machine(now) }),
    paused: cta({ old: machine(1), gone: tombstone(1) }),
  });
  const archived = archive(state, options);
  expect(archived).toEqual({ state, changed: false });
  expect(archived.state).toBe(state);
});

test.each([0, undefined])('a time to live of %p is for ever', (ttl) => {
  const state = stateOf({ live: cta({ a: machine(1) }) });
  expect(archive(state, { ...options, ctas: new Map([['live', { isPaused: false, ttl }]]) }).state).toBe(
    state,
  );
});

test('a CTA that ended, or is under another tag, gives up its place in a tag, and its marks still count', () => {
  const ctasResetAt = { marks: [{ ctaId: 'ended', resetAt: 1 }] };
  const active = { active: true, at: 1 };
  const tags = {
    t: {
      ctasResetAt,
      activeCtas: { ended: active, moved: active, loose: active, live: active, unknown: active },
    },
  };
  const ctas = new Map<string, CtaFacts>([
    ...options.ctas,
    ['moved', { isPaused: false, tag: 'other' }],
    ['loose', { isPaused: false, tag: null }],
  ]);
  const archived = archive({ ...emptyState, tags }, { ...options, ctas });
  expect(JSON.parse(JSON.stringify(archived.state.tags))).toEqual({
    t: { ctasResetAt, activeCtas: { loose: active, live: active, unknown: active } },
  });
});

describe('actions of a CTA that ends count on against limits across CTAs', () => {
  const acted = (...marks: number[]): CtaState => ({ ...cta({}), actionDoneAt: { marks } });
  const counted = { ms: 1_000, most: 2 };
  test.each<[string, Partial<UserState>, object, readonly number[] | undefined]>([
    [
      'those within the time',
      { ctas: { ended: acted(now - 1_000, now - 999, now) } },
      { counted },
      [now - 999, now],
    ],
    ['of a CTA that does not exist', { ctas: { gone: acted(now) } }, { counted }, [now]],
    [
      'at most so many',
      { ctas: { ended: acted(now - 3, now - 2, now - 1) } },
      { counted },
      [now - 2, now - 1],
    ],
    [
      'with those of before',
      { ctas: { ended: acted(now) }, endedActions: [now - 5] },
      { counted },
      [now - 5, now],
    ],
    ['as long as one counts', { endedActions: [now - 2_000, now - 5] }, { counted }, [now - 2_000, now - 5]],
    ['no longer', { endedActions: [now - 2_000] }, { counted }, undefined],
    ['not without limits', { ctas: { ended: acted(now) }, endedActions: [now] }, {}, undefined],
    ['not of a live CTA', { ctas: { live: acted(now) } }, { counted }, undefined],
  ])('%s', (_, before, limits, expected) => {
    const archived = archive({ ...emptyState, ...before }, { ...options, ...limits });
    expect(archived.state.endedActions).toEqual(expected as never);
    expect(archive(archived.state, { ...options, ...limits })).toEqual({
      state: archived.state,
      changed: false,
    });
  });
});

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

test(`a paused CTA is never touched, archiving twice changes nothing more (SEED=${seed})`, () => {
  const age = fc.integer({ min: 0, max: now });
  const machines = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', '__proto__'),
    fc.oneof(age.map(machine), age.map(tombstone)),
  );
  const ids = fc.constantFrom('live', 'paused', 'ended', 'gone');
  fc.assert(
    fc.property(fc.dictionary(ids, machines.map(cta)), (ctas) => {
      const state = stateOf(ctas);
      const once = archive(state, options).state;
      expect(once.ctas['paused']).toBe(state.ctas['paused'] as CtaState);
      expect(archive(once, options).state).toBe(once);
    }),
    { seed, numRuns: 1000 },
  );
});
