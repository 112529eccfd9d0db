import { expect, test } from 'bun:test';
import { languageName, languageOf } from './language.ts';

test.each<[chosen: string | null, preferred: readonly string[], tag: string]>([
  [null, ['de-AT', 'en'], 'de'],
  [null, ['fr', 'de'], 'de'],
  [null, ['fr'], 'en'],
  [null, [], 'en'],
  ['de', ['en'], 'de'],
  ['en', ['de'], 'en'],
  ['xx', ['de'], 'de'],
  ['en-XA', ['de'], 'en-XA'],
])('chosen %j, the browser prefers %j: %s', (chosen, preferred, tag) =>
  expect(languageOf(chosen, preferred)).toBe(tag),
);

test('a language has its own name', () => expect(languageName('de')).toBe('Deutsch'));
