import type { SQL } from 'drizzle-orm';
import type { FieldSql, RowSql, WithOutcomes } from './field-sql.ts';
import { QueryProblem, type QueryTerm, type QueryValue } from './query-term.ts';
import type { Interval, Named, NamedList, QueryScope } from './field-value.ts';

/** A name used in a query, and the list in which it is looked up. */
export interface Reference extends Named {
  readonly list: NamedList | 'person' | 'field';
  readonly field: string;
}

/** A term of a known field. */
export interface AskedTerm {
  readonly field: Pick<QueryField, 'name' | 'example'>;
  readonly term: QueryTerm;
  /** Without `none`. */
  readonly values: readonly QueryValue[];
  /** `none` is among the values: an unset field matches, too. */
  readonly none: boolean;
  readonly now: number;
  /** For a count: include only results in this window, in milliseconds. */
  readonly window?: Interval | undefined;
}

/** The condition that the values of a term impose on a row. */
export interface Constraint {
  /** True for matching rows. When negated, it must not be null: see `conditionSql`. */
  readonly fits: (sql: FieldSql & WithOutcomes, negated: boolean) => SQL;
  /** Names that must exist. */
  readonly names?: readonly Reference[];
  /** Deleted tests are excluded unless a term asks for them. */
  readonly seesDeleted?: boolean;
  /** Its cost per row, in units of comparing one column. */
  readonly cost?: number;
  /** Set when few tests match and an index finds them: a select of their ids. */
  readonly index?: { readonly rank: IndexRank; readonly testIds: TestIds } | undefined;
}

type TestIds = (sql: FieldSql & WithOutcomes) => SQL;

/** The indexes by how few tests they leave, best first: the first of these in a query finds its rows. */
export const indexRanks = ['run', 'flaky', 'failures', 'last result', 'label'] as const;
type IndexRank = (typeof indexRanks)[number];

/** The description of a field. */
export interface FieldWords {
  readonly name: string;
  readonly scopes: readonly QueryScope[];
  /** `none` is a value that means: the field is not set. */
  readonly optional?: true;
  /** `none` in quotes is a value like any other: unlike a record, it has no id by which it could be found. */
  readonly quotedNone?: true;
  /** Names that users of other query languages use for it; the error then suggests this field. */
  readonly alsoCalled?: readonly string[];
  /** One sentence. */
  readonly about: string;
  readonly example: string;
  /** It reads what versions of tests keep, so it can be asked as of a time; a list: only with these words. */
  readonly ofVersions?: true | readonly string[];
  /** It counts results, which `since:` restricts. */
  readonly counts?: true;
}

interface Sort<S> {
  readonly scopes: readonly QueryScope[];
  /** Several are compared one after the other. */
  readonly value: (sql: S) => SQL | readonly SQL[];
  /** The value may be null; nulls come last. */
  readonly optional?: true;
}

/** The SQL of a field; it may use outcomes only if the field declares that it reads them. */
export type FieldQuery<Fits, FitsOutcomes> =
  | { readonly readsOutcomes?: never; readonly fits: Fits; readonly sort?: Sort<RowSql> }
  | {
      readonly readsOutcomes: true;
      readonly fits: FitsOutcomes;
      readonly sort?: Sort<RowSql & WithOutcomes>;
    };

/** Everything the query language knows about a field. Each kind of value has a factory for its fields. */
export interface QueryField extends FieldWords {
  readonly readsOutcomes?: true;
  /** The value that `sort:` compares. */
  readonly sort?: Sort<RowSql & WithOutcomes>;
  /** The possible values, in Markdown, for docs/query.md. */
  readonly values: string;
  /** The values that completion offers. */
  readonly offered: readonly string[];
  /** Reads the values of a term. @throws QueryProblem. */
  readonly read: (asked: AskedTerm) => Constraint;
}

/** The description of the possible values, with `none` where it is allowed. */
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
