import { expect, test } from 'bun:test';
import { folded, formerSpellings, searchedText } from './query-fold.ts';

test.each([
  ['Login', 'login'],
  ['50% of_it', '50% of_it'],
  ['ÜBERWEISUNG', 'überweisung'],
  ['Größe', 'größe'],
  ['Оплата', 'оплата'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['οδός', 'οδόσ'],
  // A letter without another case of one letter stays as it is.
  ['İß', 'İß'],
  ['日本語🙂', '日本語🙂'],
  ['𐐀', '𐐨'],
])('%s', (text, small) => expect(folded(text)).toBe(small));

test.each([
  ['Login', []],
  ['ÜBERWEISUNG über', [{ small: 'ü', capital: 'Ü' }]],
  [
    'größ ÄÖ',
    [
      { small: 'ö', capital: 'Ö' },
      { small: 'ä', capital: 'Ä' },
    ],
  ],
  [
    'ς',
    [
      { small: 'σ', capital: 'Σ' },
      { small: 'σ', capital: 'ς' },
    ],
  ],
  ['日本語🙂 İß', []],
])('pairs of %s', (text, pairs) => expect(searchedText(text).pairs).toEqual(pairs));

test('a part of a text is a part of the folded text, also of letters whose case depends on those beside them', () => {
  for (const [whole, part] of [
    ['ΟΔΟΣ ΑΒ', 'ΟΔΟΣ'],
    ['οδος αβ', 'ΟΔΟΣ'],
    ['ΟΔΟΣΑΒ', 'ΟΔΟΣ'],
    ['İstanbul', 'stan'],
    ['ǅ ǆ Ǆ', 'ǅ'],
  ] as const)
    expect(folded(whole)).toContain(folded(part));
});

test('a long text takes no time', () => {
  const began = performance.now();
  expect(searchedText('ÜÄ'.repeat(100_000)).pairs.length).toBe(2);
  expect(performance.now() - began).toBeLessThan(1_000);
});

test('more letters than an alphabet has are compared as they are', () => {
  const letters = Array.from({ length: 900 }, (_, n) => String.fromCodePoint(0x80 + n)).join('');
  expect(searchedText(`A${letters}`)).toEqual({ small: `a${letters}`, pairs: [] });
});

test.each([
  ['überweisung', ['überweisung', 'Überweisung']],
  ['ÜBERWEISUNG', ['Überweisung', 'überweisung']],
  ['Größe', ['größe', 'grÖsse']],
  ['оплата картой', ['оплата картой', 'ОПЛАТА КАРТОЙ', 'Оплата картой', 'Оплата Картой']],
  ['日本語', ['日本語']],
])('former spellings of %s', (text, spellings) => expect(formerSpellings(text)).toEqual(spellings));
