import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { joined, split } from './name-list.ts';

describe('names in one text', () => {
  test.each<[string[], '>' | ',', string]>([
    [[], '>', ''],
    [['Checkout'], '>', 'Checkout'],
    [['Checkout', 'Payment'], '>', 'Checkout > Payment'],
    [['a > b', 'c'], '>', 'a \\> b > c'],
    [['a\\', 'c'], '>', 'a\\\\ > c'],
    [['a, b', 'c > d'], ',', 'a\\, b, c > d'],
  ])('%j by %s', (names, separator, cell) => {
    expect(joined(names, separator)).toBe(cell);
    expect(split(cell, separator)).toEqual(names);
  });

  test.each<[string, '>' | ',', string[]]>([
    ['A>B > C', '>', ['A', 'B', 'C']],
    [' > A > ', '>', ['A']],
    ['a\\b', '>', ['a\\b']],
    ['a\\', ',', ['a\\']],
    ['smoke,ui ,', ',', ['smoke', 'ui']],
  ])('as others write them: %s', (cell, separator, names) => expect(split(cell, separator)).toEqual(names));

  test('come back as they were', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((text) => text.trim())
      .filter((text) => text !== '');
    const separator = fc.constantFrom('>' as const, ',' as const);
    const marks = fc.string({ unit: fc.constantFrom('a', ' ', '\\', '>', ',') }).map((text) => text.trim());
    const names = fc.array(
      fc.oneof(
        name,
        marks.filter((text) => text !== ''),
      ),
    );
    fc.assert(
      fc.property(names, separator, (all, by) => expect(split(joined(all, by), by)).toEqual(all)),
      { numRuns: 10_000 },
    );
  });
});
