import { expect, test } from 'bun:test';
import { estimateText, secondsOfEstimate } from './estimate-words.ts';

test.each<[text: string, seconds: number | null | undefined, again: string]>([
  ['', null, ''],
  ['5 m', 300, '5 m'],
  ['5m', 300, '5 m'],
  ['1 h 30 min', 5_400, '1 h 30 m'],
  ['90 sec', 90, '1 m 30 s'],
  ['2 d', 57_600, '16 h'],
  ['0 s', undefined, ''],
  ['5', undefined, ''],
  ['soon', undefined, ''],
  ['169 h', undefined, ''],
])('%s', (text, seconds, again) => {
  expect(secondsOfEstimate(text)).toBe(seconds);
  if (seconds !== undefined) expect(estimateText(seconds)).toBe(again);
});
