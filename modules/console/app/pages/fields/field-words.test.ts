import { expect, test } from 'bun:test';
import { shownValue, valueOfText } from './field-words.ts';

test.each([
  ['number', ' 2.5 ', 2.5],
  ['number', '-1e3', -1000],
  ['number', 'heavy', 'heavy'],
  ['number', '  ', null],
  ['text', ' a b ', 'a b'],
  ['text', '5', '5'],
  ['date', '2026-11-24', '2026-11-24'],
] as const)('%s %j is %j', (kind, text, value) => {
  expect(valueOfText(kind, text)).toBe(value as never);
});

test.each([
  ['choices', ['web', 'app'], 'web, app'],
  ['boolean', false, 'No'],
  ['user', 7, 'Ada'],
  ['number', 7, '7'],
] as const)('%s %j is shown as %j', (kind, value, shown) => {
  expect(shownValue(kind, value, () => 'Ada')).toBe(shown);
});
