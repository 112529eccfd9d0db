import { expect, test } from 'bun:test';
import { isCalendarDay } from './calendar-day.ts';

test.each([
  ['2026-11-30', true],
  ['2026-11-31', false],
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['2026-11-00', false],
  ['2026-1-1', false],
  ['', false],
])('%s: %p', (text, expected) => {
  expect(isCalendarDay(text)).toBe(expected);
});
