import { expect, test } from 'bun:test';
import { appearanceOf, type Appearance } from './appearance.ts';

const usual: Appearance = {
  scheme: 'system',
  density: 'compact',
  isFolded: false,
  panelWidth: null,
  columnWidths: {},
};

test.each<[stored: string | null, Appearance]>([
  [null, usual],
  ['', usual],
  ['{', usual],
  ['null', usual],
  ['[1]', usual],
  [
    '{"scheme":"dark","density":"comfortable","isFolded":true}',
    { ...usual, scheme: 'dark', density: 'comfortable', isFolded: true },
  ],
  ['{"scheme":"sepia","density":"comfortable"}', { ...usual, density: 'comfortable' }],
  ['{"isFolded":"yes"}', usual],
  ['{"panelWidth":500}', { ...usual, panelWidth: 500 }],
  ['{"panelWidth":20}', usual],
  ['{"panelWidth":"500px"}', usual],
  [
    '{"columnWidths":{"tests.name":200,"tests.id":1,"run.name":"200"}}',
    { ...usual, columnWidths: { 'tests.name': 200 } },
  ],
  ['{"columnWidths":[7]}', usual],
])('%j is read as %o', (stored, expected) => {
  expect(appearanceOf(stored)).toEqual(expected);
});
