import { describe, expect, test } from 'bun:test';
import { eventData, unknownApp, type AppFacts } from './app-event.ts';
import { holdsInApp } from './app-filter.ts';
import type { FilterFunction, FilterGroup, FilterLeaf } from './rule-parts.ts';

const now = 1_000_000;
const holds = (filters: unknown, properties: object, app: AppFacts = unknownApp) =>
  holdsInApp(
    filters as FilterGroup,
    eventData({ name: 'bought', at: now, properties: properties as Record<string, unknown> }, app),
  );
const leaf = (
  propertyType: string,
  comparisonType: string,
  comparisonValue?: unknown,
  functions?: FilterFunction,
) =>
  ({
    propertyName: 'p',
    propertyType,
    comparisonType,
    ...(comparisonValue !== undefined && { comparisonValue }),
    ...(functions && { functions }),
  }) as FilterLeaf;
const all = (...filter: unknown[]) => ({ operator: 'AND', filter });
const any = (...filter: unknown[]) => ({ operator: 'OR', filter });

describe('which comparisons hold, of = != > < >= <=', () => {
  const comparisons = ['=', '!=', '>', '<', '>=', '<='];
  test.each<[string, unknown, unknown, string]>([
    ['number', 7, 7, '= >= <='],
    ['number', 7, 6, '> >='],
    ['number', 7, 8, '< <='],
    ['number', '7', ' 7.0 ', '= >= <='],
    ['number', '0x10', 16, '= >= <='],
    ['number', '', 0, '= >= <='],
    ['number', ' ', '', '= >= <='],
    ['number', null, false, '= >= <='],
    ['number', [], 0, '= >= <='],
    ['number', [5], 5, '= >= <='],
    ['number', true, 1, '= >= <='],
    ['number', 'seven', 7, ''],
    ['number', {}, 0, ''],
    ['number', 7, 'seven', ''],
    ['number', 7, undefined, ''],
    ['number', Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, ''],
    ['string', 'a', 'a', '='],
    ['string', 'a', 'b', '!='],
    ['string', 7, '7', '='],
    ['string', 7, 7, '='],
    ['string', null, 'null', '='],
    ['string', [1, 2], '1,2', '='],
    ['string', {}, '[object Object]', '='],
    ['string', true, 'TRUE', '!='],
    ['boolean', true, true, '= != > < >= <='],
    ['boolean', false, true, ''],
    ['boolean', 0, false, '= != > < >= <='],
    ['boolean', 'false', true, '= != > < >= <='],
    ['boolean', false, 'false', ''],
    ['boolean', [], 'no', '= != > < >= <='],
    ['boolean', '', undefined, '= != > < >= <='],
  ])('%s %p with %p: %s', (type, property, value, expected) => {
    const found = comparisons.filter((comparison) =>
      holds(all(leaf(type, comparison, value)), { p: property }),
    );
    expect(found.join(' ')).toBe(expected);
  });
});

test.each<[string, unknown, object, boolean]>([
  ['no filters', null, {}, true],
  ['filters without anything', {}, {}, true],
  ['AND of none', all(), {}, true],
  ['OR of none', any(), {}, false],
  [
    'OR in AND',
    all(leaf('number', '>', 1), any(leaf('number', '=', 9), leaf('number', '=', 5))),
    { p: 5 },
    true,
  ],
  [
    'AND in OR, none of which holds',
    any(all(leaf('number', '=', 5), leaf('number', '=', 9))),
    { p: 5 },
    false,
  ],
  ['a property that is missing fails =', all(leaf('string', '=', 'undefined')), {}, false],
  ['a property that is missing fails !=', all(leaf('string', '!=', 'x')), {}, false],
  ['null is there', all(leaf('string', '!=', 'x')), { p: null }, true],
])('%s', (_, filters, properties, expected) => expect(holds(filters, properties)).toBe(expected));

const plus = (
  operand1: FilterFunction['operand1'],
  operand2: FilterFunction['operand2'],
): FilterFunction => ({ operator: '+', operand1, operand2 });
const minus = (
  operand1: FilterFunction['operand1'],
  operand2: FilterFunction['operand2'],
): FilterFunction => ({ operator: '-', operand1, operand2 });
test.each<[string, FilterLeaf, object, boolean]>([
  ['the result stands for the property', leaf('number', '=', 7, plus(3, 4)), { p: 99 }, true],
  ['the property must be there', leaf('number', '=', 7, plus(3, 4)), {}, false],
  ['a text of a number is an operand', leaf('number', '=', 8, plus('$.q', 1)), { p: 0, q: '7' }, true],
  ['null is 0', leaf('number', '=', 1, plus('$.q', 1)), { p: 0, q: null }, true],
  ['a missing operand gives no number', leaf('number', '<=', 7, plus('$.q', 4)), { p: 0 }, false],
  ['and reads as text', leaf('string', '=', 'NaN', plus('$.q', 4)), { p: 0 }, true],
  ['without comparisonValue a number fails', leaf('number', '>=', undefined, plus(3, 4)), { p: 7 }, false],
  [
    'without comparisonValue text is "undefined"',
    leaf('string', '!=', undefined, plus(3, 4)),
    { p: 7 },
    true,
  ],
  [
    'the time, which no property replaces',
    leaf('number', '=', now, plus('$.currentTime', 0)),
    { p: 0, currentTime: 5 },
    true,
  ],
  [
    'functions of functions',
    leaf('number', '=', 0, minus(plus('$.p', 1), minus(10, plus(1, 1)))),
    { p: 7 },
    true,
  ],
  [
    'the number that the SDK takes for none',
    leaf('number', '<', 0, plus(Number.MIN_SAFE_INTEGER, 0)),
    { p: 0 },
    false,
  ],
])('a function: %s', (_, declared, properties, expected) => {
  expect(holds(all(declared), properties)).toBe(expected);
});

describe('what an event also says', () => {
  const app: AppFacts = { appVersion: '4.2', packageName: 'com.x', platform: 'ios' };
  const equals = (propertyName: string, comparisonValue: string) =>
    all({ propertyName, propertyType: 'string', comparisonType: '=', comparisonValue });
  test.each<[string, string, string, object, AppFacts, boolean]>([
    ['its name', 'eventName', 'bought', {}, app, true],
    ['its name, over a property', 'eventName', 'bought', { eventName: 'x' }, app, true],
    ['the app version, over a property', 'app_version', '4.2', { app_version: '1' }, app, true],
    ['the package', 'app_name', 'com.x', {}, app, true],
    ['the platform', 'platform', 'ios', { platform: 'web' }, app, true],
    [
      'what is not known of the app is as the event has it',
      'platform',
      'web',
      { platform: 'web' },
      unknownApp,
      true,
    ],
    ['or empty text', 'app_version', '', {}, unknownApp, true],
  ])('%s', (_, name, value, properties, from, expected) => {
    expect(holds(equals(name, value), properties, from)).toBe(expected);
  });
});

test('a property is converted once, however many leaves look at it', () => {
  const long = Array.from({ length: 2_000 }, (_, i) => i + 0.5);
  const filters = any(...Array.from({ length: 3_000 }, () => leaf('string', '=', 'x')));
  const from = performance.now();
  expect(holds(filters, { p: long })).toBe(false);
  // Converting it for each leaf took 590 ms.
  expect(performance.now() - from).toBeLessThan(100);
});
