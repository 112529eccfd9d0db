import { expect, test } from 'bun:test';
import { addressKey, folded, searchedText } from './letter-case.ts';

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

/** @see An address with the Kelvin sign was that of another person, whose name has a k: toLowerCase makes it one. */
test.each([
  ['Ana@Example.ORG', 'ana@example.org'],
  ['JOSÉ@example.org', 'josé@example.org'],
  ['mar\u212A@example.org', 'mar\u212A@example.org'],
  ['an@\u212Aiosk.example', 'an@\u212Aiosk.example'],
  ['\u0130da@example.org', '\u0130da@example.org'],
  ['gro\u1E9E@example.org', 'gro\u1E9E@example.org'],
  ['ΟΔΟΣ@example.org', 'οδοσ@example.org'],
  ['οδος@example.org', 'οδος@example.org'],
])('the key of the address %s', (address, key) => expect(addressKey(address)).toBe(key));
