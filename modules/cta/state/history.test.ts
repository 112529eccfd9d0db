import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { joinHistories } from './history.ts';
import type { History } from './user-state.ts';

const of = (marks: number[], clearedAt?: number): History<number> => ({
  marks,
  ...(clearedAt !== undefined && { clearedAt }),
});

test.each<[string, History<number>, History<number>, History<number>]>([
  ['a union is ascending and without duplicates', of([5, 8]), of([12, 8, 1, 1]), of([1, 5, 8, 12])],
  ['a clear takes what is not later', of([5, 10, 12]), of([], 10), of([12], 10)],
  ['what was cleared does not come back', of([], 10), of([5, 10, 12]), of([12], 10)],
  ['the later clear stands', of([12], 10), of([], 15), of([], 15)],
  ['only the newest are kept', of([1, 2, 3]), of([4, 5]), of([2, 3, 4, 5])],
])('%s', (_, left, right, expected) => {
  expect(joinHistories(left, right, { keep: 4 })).toEqual(expected);
  expect(joinHistories(right, left, { keep: 4 })).toEqual(expected);
});

test.each<[string, History<number>, History<number>]>([
  ['nothing', of([5]), of([])],
  ['what is there', of([5, 8], 3), of([8, 5])],
  ['what was cleared', of([5], 3), of([2], 1)],
  ['what is older than the newest kept', of([5, 6, 7, 8]), of([4])],
])('pushing %s answers the same history', (_, left, right) => {
  expect(joinHistories(left, right, { keep: 4 })).toBe(left);
});

test('a clear with a reset of the same time takes marks later than the clear, and late copies of them', () => {
  const cleared = joinHistories(of([5, 30]), of([], 10), { keep: 4, resetTie: true });
  expect(cleared).toEqual(of([], 30));
  expect(joinHistories(cleared, of([30, 31]), { keep: 4 })).toEqual(of([31], 30));
});

test('marks of different CTAs at one time are different marks', () => {
  const left = { marks: [{ ctaId: '1', resetAt: 5 }] };
  const right = { marks: [5, { ctaId: '2', resetAt: 5 }, { ctaId: '1', resetAt: 5 }] };
  expect(joinHistories<number | { ctaId: string; resetAt: number }>(left, right, { keep: 4 })).toEqual({
    marks: [5, { ctaId: '1', resetAt: 5 }, { ctaId: '2', resetAt: 5 }],
  });
});

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

test(`joining is commutative, associative and idempotent, limit and clears included (SEED=${seed})`, () => {
  const time = fc.nat(20);
  const drawn = fc.record({
    marks: fc.array(time, { maxLength: 8 }),
    clearedAt: fc.option(time, { nil: undefined }),
  });
  const limit = { keep: 4 };
  const join = (left: History<number>, right: History<number>) => joinHistories(left, right, limit);
  const histories = drawn.map(({ marks, clearedAt }) => join(of([], clearedAt), of(marks)));
  fc.assert(
    fc.property(histories, histories, histories, (a, b, c) => {
      expect(join(a, b)).toEqual(join(b, a));
      expect(join(join(a, b), c)).toEqual(join(a, join(b, c)));
      expect(join(a, a)).toBe(a);
    }),
    { seed, numRuns: 1000 },
  );
});
