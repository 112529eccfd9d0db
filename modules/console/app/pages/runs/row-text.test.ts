import { expect, test } from 'bun:test';
import { rowText } from './row-text.ts';

const of = { testName: 'Pay', sectionPath: ['Checkout', 'Payment'], priority: 'High', isDeleted: false };

test.each([
  [of, 'failed', 'Ada', 'Pay: failed. Section Checkout, Payment. Priority High. Assigned to Ada.'],
  [{ ...of, sectionPath: [], priority: null }, 'untested', null, 'Pay: untested.'],
  [
    { ...of, isDeleted: true },
    'passed',
    null,
    'Pay: passed. Section Checkout, Payment. Priority High. The test was deleted.',
  ],
] as const)('%#', (row, status, assignee, text) => {
  expect(rowText({ ...row, sectionPath: [...row.sectionPath] }, status, assignee)).toBe(text);
});
