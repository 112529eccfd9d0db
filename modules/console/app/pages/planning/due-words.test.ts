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

test.each([
  ['America/Los_Angeles', '2026-06-15T01:00:00Z', '2026-06-14', 'due today'],
  ['Pacific/Auckland', '2026-06-14T13:00:00Z', '2026-06-14', 'overdue by 1 day'],
])('a day ends where its reader is: %s', (zone, now, dueOn, words) => {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    expect(dueWords(dueOn, Date.parse(now))).toBe(words);
  } finally {
    process.env['TZ'] = before ?? 'UTC';
  }
});
