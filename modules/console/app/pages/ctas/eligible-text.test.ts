import { expect, test } from 'bun:test';
import { eligibleText } from './eligible-text.ts';

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
