import { expect, test } from 'bun:test';
import { completedQueries } from './query-completion.ts';
import { parseQuery } from './query-syntax.ts';

const cases: ReadonlyArray<readonly [tool: string, text: string, expected: readonly string[]]> = [
  ['get-tests', 'la', ['label:', 'last:', 'last-run:']],
  ['get-tests', 'LAB', ['label:']],
  ['get-tests', '-fl', ['-flaky:']],
  ['get-tests', '(label:smoke OR last:fa', ['(label:smoke OR last:failed']],
  ['get-tests', '(fla', ['(flaky:']],
  ['get-tests', 'label:smoke flaky:', ['label:smoke flaky:yes', 'label:smoke flaky:no']],
  ['get-tests', 'last:passed,bl', ['last:passed,blocked']],
  ['get-tests', 'sort:up', ['sort:updated', 'sort:updated-desc']],
  ['get-tests', 'updated-by:', ['updated-by:me']],
  ['get-tests', 'priority:Hi', []],
  ['get-tests', 'nothing', []],
  ['get-tests', 'progress', []],
  ['get-runs', 'status:', ['status:active', 'status:locked']],
  ['get-runs', 'pro', ['progress:']],
  ['get-run-tests-list', 'status:pa', ['status:passed']],
  ['get-tests', 'x"', []],
  ['get-tests', '"gift la', []],
  ['get-tests', 'section:"Checkout la', []],
  [
    'get-tests',
    'label:"a \\" b" la',
    ['label:"a \\" b" label:', 'label:"a \\" b" last:', 'label:"a \\" b" last-run:'],
  ],
  ['get-tests', '-s', ['-section:', '-squad:']],
  ['get-tests', '-as', []],
  ['get-tests', '-sort:', []],
  ['get-tests', 'sort:name,', []],
  // With a pattern that reads a backslash in two ways, this takes years.
  ['get-tests', `"${'\\'.repeat(1_000)}`, []],
];
test.each(cases)('%s %j', (tool, text, expected) => {
  expect(completedQueries(tool, text)).toEqual(expected);
});

test('every completed value is a query that can be read', () => {
  for (const text of ['last:', 'flaky:', 'has:', 'is:', 'sort:', 'created-by:'])
    for (const query of completedQueries('get-tests', text)) expect(parseQuery(query)).toBeObject();
});
