import { describe, expect, test } from 'bun:test';
import { filterPasses, resultOf, valueAs } from './filter.ts';
import type { FilterFunction, FilterGroup, FilterLeaf } from './rule-parts.ts';

const now = 1_000_000;
const properties = {
  price: 7,
  text: 'b',
  digits: '7',
  yes: true,
  no: false,
  at: now - 500,
  currentTime: 1,
  nothing: null,
  list: [7],
  nan: Number.NaN,
};

const leaf = (
  propertyName: string,
  propertyType: FilterLeaf['propertyType'],
  comparisonType: FilterLeaf['comparisonType'],
  comparisonValue?: FilterLeaf['comparisonValue'],
  functions?: FilterFunction,
): FilterLeaf => ({
  propertyName,
  propertyType,
  comparisonType,
  ...(comparisonValue !== undefined && { comparisonValue }),
  ...(functions && { functions }),
});
const all = (...filter: FilterGroup['filter'][number][]): FilterGroup => ({ operator: 'AND', filter });
const any = (...filter: FilterGroup['filter'][number][]): FilterGroup => ({ operator: 'OR', filter });
const holds = (group: FilterGroup | null) => filterPasses(group, { properties, now });

describe('every comparison of every type', () => {
  // The result of each comparison for a value below, equal to and above the property.
  const expected: Record<FilterLeaf['comparisonType'], [boolean, boolean, boolean]> = {
    '=': [false, true, false],
    '!=': [true, false, true],
    '>': [true, false, false],
    '<': [false, false, true],
    '>=': [true, true, false],
    '<=': [false, true, true],
  };
  const values: [string, FilterLeaf['propertyType'], (string | number | boolean)[]][] = [
    ['price', 'number', [6, 7, 8]],
    ['price', 'number', ['6.5', '7', '1e2']],
    ['price', 'number', ['-10', ' 7.0 ', '10']],
    ['digits', 'number', [6, 7, 8]],
    ['text', 'string', ['a', 'b', 'c']],
    ['price', 'string', ['6', '7', '8']],
    ['digits', 'string', [6, 7, 8]],
  ];
  for (const [name, type, [below = 0, equal = 0, above = 0]] of values) {
    for (const [comparison, results] of Object.entries(expected)) {
      test(`${name} as ${type} ${comparison} ${below}, ${equal}, ${above}`, () => {
        const found = [below, equal, above].map((value) =>
          holds(all(leaf(name, type, comparison as FilterLeaf['comparisonType'], value))),
        );
        expect(found).toEqual(results);
      });
    }
  }

  test.each<[string, FilterLeaf['comparisonType'], boolean | string | number, boolean]>([
    ['yes', '=', true, true],
    ['yes', '=', 'TRUE', true],
    ['yes', '=', 1, true],
    ['yes', '=', false, false],
    ['yes', '!=', false, true],
    ['no', '<', true, true],
    ['no', '>=', true, false],
    ['no', '=', '0', false],
    ['no', '!=', '0', false],
  ])('%s as boolean %s %p is %p', (name, comparison, value, result) => {
    expect(holds(all(leaf(name, 'boolean', comparison, value)))).toBe(result);
  });

  test('text is compared by code unit, not as a number', () => {
    expect(filterPasses(all(leaf('v', 'string', '<', '9')), { properties: { v: '10' }, now })).toBe(true);
    expect(filterPasses(all(leaf('v', 'number', '<', '9')), { properties: { v: '10' }, now })).toBe(false);
  });
});

test.each(['=', '!=', '>', '<', '>=', '<='] as const)('a side that cannot be read fails %s', (comparison) => {
  for (const type of ['string', 'number', 'boolean'] as const) {
    for (const name of ['missing', 'nothing', 'list', 'nan', 'toString', '__proto__']) {
      expect(holds(all(leaf(name, type, comparison, 'true')))).toBe(false);
    }
  }
  expect(holds(all(leaf('text', 'number', comparison, 7)))).toBe(false);
  expect(holds(all(leaf('price', 'number', comparison, 'seven')))).toBe(false);
  expect(holds(all(leaf('price', 'boolean', comparison, true)))).toBe(false);
  expect(holds(all(leaf('price', 'number', comparison)))).toBe(false);
});

test.each<[string, FilterLeaf['propertyType'], unknown, unknown]>([
  ['text', 'string', 'a', 'a'],
  ['empty text', 'string', '', ''],
  ['a number as text', 'string', 1.5, '1.5'],
  ['a boolean as text', 'string', false, 'false'],
  ['infinity as text', 'string', Infinity, undefined],
  ['an object as text', 'string', {}, undefined],
  ['null as text', 'string', null, undefined],
  ['a number', 'number', -0.5, -0.5],
  ['zero with a sign', 'number', '-0', -0],
  ['an exponent', 'number', '1E3', 1000],
  ['a number with space', 'number', ' 7\n', 7],
  ['no number', 'number', '', undefined],
  ['space', 'number', ' ', undefined],
  ['hexadecimal', 'number', '0x10', undefined],
  ['a leading zero', 'number', '007', undefined],
  ['a number beyond all', 'number', '1e999', undefined],
  ['a boolean as number', 'number', true, undefined],
  ['a list of one number', 'number', [7], undefined],
  ['a boolean', 'boolean', false, false],
  ['a word', 'boolean', ' False ', false],
  ['one', 'boolean', 1, true],
  ['two', 'boolean', 2, undefined],
  ['the text of one', 'boolean', '1', undefined],
])('%s read as %s', (_, type, value, read) => {
  expect(valueAs(type, value)).toBe(read as string);
});

const yes = leaf('price', 'number', '=', 7);
const no = leaf('price', 'number', '=', 8);

test.each<[string, FilterGroup | null, boolean]>([
  ['no filter', null, true],
  ['AND of two that hold', all(yes, yes), true],
  ['AND with one that does not', all(yes, no), false],
  ['AND of none', all(), true],
  ['OR with one that holds', any(no, yes), true],
  ['OR of two that do not', any(no, no), false],
  ['OR of none', any(), false],
  ['OR in AND', all(yes, any(no, yes)), true],
  ['AND in OR', any(all(yes, no), all(yes, yes)), true],
  ['AND in OR, none of which holds', any(all(yes, no), no), false],
  ['three levels', all(any(all(yes, any(no, yes)))), true],
])('%s', (_, group, result) => expect(holds(group)).toBe(result));

const minus = (
  operand1: FilterFunction['operand1'],
  operand2: FilterFunction['operand2'],
): FilterFunction => ({ operator: '-', operand1, operand2 });
const plus = (
  operand1: FilterFunction['operand1'],
  operand2: FilterFunction['operand2'],
): FilterFunction => ({ operator: '+', operand1, operand2 });

test.each<[string, FilterFunction, number | undefined]>([
  ['numbers', plus(2, 3), 5],
  ['numbers the other way', minus(2, 3), -1],
  ['a property', plus('$.price', 1), 8],
  ['a property that is text of a number', plus('$.digits', 1), 8],
  ['the time, which no property replaces', minus('$.currentTime', 0), now],
  ['functions of functions', minus(plus('$.price', 1), minus(10, plus(1, 1))), 0],
  ['a missing property', plus('$.missing', 1), undefined],
  ['a property that is no number', plus(1, '$.text'), undefined],
  ['a missing property deep inside', plus(1, minus(1, plus(1, '$.missing'))), undefined],
])('a function of %s', (_, declared, result) => {
  expect(resultOf(declared, { properties, now })).toBe(result);
});

test.each<[string, FilterLeaf, boolean]>([
  ['less than a second ago', leaf('at', 'number', '>', undefined, minus('$.currentTime', 1000)), true],
  ['not longer ago', leaf('at', 'number', '<', undefined, minus('$.currentTime', 1000)), false],
  ['the function goes before comparisonValue', leaf('price', 'number', '=', 0, plus(3, 4)), true],
  ['a result as text', leaf('digits', 'string', '=', undefined, plus(3, 4)), true],
  ['an operand that is missing', leaf('price', 'number', '!=', 7, plus('$.missing', 4)), false],
])('a leaf with a function: %s', (_, declared, result) => expect(holds(all(declared))).toBe(result));
