import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { belongsTo, bucketOf, buckets, type CohortDefinition, type UserFacts } from './cohort.ts';

/*
 * These numbers decide which user is in which half of an experiment. If one of them changes, the hash has changed, which must not happen in
 * any release.
 */
test.each<[string, string, number]>([
  ['beta', '1', 9826],
  ['beta', '2', 5189],
  ['beta', '3', 9469],
  ['beta', '1000', 4638],
  ['beta', '9007199254740993', 267],
  ['beta', '9223372036854775807', 7267],
  ['beta', '-9223372036854775808', 1612],
  ['beta', '0', 6474],
  ['gamma', '1', 9968],
  ['', '1', 9531],
  ['größer als ß', '42', 8125],
  ['a:b', '1', 1671],
])('the bucket of seed %p and user %s stays %d over releases', (seed, userId, bucket) => {
  expect(bucketOf(seed, userId)).toBe(bucket);
});

test('it is what its description says, computed by other means', () => {
  for (let user = 0; user < 500; user++) {
    const hex = createHash('sha256')
      .update(Buffer.from(`seed:${user}`, 'utf8'))
      .digest('hex');
    expect(bucketOf('seed', String(user))).toBe(Number.parseInt(hex.slice(0, 8), 16) % buckets);
  }
});

const known = (over: Partial<UserFacts> = {}): UserFacts => ({
  userId: '1',
  lists: new Set(),
  attributes: {},
  ...over,
});
const share = (percentage: number, seed = 'share'): CohortDefinition => ({
  kind: 'percentage',
  percentage,
  seed,
});
const isIn = (definition: CohortDefinition, over: Partial<UserFacts> = {}, id = 1) =>
  belongsTo({ id, definition }, known(over), 1000);

test.each([0, 0.01, 1, 12.34, 50, 99.99, 100])('%d percent are that many of all users', (percentage) => {
  const users = 40_000;
  let members = 0;
  for (let user = 0; user < users; user++) if (isIn(share(percentage), { userId: String(user) })) members++;
  const expected = (users * percentage) / 100;
  // Four times the standard deviation of the same number of independent draws.
  const deviation = 4 * Math.sqrt((expected * (100 - percentage)) / 100);
  expect(Math.abs(members - expected)).toBeLessThanOrEqual(deviation);
});

test('who is in a percentage stays in when it grows; at each step of 0.01 by its bucket alone', () => {
  for (let user = 0; user < 300; user++) {
    const userId = String(user);
    const bucket = bucketOf('share', userId);
    for (const percentage of [0.01, 12.34, 33.33, 57.29, 100]) {
      expect(isIn(share(percentage), { userId })).toBe(bucket < Math.round(percentage * 100));
    }
  }
});

test('cohorts of different seeds are independent', () => {
  let both = 0;
  for (let user = 0; user < 10_000; user++) {
    const userId = String(user);
    if (isIn(share(50, 'one'), { userId }) && isIn(share(50, 'two'), { userId })) both++;
  }
  expect(Math.abs(both - 2500)).toBeLessThan(200);
});

const above = (comparisonValue: number): CohortDefinition => ({
  kind: 'attributes',
  filters: {
    operator: 'AND',
    filter: [{ propertyName: 'age', propertyType: 'number', comparisonType: '>', comparisonValue }],
  },
});
const recent: CohortDefinition = {
  kind: 'attributes',
  filters: {
    operator: 'AND',
    filter: [
      {
        propertyName: 'installedAt',
        propertyType: 'number',
        comparisonType: '>',
        functions: { operator: '-', operand1: '$.currentTime', operand2: 100 },
      },
    ],
  },
};

test.each<[string, CohortDefinition, Partial<UserFacts>, boolean]>([
  ['in the list', { kind: 'list' }, { lists: new Set([1]) }, true],
  ['in another list', { kind: 'list' }, { lists: new Set([2]) }, false],
  ['attributes that pass', above(17), { attributes: { age: 18 } }, true],
  ['attributes that do not', above(18), { attributes: { age: 18 } }, false],
  ['nothing known', above(17), {}, false],
  ['in time', recent, { attributes: { installedAt: 901 } }, true],
  ['too late', recent, { attributes: { installedAt: 900 } }, false],
])('%s', (_, definition, over, result) => expect(isIn(definition, over)).toBe(result));
