import { queryLimits } from '../../../testmgmt/query/query-syntax.ts';

/* A chip shows and changes one term of a query, `field:value,value`. The query stays the only state: what a chip writes can be typed. */

const termOf = (field: string) =>
  new RegExp(`(^|\\s)${field}:((?:"[^"]*"|[^\\s",()])+(?:,(?:"[^"]*"|[^\\s",()])+)*)(?=\\s|$)`);
const valuesIn = /"([^"]*)"|[^",]+/g;

const quoted = (value: string): string =>
  /^[\p{L}\p{N}_-]+$/u.test(value) ? value : `"${value.replaceAll('"', '')}"`;

/** The values that a query names for a field; none for a query that names it within parentheses or after OR. @param field of letters and minus */
export function chipValues(query: string, field: string): readonly string[] {
  if (query.length > queryLimits.characters) return [];
  const [, , values = ''] = termOf(field).exec(query) ?? [];
  return [...values.matchAll(valuesIn)].map(([whole, inQuotes]) => inQuotes ?? whole);
}

/** The query with other values of a field; without values the term goes. */
export function withChipValues(query: string, field: string, values: readonly string[]): string {
  const term = values.length === 0 ? '' : `${field}:${values.map(quoted).join(',')}`;
  const found = termOf(field).exec(query);
  // A function, because `$` in a value would be a reference.
  const changed = found
    ? query.replace(termOf(field), (_, before: string) => `${before}${term}`)
    : `${query} ${term}`;
  return changed.replaceAll(/ {2,}/g, ' ').trim();
}
