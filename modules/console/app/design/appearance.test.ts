import { expect, test } from 'bun:test';
import { appearanceOf, type Appearance } from './appearance.ts';

const usual: Appearance = { scheme: 'system', density: 'compact', isFolded: false };

test.each<[stored: string | null, Appearance]>([
  [null, usual],
  ['', usual],
  ['{', usual],
  ['null', usual],
  ['[1]', usual],
  [
    '{"scheme":"dark","density":"comfortable","isFolded":true}',
    { scheme: 'dark', density: 'comfortable', isFolded: true },
  ],
  ['{"scheme":"sepia","density":"comfortable"}', { ...usual, density: 'comfortable' }],
  ['{"isFolded":"yes"}', usual],
])('%j is read as %o', (stored, expected) => {
  expect(appearanceOf(stored)).toEqual(expected);
});
