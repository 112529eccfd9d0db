import { describe, expect, test } from 'bun:test';
import { checkQuery } from '../../../testmgmt/query/query-check.ts';
import { parseQuery } from '../../../testmgmt/query/query-syntax.ts';
import {
  asksForDeleted,
  completedFields,
  completedValues,
  nextSort,
  sortedBy,
  wholeQuery,
  queryExamples,
} from './query-text.ts';

describe('one query for what a page chooses', () => {
  test.each([
    [{ query: '', section: null, sort: null }, undefined],
    [{ query: 'label:smoke', section: null, sort: null }, 'label:smoke'],
    [{ query: 'label:a OR label:b', section: 7, sort: null }, '(label:a OR label:b) section:7'],
    [{ query: '', section: 7, sort: 'name' }, 'section:7 sort:name'],
    [{ query: 'a OR b sort:updated-desc', section: 7, sort: 'name' }, '(a OR b) section:7 sort:updated-desc'],
    [{ query: 'sort:id', section: null, sort: 'name' }, 'sort:id'],
    [{ query: 'x sort:priority sort:name', section: null, sort: null }, 'x sort:priority sort:name'],
    [
      { query: 'sort:priority x sort:name-desc', section: 7, sort: 'id' },
      'x section:7 sort:priority sort:name-desc',
    ],
    [{ query: 'failed:>=2 since:7d', section: 7, sort: null }, 'failed:>=2 section:7 since:7d'],
    [
      { query: 'a OR b as-of:2026-11-01', section: 7, sort: 'name' },
      '(a OR b) section:7 as-of:2026-11-01 sort:name',
    ],
    [{ query: '"a sort:b c"', section: null, sort: 'name' }, '"a sort:b c" sort:name'],
    [{ query: 'a OR', section: 7, sort: 'name' }, 'a OR sort:name'],
    [{ query: 'a "b', section: 7, sort: null }, 'a "b'],
  ])('%o', (chosen, query) => {
    expect(wholeQuery(chosen)).toBe(query as string);
    if (query !== undefined && !/a OR sort|"b$/.test(query)) expect(parseQuery(query)).toBeObject();
  });
});

test.each([
  [null, 'name', 'name'],
  ['name', 'name', 'name-desc'],
  ['name-desc', 'name', null],
  ['name-desc', 'id', 'id'],
])('after %p a click on %p sorts by %p', (before, by, after) => expect(nextSort(before, by)).toBe(after));

test('the column of an order', () => {
  expect(sortedBy('last-run-desc')).toEqual({ by: 'last-run', descending: true });
  expect(sortedBy(null)).toBeNull();
});

test.each([
  ['is:deleted', true],
  ['label:smoke (is:Deleted OR x)', true],
  ['-is:deleted', false],
  ['deleted', false],
  ['', false],
])('%p asks for deleted tests: %p', (query, is) => expect(asksForDeleted(query)).toBe(is));

const own = { label: ['a'], 'cf.risk': ['High', 'None'], 'cf.rank': [] };
test.each([
  ['cf.r', ['cf.risk:', 'cf.rank:']],
  ['last:failed -cf.ri', ['last:failed -cf.risk:']],
  ['(pay OR CF.RA', []],
  ['(pay OR cf.RA', ['(pay OR cf.rank:']],
  ['has:cf.', ['has:cf.risk', 'has:cf.rank']],
  ['-has:cf.ri', ['-has:cf.risk']],
  ['pay sort:cf.ra', ['pay sort:cf.rank']],
  ['"cf.r', []],
  ['l', []],
  ['', []],
])('%p may go on with the own fields %p', (text, completed) =>
  expect(completedFields(text, own)).toEqual(completed),
);

test.each([
  ['cf.risk:', ['cf.risk:High', 'cf.risk:"None"']],
  ['cf.risk:h', ['cf.risk:High']],
  ['cf.rank:', []],
])('%p may go on with the values %p', (text, completed) =>
  expect(completedValues(text, own)).toEqual(completed),
);

const values = { label: ['smoke', 'slow tests', 'api'], squad: ['web'], type: ['2024', 'a "b"', 'c\\'] };
test.each([
  ['label:s', ['label:smoke', 'label:"slow tests"']],
  ['last:failed -label:a', ['last:failed -label:api']],
  ['label:api,sm', ['label:api,smoke']],
  ['squad:', ['squad:web']],
  ['type:', ['type:"2024"', 'type:"a \\"b\\""', 'type:"c\\\\"']],
  ['name:x', []],
  ['constructor:x', []],
  ['nothing', []],
])('%p may go on with %p', (text, completed) => expect(completedValues(text, values)).toEqual(completed));

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
