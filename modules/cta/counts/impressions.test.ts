import { describe, expect, test } from 'bun:test';
import { isNewImpression, joinedSeen, withSeen, type Seen } from './impressions.ts';

/** @see An object lists whole numbers first, in their order: of products with numbers as ids, the smallest was forgotten, not the oldest. */
describe.each([
  ['ids that are numbers, falling', (n: number) => String(1_000 - n)],
  ['ids that are numbers, rising', (n: number) => String(1_000 + n)],
  ['other ids', (n: number) => `p${n}`],
])('of more than 50 group keys the newest are remembered: %s', (_, keyOf) => {
  let seen: Seen = {};
  for (let n = 0; n < 60; n++) seen = withSeen(seen, keyOf(n), '1', 1_000 + n);
  const isNew = (n: number) =>
    isNewImpression(seen, { latest: null, known: [] }, { groupKey: keyOf(n), state: '1', at: 2_000 });

  test.each([10, 35, 59])('key %d of 60 is', (n) => expect(isNew(n)).toBe(false));
  test.each([0, 9])('key %d of 60 is not', (n) => expect(isNew(n)).toBe(true));
});

/** @see What a device of a user reported after another one had reported something later never counted. */
test.each<[string, Seen, readonly number[], number, boolean]>([
  ['later, nothing ended', { a: ['1', 10] }, [], 15, false],
  ['later, after something ended', { a: ['1', 10] }, [12], 15, true],
  ['later, before something ended', { a: ['1', 10] }, [20], 15, false],
  ['earlier, nothing ended', { a: ['1', 10] }, [], 5, false],
  ['earlier, before something ended', { a: ['1', 10] }, [7], 5, true],
  ['between two, the one before goes on', { a: ['1', 10, 3] }, [7], 5, false],
  ['between two, the next has begun', { a: ['1', 10, 3] }, [4], 5, false],
  ['between two, of its own', { a: ['1', 10, 3] }, [4, 7], 5, true],
  ['at the time of another', { a: ['1', 10, 5] }, [4, 7], 5, false],
])('an impression that was %s', (_, seen, known, at, isNew) => {
  const turns = { latest: known.at(-1) ?? null, known };
  expect(isNewImpression(seen, turns, { groupKey: 'a', state: '1', at })).toBe(isNew);
});

test('of a group key the last entries into its state are remembered, the newest first', () => {
  let seen: Seen = {};
  for (const at of [5, 1, 9, 3, 7, 2, 8, 6, 4, 10]) seen = withSeen(seen, 'a', '1', at);
  expect(seen).toEqual({ a: ['1', 10, 9, 8, 7, 6, 5, 4, 3, 2] });
  expect(withSeen(seen, 'a', '2', 11)).toEqual({ a: ['2', 11] });
});

test.each<[string, Seen, Seen, Seen]>([
  ['nothing', {}, {}, {}],
  ['each another group', { a: ['1', 5] }, { b: ['2', 9] }, { a: ['1', 5], b: ['2', 9] }],
  ['one group in one state', { a: ['1', 9, 2] }, { a: ['1', 5] }, { a: ['1', 9, 5, 2] }],
  ['one group, the first later', { a: ['1', 9] }, { a: ['2', 5] }, { a: ['1', 9] }],
  ['one group, the second later', { a: ['1', 5] }, { a: ['2', 9] }, { a: ['2', 9] }],
])('two users have seen: %s', (_, left, right, joined) => {
  expect(joinedSeen(left, right)).toEqual(joined);
});
