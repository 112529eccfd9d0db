/** `is` means `field:value`, `equals` means `field:=value`. */
export type QueryOperator = 'is' | 'equals' | '>' | '>=' | '<' | '<=' | 'range';

/** A condition as written. Positions count characters from 1. */
export interface QueryTerm {
  /** In lower case; null for a word without a field. */
  readonly field: string | null;
  readonly at: number;
  readonly operator: QueryOperator;
  /** At least one value; two for a range. */
  readonly values: readonly QueryValue[];
}

export interface QueryValue {
  readonly text: string;
  readonly at: number;
  /** It was quoted, so it is taken literally. */
  readonly quoted?: true;
}

/** What is wrong with a query and how to correct it. */
export class QueryProblem extends Error {
  override readonly name = 'QueryProblem';
  constructor(
    message: string,
    /** Counts characters from 1. */
    readonly at: number,
    readonly remedy: string,
    /** The whole query as it was probably intended. */
    readonly meant?: string | undefined,
    /** A word and its intended form, where the whole query is not available. */
    readonly instead?: { readonly word: string; readonly text: string } | undefined,
  ) {
    super(message);
  }
}

/** Names in a sentence: `a, b or c`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
