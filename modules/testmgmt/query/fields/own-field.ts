import type { SQL } from 'drizzle-orm';
import type { FieldSql, OwnInterval, OwnValue } from '../field-kinds/field-sql.ts';
import { reversedRange } from '../field-kinds/interval-field.ts';
import { namedBy, ofTests } from '../field-kinds/field-value.ts';
import type { AskedTerm, QueryField, Reference } from '../field-kinds/query-field.ts';
import { QueryProblem, type QueryOperator } from '../field-kinds/query-term.ts';
import { isRelativeTime, timeSpan } from '../field-kinds/query-time.ts';

/*
 * `cf.KEY`: a field that the project declared. Its kind is known to the database only, so a value is read in every way that it can be:
 * `cf.size:5` is the number 5, or the text. A stored value has one type, so only one of the readings can match.
 */

const prefix = 'cf.';
const name = /^cf\.[a-z][a-z0-9_-]{0,31}$/;

/** Whether a name in a query is that of an own field. */
export const isOwnField = (text: string): boolean => name.test(text);

const number = /^-?\d{1,15}(?:\.\d{1,10})?$/;
const truths: Readonly<Record<string, boolean>> = { yes: true, true: true, no: false, false: false };
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The interval of a comparison with a value. Numbers need not be whole, so an end can be excluded. */
function comparison(operator: QueryOperator, value: string | number): OwnInterval {
  switch (operator) {
    case '>':
      return { above: value };
    case '>=':
      return { from: value };
    case '<':
      return { below: value };
    case '<=':
      return { to: value };
    default:
      return { from: value, to: value };
  }
}

function daysOf(text: string, now: number): { readonly first: string; readonly last: string } | null {
  const span = timeSpan(text, now);
  return span && { first: dayOf(span.from), last: dayOf(Math.max(span.from, span.until - 1)) };
}

/** Each value of a term, in every way in which it can be read. @throws QueryProblem */
function readValues({ field, term, values, now }: AskedTerm): readonly OwnValue[] {
  const isEquality = term.operator === 'is' || term.operator === 'equals';
  const fault = (at: number, text: string) =>
    new QueryProblem(
      `"${field.name}" is compared with a number or a day, not with "${text}".`,
      at,
      `Write e.g. ${field.name}:>5, ${field.name}:>=2026-11-01 or ${field.name}:"some text".`,
    );
  const compared = (text: string, at: number, operator: QueryOperator): readonly OwnValue[] => {
    if (number.test(text)) return [{ between: comparison(operator, Number(text)) }];
    const days = daysOf(text, now);
    if (!days) throw fault(at, text);
    return [
      { between: comparison(operator, operator === '>' || operator === '<=' ? days.last : days.first) },
    ];
  };
  if (term.operator === 'range') {
    const [[first], [last]] = [values[0], values[1]].map((value) =>
      value ? compared(value.text, value.at, 'is') : [],
    ) as [readonly OwnValue[], readonly OwnValue[]];
    const [least, most] = [first?.between?.from, last?.between?.to];
    const [, end] = values;
    if (least === undefined || most === undefined || typeof least !== typeof most)
      throw fault(end?.at ?? term.at, end?.text ?? '');
    if (least > most) throw reversedRange(field, values);
    return [{ between: { from: least, to: most } }];
  }
  return values.flatMap((value): readonly OwnValue[] => {
    if (!isEquality) return compared(value.text, value.at, term.operator);
    const { text } = value;
    const truth = truths[text.toLowerCase()];
    const days = daysOf(text, now);
    return [
      { text, isWhole: term.operator === 'equals', person: namedBy(value) },
      ...(number.test(text) ? [{ between: comparison('is', Number(text)) }] : []),
      ...(truth === undefined ? [] : [{ truth }]),
      ...(days === null
        ? []
        : [{ between: { from: days.first, ...(isRelativeTime(text) ? {} : { to: days.last }) } }]),
    ];
  });
}

/** The field must exist. @param field a name for which {@link isOwnField} is true. */
export const ownReference = (field: string, at: number): Reference => ({
  list: 'field',
  field,
  text: field.slice(prefix.length),
  id: null,
  at,
});

/** The condition that an own field has a value, for `has:`. */
export const hasOwnField = (field: string, at: number) => ({
  fits: ({ ownField }: FieldSql): SQL => ownField(field.slice(prefix.length)).isThere,
  names: [ownReference(field, at)],
});

/** The field of the query language for `cf.KEY`. @param field a name for which {@link isOwnField} is true. */
export function ownQueryField(field: string): QueryField {
  const key = field.slice(prefix.length);
  return {
    name: field,
    scopes: ofTests,
    optional: true,
    quotedNone: true,
    ofVersions: true,
    about: 'A field of the project.',
    example: `${field}:value`,
    values: '',
    offered: [],
    read: (asked) => {
      const values = readValues(asked);
      return {
        fits: (sql) => sql.ownField(key).fits(values, asked.none),
        names: [ownReference(field, asked.term.at)],
        cost: 6,
      };
    },
    sort: { scopes: ofTests, value: ({ ownOrder }) => ownOrder(key), optional: true },
  };
}

/** The row of docs/query.md for all of them. */
export const ownFields = {
  name: 'cf.KEY',
  scopes: ofTests,
  values: 'text, number, day, `yes`, `no`, person, `none`',
  about: 'A field that the project declared (list-fields).',
  example: 'cf.browser:Chrome',
} as const;
