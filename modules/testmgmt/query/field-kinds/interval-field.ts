import type { SQL } from 'drizzle-orm';
import type { FieldSql, SqlValue, WithOutcomes } from './field-sql.ts';
import { wholeNumberOf, type Interval } from './field-value.ts';
import {
  orNoneIn,
  type AskedTerm,
  type Constraint,
  type FieldQuery,
  type FieldWords,
  type QueryField,
} from './query-field.ts';
import { QueryProblem, type QueryOperator, type QueryValue } from './query-term.ts';
import { durationForms, durationOf, isRelativeTime, timeForms, timeSpan } from './query-time.ts';

/** The intervals of a term, of which at least one must match. */
export interface AskedIntervals extends Pick<AskedTerm, 'none' | 'window'> {
  readonly any: readonly Interval[];
  readonly negated: boolean;
}

type Fits<S> = (sql: S, asked: AskedIntervals) => SQL;

type IntervalField = FieldWords &
  FieldQuery<Fits<FieldSql>, Fits<FieldSql & WithOutcomes>> & {
    /** The index that finds values in these intervals, if there is one. */
    readonly index?: (asked: Omit<AskedIntervals, 'negated'>) => Constraint['index'];
  };

/** Compares a value that every row has. */
export const compared =
  <S extends FieldSql>(value: (sql: S) => SqlValue): Fits<S> =>
  (sql, { any }) =>
    sql.within(value(sql), any);

/** Compares a value that may be null. */
export const comparedIfSet =
  <S extends FieldSql>(value: (sql: S) => SqlValue): Fits<S> =>
  (sql, { any, none }) => {
    const given = value(sql);
    return sql.orNone(given, any.length === 0 ? [] : [sql.within(given, any)], none);
  };

function intervalField(
  { fits, index, ...field }: IntervalField,
  values: string,
  intervalsOf: (asked: AskedTerm) => readonly Interval[],
): QueryField {
  const read = (asked: AskedTerm): Constraint => {
    const intervals = { any: intervalsOf(asked), none: asked.none, window: asked.window };
    return { fits: (sql, negated) => fits(sql, { ...intervals, negated }), index: index?.(intervals) };
  };
  return { ...field, values: orNoneIn(field, values), offered: [], read };
}

/** A count or id. */
export const numberField = (field: IntervalField): QueryField =>
  intervalField(field, 'number', (asked) => numbersOf(asked, wholeNumberOf, 'a whole number'));

/** How long something took, in microseconds. */
export const durationField = (field: IntervalField): QueryField =>
  intervalField(field, 'duration', (asked) => numbersOf(asked, durationOf, durationForms));

/** A time, in epoch milliseconds. */
export const dateField = (field: IntervalField): QueryField => intervalField(field, 'time', timesOf);

/** The interval of a comparison with a value that covers `least` to `most`, e.g. a day. */
function intervalOf(operator: QueryOperator, least: number, most: number): Interval {
  switch (operator) {
    case '>':
      return { least: most + 1, most: null };
    case '>=':
      return { least, most: null };
    case '<':
      return { least: null, most: least - 1 };
    case '<=':
      return { least: null, most };
    default:
      return { least, most };
  }
}

/** A range that nothing can be in. */
export const reversedRange = ({ name }: { readonly name: string }, [first, last]: readonly QueryValue[]) =>
  new QueryProblem(
    `Nothing is between "${first?.text}" and "${last?.text}": a range begins with its lower end.`,
    first?.at ?? 0,
    `Write ${name}:${last?.text}..${first?.text}.`,
  );

/** @throws QueryProblem */
function rangeOf(
  least: number | undefined,
  most: number | undefined,
  { field, values }: Pick<AskedTerm, 'field' | 'values'>,
): Interval {
  if (least !== undefined && most !== undefined && least > most) throw reversedRange(field, values);
  return { least: least ?? null, most: most ?? null };
}

function numbersOf(
  { field, term, values }: AskedTerm,
  valueOf: (text: string) => number | null,
  forms: string,
): readonly Interval[] {
  const read = values.map(({ text, at }) => {
    const value = valueOf(text);
    if (value !== null) return value;
    throw new QueryProblem(
      `"${field.name}" takes ${forms}, not "${text}".`,
      at,
      `Write e.g. ${field.example}.`,
    );
  });
  if (term.operator === 'range') return [rangeOf(read[0], read[1], { field, values })];
  return read.map((value) => intervalOf(term.operator, value, value));
}

/** @throws QueryProblem */
export function timesOf({ field, term, values, now }: AskedTerm): readonly Interval[] {
  const read = values.map(({ text, at }) => {
    const span = timeSpan(text, now);
    if (!span)
      throw new QueryProblem(
        `"${field.name}" takes a time, not "${text}".`,
        at,
        `Write ${timeForms}: ${field.name}:>=2026-11-01.`,
      );
    return { least: span.from, most: Math.max(span.from, span.until - 1), ago: isRelativeTime(text) };
  });
  if (term.operator === 'range') return [rangeOf(read[0]?.least, read[1]?.most, { field, values })];
  return read.map(({ least, most, ago }) =>
    ago && (term.operator === 'is' || term.operator === 'equals')
      ? { least, most: null }
      : intervalOf(term.operator, least, most),
  );
}
