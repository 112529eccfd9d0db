import { Fragment, useRef, useState, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { useFocusAfterRow } from './focus-lost.ts';
import { t } from '../texts/text.ts';

export interface TableColumn<Row> {
  readonly title: string;
  /** The title is for screen readers only. */
  readonly hideTitle?: boolean;
  readonly isNumber?: boolean;
  /** It helps least: on a telephone it leaves, so that the table need not scroll. */
  readonly isMinor?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: ReadonlyArray<TableColumn<Row>>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The row that is shown beside the table. */
  readonly isCurrent?: (row: Row) => boolean;
  /** What a row shows when it is opened, and what a screen reader calls the button for it. */
  readonly detail?: { readonly label: (row: Row) => string; readonly content: (row: Row) => ReactNode };
}

const classOf = (
  { isNumber, isMinor, hideTitle }: Pick<TableColumn<never>, 'isNumber' | 'isMinor' | 'hideTitle'>,
  inRow: boolean,
) => {
  const names = [
    isNumber && 'number',
    isMinor && 'table-minor',
    inRow && hideTitle && !isNumber && 'table-actions',
  ].filter((name) => typeof name === 'string');
  return names.length === 0 ? {} : { className: names.join(' ') };
};

/** A table of one page of rows. It scrolls in itself where the window is narrow. `Listing` is a list of the server, `Grid` is for thousands of rows. */
export function Table<Row>({ label, columns, rows, keyOf, isCurrent, detail }: TableProps<Row>) {
  const [opened, setOpened] = useState<ReadonlySet<string | number>>(new Set());
  const toggle = (key: string | number) => setOpened((before) => before.symmetricDifference(new Set([key])));
  const frame = useRef<HTMLDivElement>(null);
  useFocusAfterRow(frame, rows.length);
  return (
    <div ref={frame} className="table-frame" role="region" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {detail && (
              <th scope="col">
                <span className="hidden-visually">{t('Details')}</span>
              </th>
            )}
            {columns.map((column) => (
              <th key={column.title} scope="col" {...classOf(column, false)}>
                {column.hideTitle ? <span className="hidden-visually">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row);
            const isOpen = opened.has(key);
            return (
              <Fragment key={key}>
                <tr {...(isCurrent?.(row) && { 'aria-current': 'true' as const })}>
                  {detail && (
                    <td className="table-toggle">
                      <IconButton
                        icon={isOpen ? 'open' : 'opened'}
                        label={detail.label(row)}
                        aria-expanded={isOpen}
                        onPress={() => toggle(key)}
                      />
                    </td>
                  )}
                  {columns.map((column) => (
                    <td key={column.title} {...classOf(column, true)}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {detail && isOpen && (
                  <tr className="table-detail">
                    <td colSpan={columns.length + 1}>{detail.content(row)}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
