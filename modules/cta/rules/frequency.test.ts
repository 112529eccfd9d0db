import { expect, test } from 'bun:test';
import { showCountsOf, reachedLimitOf, windowMs, type Limits, type Resets } from './frequency.ts';
import type { ShowCounts } from './outcome.ts';

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

const window = { limit: 9, unit: 'seconds', value: 10 };
const resets = (before: Resets['before'], inSession: Resets['inSession'] = []): Resets => ({
  before,
  inSession,
});

test.each<[string, Resets, Limits, ShowCounts]>([
  ['nothing yet', resets([]), { window }, { session: 0, window: 0, lifespan: 0 }],
  ['of this session', resets([], [100_000]), {}, { session: 1, window: 0, lifespan: 1 }],
  ['of an earlier session', resets([99_999]), {}, { session: 0, window: 0, lifespan: 1 }],
  ['several at one time', resets([5], [7, 7]), {}, { session: 2, window: 0, lifespan: 3 }],
  ['at the beginning of the window', resets([90_000]), { window }, { session: 0, window: 1, lifespan: 1 }],
  ['before the window', resets([89_999]), { window }, { session: 0, window: 0, lifespan: 1 }],
  ['in the future', resets([200_000]), { window }, { session: 0, window: 1, lifespan: 1 }],
  [
    'of the CTAs of a tag, with and without their names',
    resets([1, { ctaId: '1', resetAt: 99_000 }], [{ ctaId: '2', resetAt: 99_000 }]),
    { window },
    { session: 1, window: 2, lifespan: 3 },
  ],
])('counts: %s', (_, marks, limits, counts) => {
  expect(showCountsOf(marks, limits, 100_000)).toEqual(counts);
});

const counts = (session: number, inWindow: number, lifespan: number): ShowCounts => ({
  session,
  window: inWindow,
  lifespan,
});
const three = { limit: 3 };

test.each<[string, Limits, ShowCounts, keyof ShowCounts | null]>([
  ['no limits', {}, counts(9, 9, 9), null],
  ['below', { session: three, window: { ...window, ...three }, lifespan: three }, counts(2, 2, 2), null],
  ['session', { session: three }, counts(3, 9, 9), 'session'],
  ['window', { window: { ...window, ...three } }, counts(9, 3, 9), 'window'],
  ['lifespan', { lifespan: three }, counts(9, 9, 3), 'lifespan'],
  ['over the limit', { lifespan: three }, counts(0, 0, 4), 'lifespan'],
  ['several: the widest is asked first', { session: three, lifespan: three }, counts(3, 3, 3), 'lifespan'],
  ['a limit of 0 is none', { session: { limit: 0 }, lifespan: { limit: 0 } }, counts(5, 5, 5), null],
  ['a limit that is missing is none', { session: {} }, counts(5, 5, 5), null],
])('used up: %s', (_, limits, shown, scope) => expect(reachedLimitOf(limits, shown)).toBe(scope));
