import { expect, test } from 'bun:test';
import { isWholeQuery } from './query-whole.ts';

test.each<[tool: Parameters<typeof isWholeQuery>[0], text: string, isWhole: boolean]>([
  ['get-tests', '', true],
  ['get-tests', 'pay', true],
  ['get-tests', 'label:', false],
  ['get-tests', 'label:smoke', true],
  ['get-tests', 'labe:smoke', false],
  ['get-tests', '(pay', false],
  ['get-tests', 'last:fail', false],
  ['get-tests', 'last:failed', true],
  ['get-tests', 'cf.weight:>3', false],
  ['get-runs', 'status:active', true],
  ['get-runs', 'last:failed', false],
  ['get-run-tests-list', 'status:failed by:me', true],
])('of %s, %j: %p', (tool, text, isWhole) => expect(isWholeQuery(tool, text, Date.now())).toBe(isWhole));
