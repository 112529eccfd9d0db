import { expect, test } from 'bun:test';
import { checkStoredFilters } from './filter-check.ts';

const leafOf = (comparisonValue: string) => ({
  propertyName: 'city',
  propertyType: 'string',
  comparisonType: '=',
  comparisonValue,
});
const problems = (text: string) => {
  const found: string[] = [];
  checkStoredFilters({ operator: 'OR', filter: [leafOf(text)] }, 'filters', (path, message) =>
    found.push(`${path} ${message}`),
  );
  return found;
};

/** @see Cohorts were as large as a request may be, 16 MiB each: launches held all of them, and waited while they were read. */
test.each([
  ['60 KiB', 'x'.repeat(60 * 1024), []],
  ['70 KiB', 'x'.repeat(70 * 1024), ['filters must have at most 64 KiB of JSON']],
  ['70 KiB of two bytes each', 'ß'.repeat(35 * 1024), ['filters must have at most 64 KiB of JSON']],
])('filters of %s', (_, text, expected) => expect(problems(text)).toEqual(expected));
