import { dateField } from '../field-kinds/interval-field.ts';
import type { AskedTerm } from '../field-kinds/query-field.ts';
import { QueryProblem } from '../field-kinds/query-term.ts';
import { asOfForms, asOfTime } from '../field-kinds/query-time.ts';

/** Asks for the tests as they were at a time, and selects nothing itself. */
export const asOf = dateField({
  name: 'as-of',
  alsoCalled: ['at', 'on', 'before'],
  scopes: ['tests'],
  ofVersions: true,
  about: 'Tests as they were at this time (get-tests, get-tests-count, download-tests).',
  example: 'section:Checkout as-of:2026-11-01',
  fits: ({ sql }) => sql`true`,
});

/** The time given by `as-of:`, in epoch milliseconds. @throws QueryProblem */
export function timeOfAsOf({ term, values, now }: AskedTerm): number {
  const [value, ...more] = values;
  const at = value && term.operator === 'is' && more.length === 0 ? asOfTime(value.text, now) : null;
  if (at !== null) return at;
  throw new QueryProblem('"as-of:" takes one time.', term.at, `Write ${asOfForms}, e.g. as-of:2026-11-01.`);
}
