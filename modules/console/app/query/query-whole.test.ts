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
  ['get-tests', 'cf.weight:>3', true],
  ['get-tests', 'pay (-cf.weight:>3 OR has:cf.weight) sort:cf.weight-desc', true],
  ['get-tests', 'cf.weight:', false],
  ['get-tests', 'cf.weigh', false],
  ['get-tests', 'cf.weigh:>3', false],
  ['get-tests', 'sort:cf.weigh', false],
  ['get-tests', 'cf.', false],
  ['get-runs', 'status:active', true],
  ['get-runs', 'last:failed', false],
  ['get-run-tests-list', 'status:failed by:me', true],
])('of %s, %j: %p', (tool, text, isWhole) =>
  expect(isWholeQuery(tool, text, ['cf.weight'], Date.now())).toBe(isWhole),
);
