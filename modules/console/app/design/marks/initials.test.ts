import { expect, test } from 'bun:test';
import { hueOf, hues, initialsOf } from './initials.ts';

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada@example.org', 'A'],
  ['grace.hopper@example.org', 'GH'],
  ['Ludwig van Beethoven', 'LB'],
  ['søren', 'S'],
  ['Ødegård Å', 'ØÅ'],
  ['  ', ''],
  ['', ''],
  ['@', ''],
  ['𝒜b c', '𝒜C'],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

test.each([0, 1, 7, 8, 123_456, -3, 2 ** 53])('the hue of %d is one of those that exist', (id) => {
  const hue = hueOf(id);
  expect(Number.isInteger(hue) && hue >= 0 && hue < hues).toBe(true);
});
