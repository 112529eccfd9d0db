import { expect, test } from 'bun:test';
import { dayText } from '../../design/time.tsx';
import { hoursText, insightRange, shortDayText } from './insight-range.ts';

test.each([
  ['', { days: 90, by: 'day' }],
  ['days=30&by=week', { days: 30, by: 'week' }],
  ['days=0', { days: 1, by: 'day' }],
  ['days=999', { days: 400, by: 'day' }],
  ['days=1e3&by=year', { days: 90, by: 'day' }],
] as const)('the range of %p is %o', (search, range) =>
  expect(insightRange(new URLSearchParams(search))).toEqual(range),
);

test('a day is a day of UTC', () => {
  expect(dayText('2026-11-23T00:00:00.000Z')).toBe('23 Nov 2026');
  expect(dayText('2026-11-23')).toBe('23 Nov 2026');
  expect(shortDayText(Date.UTC(2026, 10, 23))).toBe('23 Nov');
});

test.each([
  [0, '< 1 min'],
  [0.02, '1 min'],
  [0.99, '59 min'],
  [1, '1 h'],
  [1.26, '1.3 h'],
  [47.9, '47.9 h'],
  [60, '2.5 days'],
])('%p hours are %p', (hours, text) => expect(hoursText(hours)).toBe(text));
