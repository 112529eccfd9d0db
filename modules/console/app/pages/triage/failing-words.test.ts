import { expect, test } from 'bun:test';
import { failingText } from './failing-words.ts';

const of = (failing: number, newlyFailing: number, runName: string | null, added = 0) => ({
  failing,
  newlyFailing,
  added,
  comparedWith: runName === null ? null : { runId: 1, runName },
});

test.each([
  [3, of(3, 2, 'Nightly #424 · main @ b3463f2'), '3 failing: 2 new since #424'],
  [3, of(3, 0, 'CI #9'), '3 failing: none new since #9'],
  [1_200, of(1_200, 1_100, 'Regression 5.3'), '1,200 failing: 1,100 new since Regression 5.3'],
  [3, of(3, 0, 'CI #9', 3), '3 failing: none new since #9, 3 not in that run'],
  [3, of(3, 1, 'CI #9', 1), '3 failing: 1 new since #9, 1 not in that run'],
  // There is no run before.
  [3, of(3, 0, null), '3 failing'],
  // Somebody has just set another result: what the server found is of before.
  [4, of(3, 2, 'CI #9'), '4 failing'],
  [2, undefined, '2 failing'],
  // A channel is no build.
  [1, of(1, 1, 'Tests of #shop'), '1 failing: 1 new since Tests of #shop'],
  [1, of(1, 1, 'Issue#12'), '1 failing: 1 new since Issue#12'],
] as const)('%p %j is %p', (failed, found, expected) => {
  expect(failingText(failed, found)).toBe(expected);
});
