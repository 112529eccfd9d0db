import { expect, test } from 'bun:test';
import { moved, storedSteps } from './step-list.ts';

test.each([
  ['down', 0, 1, ['b', 'a', 'c']],
  ['up', 2, 0, ['c', 'a', 'b']],
  ['above the first', 0, -1, ['a', 'b', 'c']],
  ['below the last', 2, 3, ['a', 'b', 'c']],
  ['of none', 9, 0, ['a', 'b', 'c']],
])('a step moves %s', (_, from, to, order) => expect(moved(['a', 'b', 'c'], from, to)).toEqual(order));

test('empty steps and fields are not stored', () =>
  expect(storedSteps([{ action: ' ' }, { action: 'Pay', data: '', expected: 'A receipt' }])).toEqual([
    { action: 'Pay', expected: 'A receipt' },
  ]));
