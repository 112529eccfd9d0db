import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
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
}: ListingProps<A, Row>) => (
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
