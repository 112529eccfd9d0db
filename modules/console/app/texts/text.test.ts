import { afterEach, beforeEach, expect, test } from 'bun:test';
import { inSentence, locale, manyText, noun, oneText, pluralText, setTexts, t } from './text.ts';

/* One suite in one process: what it sets is taken back. */
const catalogue: Readonly<Record<string, string | Record<string, string>>> = {
  'Save {name}': '{name} speichern',
  '# test': { one: '# Test', other: '# Tests' },
};
beforeEach(() => setTexts('de', (key) => catalogue[key]));
afterEach(() => setTexts('en', () => undefined));

test('a text has its values in the order of its language', () =>
  expect(t('Save {name}', { name: 'A {name}' })).toBe('A {name} speichern'));
test('a text without a translation stays English, without its note for translators', () =>
  expect(t('Open##verb')).toBe('Open'));
test('a value that was not given stays visible', () => expect(t('{a} and {b}', { a: 1 })).toBe('1 and {b}'));
test('amounts and bare nouns', () =>
  expect([
    pluralText(1, 'test'),
    pluralText(2, 'test'),
    pluralText(2, 'run'),
    manyText(noun('test')),
    oneText(noun('test')),
    manyText(noun('entry', 'entries')),
  ]).toEqual(['# Test', '# Tests', undefined, 'Tests', 'Test', 'entries']));
test('German nouns keep their capital', () => {
  expect([inSentence('Label'), locale()]).toEqual(['Label', 'de']);
  setTexts('en', () => undefined);
  expect([inSentence('Label'), locale()]).toEqual(['label', 'en-GB']);
});
