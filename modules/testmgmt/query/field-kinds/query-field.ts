import type { SQL } from 'drizzle-orm';
import type { FieldSql, RowSql, WithOutcomes } from './field-sql.ts';
import { QueryProblem, type QueryTerm, type QueryValue } from './query-term.ts';
import type { Interval, Named, NamedList, QueryScope } from './field-value.ts';

/** A name that a query uses, and where it is looked up. */
export interface Reference extends Named {
  readonly list: NamedList | 'person';
  readonly field: string;
}

/** A term of a known field. */
export interface AskedTerm {
  readonly field: Pick<QueryField, 'name' | 'example'>;
  readonly term: QueryTerm;
  /** Without `none`. */
  readonly values: readonly QueryValue[];
  /** `none` is among the values: what is not set fits, too. */
  readonly none: boolean;
  readonly now: number;
  /** Of a count: only of results in this time, in milliseconds. */
  readonly window?: Interval | undefined;
}

/** What the values of a term ask of a row. */
export interface Constraint {
  /** True for the rows that fit. Negated it must not be null: docs at `conditionSql`. */
  readonly fits: (sql: FieldSql & WithOutcomes, negated: boolean) => SQL;
  /** Names that must exist. */
  readonly names?: readonly Reference[];
  /** What it costs for a row, in terms of a column that is compared. */
  readonly cost?: number;
  /** Few tests fit, and an index finds them: a select of their ids. */
  readonly index?: { readonly rank: IndexRank; readonly testIds: TestIds } | undefined;
}

export type TestIds = (sql: FieldSql & WithOutcomes) => SQL;

/** Which index leaves the fewest tests: the first of these that a query has finds its rows. */
export const indexRanks = ['run', 'flaky', 'failures', 'last result', 'label'] as const;
export type IndexRank = (typeof indexRanks)[number];

/** A field in words. */
export interface FieldWords {
  readonly name: string;
  readonly scopes: readonly QueryScope[];
  /** `none` is a value: the field is not set. */
  readonly optional?: true;
  /** What people write for it who know another language: the error names the field. */
  readonly alsoCalled?: readonly string[];
  /** One sentence. */
  readonly about: string;
  readonly example: string;
  /** It counts results, which `since:` bounds. */
  readonly counts?: true;
  /** Deleted tests are left out, unless this field is asked for. */
  readonly seesDeleted?: true;
}

interface Sort<S> {
  readonly scopes: readonly QueryScope[];
  readonly value: (sql: S) => SQL;
  /** The value may be null, which comes last. */
  readonly optional?: true;
}

/** SQL of a field: of outcomes only if it says that it reads them. */
export type FieldQuery<Fits, FitsOutcomes> =
  | { readonly readsOutcomes?: never; readonly fits: Fits; readonly sort?: Sort<RowSql> }
  | {
      readonly readsOutcomes: true;
      readonly fits: FitsOutcomes;
      readonly sort?: Sort<RowSql & WithOutcomes>;
    };

/** All that the query language knows of a field. A factory for each kind of values makes it. */
export interface QueryField extends FieldWords {
  readonly readsOutcomes?: true;
  /** What `sort:` compares. */
  readonly sort?: Sort<RowSql & WithOutcomes>;
  /** What a value may be, in Markdown, for docs/query.md. */
  readonly values: string;
  /** Values that completion offers. */
  readonly offered: readonly string[];
  /** Reads the values of a term. @throws QueryProblem. */
  readonly read: (asked: AskedTerm) => Constraint;
}

/** What a value may be, with `none` where it is a value. */
export const orNoneIn = ({ optional }: FieldWords, values: string): string =>
  optional ? `${values}, \`none\`` : values;

/** @throws QueryProblem for a comparison or a range. */
export function requireEquality({ field, term }: AskedTerm): void {
  if (term.operator === 'is' || term.operator === 'equals') return;
  throw new QueryProblem(
    `"${field.name}" has no order, so ${term.operator === 'range' ? 'a range' : `"${term.operator}"`} means nothing.`,
    term.at,
    `Write e.g. ${field.example}.`,
  );
}
