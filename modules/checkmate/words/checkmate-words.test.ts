import { expect, test } from 'bun:test';
import { extrasOf, nameOfTitle, withExtras } from './extra-field.ts';
import { queryOfFilters, sortOf } from './filter-query.ts';
import { roleOf, shownRole, strongest } from './role-word.ts';
import { commentOf, readStatus } from './status-word.ts';
import { noAction, stepsFromTexts, textsOfSteps } from './steps-text.ts';

test.each([
  ['Passed', { status: 'passed' }],
  [' FAILED ', { status: 'failed' }],
  ['Retest', { status: 'retest' }],
  ['Skipped', { status: 'untested', word: 'Skipped' }],
  ['in progress', { status: 'untested', word: 'InProgress' }],
  ['Archived', { unknown: expect.stringContaining('"Archived" is no status') as string }],
  ['', { unknown: expect.any(String) as string }],
])('the status %p', (given, expected) => expect(readStatus(given)).toEqual(expected as never));

test.each([
  [undefined, undefined, undefined],
  ['why', undefined, 'why'],
  [undefined, 'Skipped', 'Skipped'],
  ['why', 'Skipped', 'Skipped: why'],
])('the comment %p with %p', (comment, word, expected) => expect(commentOf(comment, word)).toBe(expected));

test.each([
  [null, null, []],
  ['', ' ', []],
  ['open it', null, [{ action: 'open it' }]],
  [
    '1. open\n2) pay\n   by card\n\n3. leave',
    'paid',
    [{ action: 'open' }, { action: 'pay\n   by card' }, { action: 'leave', expected: 'paid' }],
  ],
  ['first\n1. second', null, [{ action: 'first\n1. second' }]],
  [null, 'it works', [{ action: noAction, expected: 'it works' }]],
])('the steps %p with the result %p', (steps, expected, made) =>
  expect(stepsFromTexts(steps, expected)).toEqual(made),
);

test('the texts of steps are found again', () => {
  for (const steps of ['open it', '1. open\n2. pay', null])
    for (const expectedResult of ['paid', null])
      expect(textsOfSteps(stepsFromTexts(steps, expectedResult))).toEqual({ steps, expectedResult });
});

test('an action that is too long becomes several steps', () => {
  expect(stepsFromTexts('x'.repeat(50_000), null).map(({ action }) => action.length)).toEqual([
    20_000, 20_000, 10_000,
  ]);
  const parts = stepsFromTexts(`${'x'.repeat(19_999)}😀${'y'.repeat(19_999)}`, null);
  expect(parts.map(({ action }) => [action.length, action.isWellFormed()])).toEqual([
    [19_999, true],
    [20_000, true],
    [1, true],
  ]);
  // create-test refuses it.
  expect(stepsFromTexts('\ud83d', null)).toEqual([{ action: '\ud83d' }]);
});

test.each([
  ['', {}],
  ['text', {}],
  ['text\n\nsecond', {}],
  ['', { jiraTicket: 'A-1' }],
  ['text', { jiraTicket: 'A-1', defects: 'B-2', automationId: 'c', additionalGroups: 'd e' }],
])('the description %p with %p comes back', (description, extras) =>
  expect(extrasOf(withExtras(description, extras))).toEqual({ description, extras }),
);

test.each([
  ['short', { testName: 'short' }],
  // Half a character is refused by create-test.
  [`${'x'.repeat(253)}😀 more`, { testName: `${'x'.repeat(253)}…`, fullTitle: `${'x'.repeat(253)}😀 more` }],
  [`${'x'.repeat(300)}`, { testName: `${'x'.repeat(254)}…`, fullTitle: 'x'.repeat(300) }],
])('the name of a title', (title, expected) => expect(nameOfTitle(title)).toEqual(expected));

test.each([
  [{}, undefined],
  [{ textSearch: '  ' }, undefined],
  [{ textSearch: 'say "hi" \\' }, 'name:"say \\"hi\\" \\\\"'],
  [{ textSearch: '12' }, '(id:12 OR name:"12")'],
  [{ squadIds: [0, 3].map((one) => one || null), labelIds: [1, 2] }, 'squad:none,3 label:1,2'],
  [
    { squadIds: [3], platformIds: [4], filterType: 'or' as const, priorityIds: [5] },
    '(squad:3 OR platform:4) priority:5',
  ],
  [{ sectionIds: [1, 2], statuses: ['passed' as const] }, '(section:=1 OR section:=2) status:passed'],
])('the query of %p', (filters, query) => expect(queryOfFilters(filters)).toBe(query as string));

test.each([
  ['title', 'asc', 'sort:name-asc'],
  ['test id', undefined, 'sort:id-desc'],
  ['test+id', 'ASC', 'sort:id-asc'],
  ['automation+status', 'asc', undefined],
])('the order by %p %p', (by, order, sort) => expect(sortOf(by, order)).toBe(sort as string));

test('roles', () => {
  for (const role of ['reader', 'member', 'admin'] as const) expect(roleOf(shownRole(role))).toBe(role);
  expect(strongest(['reader', 'member'])).toBe('user');
  expect(strongest([])).toBe('reader');
});
