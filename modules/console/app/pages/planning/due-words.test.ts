import { expect, test } from 'bun:test';
import { dueWords } from './due-words.ts';

const noon = Date.parse('2026-11-24T12:00:00Z');

test.each([
  [null, ''],
  [undefined, ''],
  ['2026-11-24', 'due today'],
  ['2026-11-25', 'due in 1 day'],
  ['2026-12-01', 'due in 7 days'],
  ['2026-11-23', 'overdue by 1 day'],
  ['2026-10-24', 'overdue by 31 days'],
])('%p is "%s"', (dueOn, words) => expect(dueWords(dueOn, noon)).toBe(words));
