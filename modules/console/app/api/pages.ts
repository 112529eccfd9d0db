import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { call } from './call.ts';
import type { Input, Output, ToolName } from './calls.ts';

/** Rows per request: more than fit on a screen, so that scrolling rarely waits. */
const pageSize = 100;

interface Paged {
  readonly total: number;
}

/**
 * A list of any length, of which only the visible pages are fetched.
 * @param rowsOf the rows of a response.
 */
export function usePages<N extends ToolName, Row>(
  tool: N,
  input: Omit<Input<N>, 'limit' | 'offset'>,
  rowsOf: (answer: Output<N>) => readonly Row[],
) {
  const client = useQueryClient();
  const [range, setRange] = useState({ first: 0, last: pageSize - 1 });
  const onRange = useCallback(
    (first: number, last: number) =>
      setRange((before) => (before.first === first && before.last === last ? before : { first, last })),
    [],
  );
  const pages = useMemo(() => {
    const from = Math.floor(range.first / pageSize);
    const to = Math.floor(range.last / pageSize);
    return [...new Set([0, ...Array.from({ length: to - from + 1 }, (_, at) => from + at)])];
  }, [range]);
  const keyOf = (page: number) => [tool, { ...input, limit: pageSize, offset: page * pageSize }] as const;
  const answers = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(page),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        call(tool, keyOf(page)[1] as Input<N>, signal),
    })),
  });
  const first = answers[0];
  const total = (first?.data as Paged | undefined)?.total;
  const read = (page: number) =>
    client.prefetchQuery({
      queryKey: keyOf(page),
      queryFn: () => call(tool, keyOf(page)[1] as Input<N>),
      // Whoever prints does not wait for a server that is out of reach.
      retry: false,
    });
  return {
    /** undefined until the first response. */
    total,
    error: first?.error ?? null,
    refetch: () => void first?.refetch(),
    onRange,
    /** Reads the first `most` rows, for what needs them at once; a page that cannot be read is left out. */
    readRows: async (most: number): Promise<void> => {
      const count = Math.ceil(Math.min(most, total ?? 0) / pageSize);
      for (let page = 0; page < count; page++) await read(page);
    },
    /** Also returns rows of pages that were visible before. */
    rowAt: (index: number): Row | undefined => {
      const answer = client.getQueryData<Output<N>>(keyOf(Math.floor(index / pageSize)));
      return answer === undefined ? undefined : rowsOf(answer)[index % pageSize];
    },
  };
}

/**
 * The rows of a list that was requested without `fields`. The types of such a list make every field optional, because `fields` may leave it
 * out; without it, the server sends all of them. Not for get-tests, which leaves out unset fields.
 */
export const wholeRows = <T extends object>(rows: readonly T[]): ReadonlyArray<WholeRow<T>> =>
  rows as unknown as ReadonlyArray<WholeRow<T>>;

/** The fields that a record only has if there is something in them. */
type Occasional = 'configurations' | 'unmatched';
type WholeRow<T> = Required<Omit<T, Occasional>> & Pick<T, Extract<keyof T, Occasional>>;
