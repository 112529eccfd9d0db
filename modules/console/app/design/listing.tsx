import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Pager, type PagerProps } from './pager.tsx';
import { Answer } from './states.tsx';
import { Table, type TableProps } from './table.tsx';

/** The paging members of a list result; a list without a count says whether more follow. */
interface Listed {
  readonly total?: number;
  readonly nextOffset?: number;
}

interface ListingProps<A extends Listed, Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly of: UseQueryResult<A, Error>;
  readonly rowsOf: (answer: A) => readonly Row[];
  /** The singular and plural of the records: `noun('member')`. */
  readonly names: PagerProps['of'];
  /** Of `usePaging`. */
  readonly pager: Omit<PagerProps, 'of' | 'total'>;
  /** The content of an empty list. */
  readonly empty: ReactNode;
}

/** A list of the server as a table: the state that it is in, a page of rows, and the way to the others. */
export const Listing = <A extends Listed, Row>({
  of,
  rowsOf,
  names,
  pager,
  empty,
  ...table
}: ListingProps<A, Row>) => {
  useLastPage(of, pager);
  return (
    <Answer of={of}>
      {(answer) => {
        const rows = rowsOf(answer);
        const isEmpty = answer.total === undefined ? rows.length + pager.offset === 0 : answer.total === 0;
        return isEmpty ? (
          empty
        ) : (
          <div className="stack">
            <Table {...table} rows={rows} />
            <Pager of={names} total={answer.total ?? { more: answer.nextOffset !== undefined }} {...pager} />
          </div>
        );
      }}
    </Answer>
  );
};

/** When all rows of the last page were deleted, or are done, the page before it is the last one. */
function useLastPage(
  { data, isFetching }: UseQueryResult<Listed, Error>,
  { limit, offset, onOffset }: ListingProps<Listed, unknown>['pager'],
): void {
  // Meanwhile the total may be that of another list, which is shown until the answer is there.
  const total = isFetching ? undefined : data?.total;
  useEffect(() => {
    if (total === undefined || offset === 0 || offset < total) return;
    onOffset(Math.max(0, Math.ceil(total / limit) - 1) * limit, { replace: true });
  }, [total, limit, offset]);
}
