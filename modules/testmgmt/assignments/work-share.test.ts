import { expect, test } from 'bun:test';
import { inTurns } from '../../../core/base/turns.ts';
import { forecastOf, medianOf } from './forecast.ts';
import { sharedWork, type ShareRule } from './work-share.ts';

const shared = async (seconds: readonly number[], people: readonly number[], rule: ShareRule) => {
  const tests = seconds.map((each, index) => ({ testId: index + 1, seconds: each }));
  const shares = await inTurns(sharedWork(tests, people, rule));
  return people.map((userId) => (shares.get(userId) ?? []).map(({ testId }) => testId));
};

test.each([
  [
    'even',
    [1, 1, 1, 1, 1],
    [7, 8],
    [
      [1, 3, 5],
      [2, 4],
    ],
  ],
  [
    'even',
    [60, 1, 1, 1],
    [7, 8],
    [
      [1, 3],
      [2, 4],
    ],
  ],
  ['even', [1], [7, 8, 9], [[1], [], []]],
  ['even', [], [7], [[]]],
  // 60 | 30 + 20 + 10
  ['estimate', [10, 20, 30, 60], [7, 8], [[4], [3, 2, 1]]],
  [
    'estimate',
    [5, 5, 5, 5],
    [7, 8],
    [
      [1, 3],
      [2, 4],
    ],
  ],
  // Nothing is known: all of equal length.
  [
    'estimate',
    [0, 0, 0, 0],
    [7, 8],
    [
      [1, 3],
      [2, 4],
    ],
  ],
] as const)('%s: %j for %j is %j', async (rule, seconds, people, expected) => {
  expect(await shared(seconds, people, rule)).toEqual(expected.map((ids) => [...ids]));
});

test.each([
  [[], null],
  [[3], 3],
  [[9, 1], 5],
  [[5, 1, 3], 3],
  [[4, 1, 3, 2], 2.5],
] as const)('the median of %j is %j', (values, median) => expect(medianOf([...values])).toBe(median));

test.each([
  [{ durationsUs: [2e6, 4e6, 90e6], estimateSeconds: 60 }, 7, { seconds: 4, basis: 'durations' }],
  // Only the last five count.
  [
    { durationsUs: [1e6, 1e6, 1e6, 1e6, 1e6, 9e6, 9e6, 9e6, 9e6, 9e6, 9e6], estimateSeconds: null },
    7,
    { seconds: 1, basis: 'durations' },
  ],
  [{ durationsUs: [], estimateSeconds: 60 }, 7, { seconds: 60, basis: 'estimate' }],
  [{ durationsUs: [], estimateSeconds: null }, 7, { seconds: 7, basis: 'project' }],
  [{ durationsUs: [], estimateSeconds: null }, null, { seconds: 0, basis: 'none' }],
] as const)('the forecast of %j with %j is %j', (known, project, expected) => {
  expect(forecastOf(known, project)).toEqual(expected);
});
