import { expect, test } from 'bun:test';
import { checkQuery } from '../../../testmgmt/query/query-check.ts';
import { parseQuery } from '../../../testmgmt/query/query-syntax.ts';
import { queryExamples } from './query-example.ts';

test.each([
  ['get-tests', 'tests'],
  ['get-runs', 'runs'],
  ['get-run-tests-list', 'run-tests'],
] as const)('the example of %p is a query of its own fields', (tool, scope) => {
  expect(checkQuery(parseQuery(queryExamples[tool]), scope, 0).where).not.toBeNull();
});

test('an example of another page is refused', () => {
  expect(() => checkQuery(parseQuery(queryExamples['get-tests']), 'runs', 0)).toThrow('label');
});
