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

test.each<[string, Seen, Seen, Seen]>([
  ['nothing', {}, {}, {}],
  ['each another group', { a: ['1', 5] }, { b: ['2', 9] }, { a: ['1', 5], b: ['2', 9] }],
  ['one group, the first later', { a: ['1', 9] }, { a: ['2', 5] }, { a: ['1', 9] }],
  ['one group, the second later', { a: ['1', 5] }, { a: ['2', 9] }, { a: ['2', 9] }],
])('two users have seen: %s', (_, left, right, joined) => {
  expect(joinedSeen(left, right)).toEqual(joined);
});
