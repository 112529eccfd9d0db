import { expect, test } from 'bun:test';
import { countedCohorts, eligibleText } from './eligible-text.ts';

test.each([
  [[], false, 'Everybody'],
  [[], true, 'All but some'],
  [[1_200], false, '1,200'],
  [[1_200], true, '≤ 1,200'],
  [[10, 20], false, '≤ 30'],
  [[10, undefined], false, '–'],
] as const)('cohorts of %j, others excluded %p: %s', (matching, excludes, text) => {
  expect(eligibleText(matching, excludes)).toBe(text);
});

test.each([
  [[], []],
  [['few'], ['few']],
  [['all'], []],
  [['few', 'all'], []],
] as const)('of a CTA for %j these are counted: %j', (includes, counted) => {
  expect(countedCohorts(includes)).toEqual([...counted]);
});
