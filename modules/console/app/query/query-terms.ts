import { isOwnField } from '../../../testmgmt/query/fields/own-field.ts';
import { QueryProblem } from '../../../testmgmt/query/field-kinds/query-term.ts';
import { parseQuery } from '../../../testmgmt/query/query-syntax.ts';
import { quotedText } from './quoted-text.ts';

/* The outermost terms of a query, for what the console adds to one that a person has typed. */

const tokens = /"(?:\\["\\]|[^"\\]|\\(?!["\\]))*"?|\s+|[()]|[^\s"()]+/g;

/** What spaces separate, outside quotes and parentheses: a group is one of them, and so is a joining word. */
export function termsOf(query: string): readonly string[] {
  const terms: string[] = [];
  let [term, depth] = ['', 0];
  for (const [token] of query.matchAll(tokens)) {
    if (depth === 0 && token.trim() === '') {
      terms.push(term);
      term = '';
      continue;
    }
    if (token === '(') depth++;
    if (token === ')') depth--;
    term += token;
  }
  return [...terms, term].filter((one) => one !== '');
}

/** How the conditions of a query are joined; `wrong` if the server will refuse it. Beside alternatives, a term belongs to the last one. */
export function joiningOf(query: string): 'alternatives' | 'side by side' | 'wrong' {
  try {
    return parseQuery(query).where?.kind === 'or' ? 'alternatives' : 'side by side';
  } catch (error) {
    if (error instanceof QueryProblem) return 'wrong';
    throw error;
  }
}

const besides = /^(?:sort|since|as-of):/i;

/**
 * The query with one more condition. Alternatives are put in parentheses, in which `sort:`, `since:` and `as-of:` cannot be. A query that is
 * wrong stays as it was typed: the error of the server names its character.
 */
export function withTerm(query: string, term: string): string {
  const joining = joiningOf(query);
  if (joining === 'wrong') return query;
  const terms = termsOf(query);
  const typed = terms.filter((one) => !besides.test(one)).join(' ');
  const others = terms.filter((one) => besides.test(one));
  return [joining === 'alternatives' ? `(${typed})` : typed, term, ...others]
    .filter((part) => part !== '')
    .join(' ');
}

/** Whether a query says its order. */
export const isSorted = (query: string): boolean => termsOf(query).some((one) => /^sort:/i.test(one));

/** A name as a value. A number without quotes would be an id first. */
const quotedValue = (name: string): string =>
  /^[\p{L}\p{N}_-]+$/u.test(name) && !/^\d+$/.test(name) ? name : quotedText(name);

/** A name as a value of a field. Of an own field `none` may be one of its values, which quotes tell from having none. */
export const writtenValue = (field: string, name: string): string =>
  isOwnField(field) && /^none$/i.test(name) ? quotedText(name) : quotedValue(name);
