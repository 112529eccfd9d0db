import { expect, test } from 'bun:test';
import { appearanceOf, type Appearance } from './appearance.ts';

const usual: Appearance = { scheme: 'system', density: 'compact', isFolded: false, panelWidth: null };

test.each<[stored: string | null, Appearance]>([
  [null, usual],
  ['', usual],
  ['{', usual],
  ['null', usual],
  ['[1]', usual],
  [
    '{"scheme":"dark","density":"comfortable","isFolded":true}',
    { scheme: 'dark', density: 'comfortable', isFolded: true, panelWidth: null },
  ],
  ['{"scheme":"sepia","density":"comfortable"}', { ...usual, density: 'comfortable' }],
  ['{"isFolded":"yes"}', usual],
  ['{"panelWidth":500}', { ...usual, panelWidth: 500 }],
  ['{"panelWidth":20}', usual],
  ['{"panelWidth":"500px"}', usual],
])('%j is read as %o', (stored, expected) => {
  expect(appearanceOf(stored)).toEqual(expected);
});
