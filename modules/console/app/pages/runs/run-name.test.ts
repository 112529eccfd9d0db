import { expect, test } from 'bun:test';
import { nextRunName } from './run-name.ts';

test.each([
  ['Release 1.4', 'Release 1.4 (2)'],
  ['Release 1.4 (2)', 'Release 1.4 (3)'],
  ['Release 1.4 (99)', 'Release 1.4 (100)'],
  ['Release (beta)', 'Release (beta) (2)'],
  ['(2)', '(2) (2)'],
  ['Two\nlines (7)', 'Two\nlines (8)'],
  ['a'.repeat(255), `${'a'.repeat(251)} (2)`],
  [`${'a'.repeat(251)} (9)`, `${'a'.repeat(250)} (10)`],
])('%j is repeated as %j', (name, next) => expect(nextRunName(name)).toBe(next));
