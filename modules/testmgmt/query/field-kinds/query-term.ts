/** `is` is `field:value`, `equals` is `field:=value`. */
export type QueryOperator = 'is' | 'equals' | '>' | '>=' | '<' | '<=' | 'range';

/** A condition as written. Positions count characters from 1. */
export interface QueryTerm {
  /** In lower case; null for words alone. */
  readonly field: string | null;
  readonly at: number;
  readonly operator: QueryOperator;
  /** At least one; two of a range. */
  readonly values: readonly QueryValue[];
}

export interface QueryValue {
  readonly text: string;
  readonly at: number;
  /** It stood in quotes, so it is meant as it is. */
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
    /** The whole query as it was probably meant. */
    readonly meant?: string | undefined,
    /** A word, and what was meant by it, where the query is not at hand. */
    readonly instead?: { readonly word: string; readonly text: string } | undefined,
  ) {
    super(message);
  }
}

/** Names in a sentence: `a, b or c`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
