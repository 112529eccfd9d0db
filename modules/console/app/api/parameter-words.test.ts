import { expect, test } from 'bun:test';
import { labelOf, withLabels } from './parameter-words.ts';

const names: Readonly<Record<string, string>> = { weight: 'Weight', spec: 'Spec', browser: 'Browser' };
const label = labelOf((key) => names[key]);

test.each([
  ['dueOn is before startOn.', '"Last day" is before "First day".'],
  [
    'fields.weight must be a number; fields.spec must be an address that begins with https:// or http://',
    '"Weight" must be a number. "Spec" must be an address that begins with https:// or http://.',
  ],
  ['fields.browser is required and cannot be cleared', '"Browser" is required and cannot be cleared.'],
  [
    'tests[0].fields.weight must be a number; tests[1].fields.weight must be a number',
    '"Weight" must be a number.',
  ],
  [
    'tests[0].fields.weight must be a number; tests[1].fields.weight must be a number; and 290 more',
    '"Weight" must be a number.',
  ],
  ['set.fields.weight must be a number', '"Weight" must be a number.'],
  ['fields.browser must be one of Chrome, Firefox', '"Browser" must be one of Chrome, Firefox.'],
  ['testName is required', '"Name" is required.'],
  // A person reads no regular expression.
  [
    'name must match ^[A-Za-z0-9_.:-]{1,64}$.',
    '"Name" may have at most 64 characters: letters from A to Z, digits and _ . : -.',
  ],
  [
    'id must match ^[.]*[A-Za-z0-9_:~-][A-Za-z0-9._:~-]*$.',
    '"Id" may have only letters from A to Z, digits and . _ : ~ -.',
  ],
  [
    'tenantId must match ^[A-Za-z0-9._:-]{1,128}$; orgId must be a whole number',
    '"tenantId" may have at most 128 characters: letters from A to Z, digits and . _ : -. orgId must be a whole number.',
  ],
  // Nothing is known of them.
  ['fields.other must be a number', 'fields.other must be a number'],
  ['The list is before the run.', 'The list is before the run.'],
  ['exposureRule.window.limit must be a whole number.', 'exposureRule.window.limit must be a whole number.'],
  ['There is no test 5; nothing was done.', 'There is no test 5; nothing was done.'],
])('%s', (message, said) => expect(withLabels(message, label)).toBe(said));

test('a long message takes no time', () => {
  const began = performance.now();
  withLabels(`${'a.b'.repeat(50_000)}; ${'fields.'.repeat(20_000)}`, label);
  expect(performance.now() - began).toBeLessThan(500);
});
