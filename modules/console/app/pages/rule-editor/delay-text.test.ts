import { expect, test } from 'bun:test';
import { delayText, msOfDuration } from './delay-text.ts';

test.each([
  [7_200_000, '2 h'],
  [129_600_000, '1 d 12 h'],
  [90, '90 ms'],
  [61_500, '1 min 1 s 500 ms'],
  [0, '0 s'],
] as const)('%p ms is "%s", and back', (ms, text) => {
  expect(delayText(ms)).toBe(text);
  expect(msOfDuration(text)).toBe(ms);
});

test.each([
  ['2h', 7_200_000],
  ['1.5 hours', 5_400_000],
  ['1,5 h', 5_400_000],
  ['1 week', 604_800_000],
  ['1 Day 3 MIN', 86_580_000],
  // Without a unit it could be seconds or milliseconds.
  ['300', undefined],
  ['soon', undefined],
  ['2 h and more', undefined],
  ['', undefined],
  ['-1 h', undefined],
  ['9'.repeat(100), undefined],
] as const)('"%s" is %p', (text, ms) => {
  expect(msOfDuration(text)).toBe(ms as never);
});

test('what is no whole number of milliseconds stays as it is', () => {
  expect(delayText(1.5)).toBe('1.5');
  expect(delayText(-3)).toBe('-3');
});
