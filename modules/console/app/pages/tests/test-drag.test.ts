import { expect, test } from 'bun:test';
import { draggedTests, droppedTests } from './test-drag.ts';

test.each([
  [7, [], [7]],
  [7, [1, 2], [7]],
  [2, [1, 2], [1, 2]],
])('test %d with %j ticked carries %j', (testId, selected, ids) =>
  expect(droppedTests(draggedTests(testId, selected).text)).toEqual(ids),
);

test.each(['', '{}', '["1"]', 'null', '[1.5]', 'https://example.org'])('%j is no test', (text) =>
  expect(droppedTests(text)).toEqual([]),
);
