import { expect, test } from 'bun:test';
import { countsOf, showings, tagShowings, usedUp, windowMs, type Counts, type Limits } from './frequency.ts';

test.each<[string, Parameters<typeof windowMs>[0], number]>([
  ['seconds', { unit: 'seconds', value: 90 }, 90_000],
  ['minutes', { unit: 'minutes', value: 2 }, 120_000],
  ['hours', { unit: 'hours', value: 1 }, 3_600_000],
  ['days', { unit: 'days', value: 7 }, 604_800_000],
  ['no length', { unit: 'days', value: 0 }, 0],
  ['no value', { unit: 'days' }, 0],
  ['no unit', { value: 3 }, 0],
  ['a unit that is none', { unit: 'weeks', value: 3 }, 0],
])('a window of %s', (_, window, ms) => expect(windowMs(window)).toBe(ms));

test.each<[string, number[], number[], number[]]>([
  ['none', [], [], []],
  ['resets', [1, 2], [], [1, 2]],
  ['actions done', [], [3], [3]],
  ['both', [1], [2], [1, 2]],
  ['both at one time are one', [1, 2], [2, 3], [1, 2, 3]],
])('showings: %s', (_, resetAt, actionDoneAt, times) => {
  expect(showings({ resetAt, actionDoneAt })).toEqual(times);
});

test('showings of a tag: resets of all its CTAs, also those at one time', () => {
  expect(tagShowings([5, { ctaId: '1', resetAt: 7 }, { ctaId: '2', resetAt: 7 }])).toEqual([5, 7, 7]);
});

const window = { limit: 9, unit: 'seconds', value: 10 };

test.each<[string, number[], Limits, number | null, Counts]>([
  ['nothing yet', [], { window }, 100_000, { session: 0, window: 0, lifespan: 0 }],
  ['at the beginning of the session', [100_000], {}, 100_000, { session: 1, window: 0, lifespan: 1 }],
  ['before the session', [99_999], {}, 100_000, { session: 0, window: 0, lifespan: 1 }],
  ['an unknown session', [100_000], {}, null, { session: 0, window: 0, lifespan: 1 }],
  ['just inside the window', [90_001], { window }, null, { session: 0, window: 1, lifespan: 1 }],
  ['just outside the window', [90_000], { window }, null, { session: 0, window: 0, lifespan: 1 }],
  ['in the future', [200_000], { window }, 100_000, { session: 1, window: 1, lifespan: 1 }],
  ['some of each', [1, 95_000, 99_000, 100_000], { window }, 99_000, { session: 2, window: 3, lifespan: 4 }],
])('counts: %s', (_, times, limits, sessionStart, counts) => {
  expect(countsOf(times, limits, { now: 100_000, sessionStart })).toEqual(counts);
});

const counts = (session: number, inWindow: number, lifespan: number): Counts => ({
  session,
  window: inWindow,
  lifespan,
});
const three = { limit: 3 };

test.each<[string, Limits, Counts, keyof Counts | null]>([
  ['no limits', {}, counts(9, 9, 9), null],
  ['below', { session: three, window: { ...window, ...three }, lifespan: three }, counts(2, 2, 2), null],
  ['session', { session: three }, counts(3, 9, 9), 'session'],
  ['window', { window: { ...window, ...three } }, counts(9, 3, 9), 'window'],
  ['lifespan', { lifespan: three }, counts(9, 9, 3), 'lifespan'],
  ['over the limit', { lifespan: three }, counts(0, 0, 4), 'lifespan'],
  ['several: the nearest is told', { session: three, lifespan: three }, counts(3, 3, 3), 'session'],
  ['a limit of 0 is none', { session: { limit: 0 }, lifespan: { limit: 0 } }, counts(5, 5, 5), null],
  ['a limit that is missing is none', { session: {} }, counts(5, 5, 5), null],
])('used up: %s', (_, limits, shown, scope) => expect(usedUp(limits, shown)).toBe(scope));
