import { queryLimits } from '../../../testmgmt/query/query-syntax.ts';
import { joiningOf, termsOf, writtenValue, withTerm } from './query-terms.ts';

/* A chip shows and changes one term of a query, `field:value,value`. The query stays the only state: what a chip writes can be typed. */

const value = String.raw`(?:"(?:\\["\\]|[^"\\]|\\(?!["\\]))*"|[^\s",()]+)`;
const isTermOf = (field: string) =>
  new RegExp(`^${field.replaceAll('.', String.raw`\.`)}:${value}(?:,${value})*$`);
const valuesIn = /"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"|[^",]+/g;

/** The place among terms side by side; -1 for none. What NOT negates is none. */
function placeOf(terms: readonly string[], field: string): number {
  const term = isTermOf(field);
  return terms.findIndex((one, at) => term.test(one) && terms[at - 1] !== 'NOT');
}

/** The values that a query names for a field; none for a query that names it within parentheses or after OR. @param field of letters, digits, minus, low line and point */
export function chipValues(query: string, field: string): readonly string[] {
  if (query.length > queryLimits.characters || joiningOf(query) === 'alternatives') return [];
  const terms = termsOf(query);
  const values = terms[placeOf(terms, field)]?.slice(field.length + 1) ?? '';
  return [...values.matchAll(valuesIn)].map(
    ([whole, inQuotes]) => inQuotes?.replaceAll(/\\(["\\])/g, '$1') ?? whole,
  );
}

/** The query with other values of a field; without values the term goes. */
export function withChipValues(query: string, field: string, values: readonly string[]): string {
  const term =
    values.length === 0 ? '' : `${field}:${values.map((one) => writtenValue(field, one)).join(',')}`;
  if (joiningOf(query) === 'alternatives') return term === '' ? query : withTerm(query, term);
  // Terms side by side mean AND: without the word, each of them can go.
  const terms = termsOf(query).filter((one) => one !== 'AND');
  const place = placeOf(terms, field);
  const changed = place < 0 ? [...terms, term] : terms.with(place, term);
  return changed.filter((one) => one !== '').join(' ');
}
