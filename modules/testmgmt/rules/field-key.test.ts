import { expect, test } from 'bun:test';
import { keyOfName } from './field-key.ts';
import { fieldKey } from './field-value.ts';

test.each([
  ['Browser & OS', 'browser-os'],
  ['2nd Browser', 'nd-browser'],
  ['Größe', 'grosse'],
  ['PRÜFUMGEBUNG', 'prufumgebung'],
  ['Gro\u0308ße', 'grosse'],
  ['Système d’exploitation', 'systeme-d-exploitation'],
  ['Næste trin', 'naeste-trin'],
  ['Środowisko główne', 'srodowisko-glowne'],
  ['İşletim', 'isletim'],
  ['my_field', 'my-field'],
  ['日本', ''],
  ['42', ''],
  ['x'.repeat(40), 'x'.repeat(32)],
  [`${'x'.repeat(31)} y`, 'x'.repeat(31)],
])('the key of %j is %j', (name, key) => {
  expect(keyOfName(name)).toBe(key);
  if (key !== '') expect(key).toMatch(fieldKey);
});
