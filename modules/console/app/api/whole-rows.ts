/**
 * The rows of a list that was asked for without `fields`. The types of such a list make every field optional, because `fields` may leave
 * it out; without it, the server sends all of them. Not for get-tests, which leaves out what is not set.
 */
export const wholeRows = <T extends object>(rows: readonly T[]): ReadonlyArray<Required<T>> =>
  rows as ReadonlyArray<Required<T>>;
