import { expect, test } from 'bun:test';
import { formerSpellings } from './query-former-spelling.ts';

test.each([
  ['überweisung', ['überweisung', 'Überweisung']],
  ['ÜBERWEISUNG', ['Überweisung', 'überweisung']],
  ['Größe', ['größe', 'grÖsse']],
  ['оплата картой', ['оплата картой', 'ОПЛАТА КАРТОЙ', 'Оплата картой', 'Оплата Картой']],
  ['日本語', ['日本語']],
])('former spellings of %s', (text, spellings) => expect(formerSpellings(text)).toEqual(spellings));
