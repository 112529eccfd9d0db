import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useRef,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { useListSkip } from '../announcer.tsx';
import { useAppearance } from '../appearance.ts';
import { countText, numberText } from '../amount.ts';
import { Icon } from '../marks/icon.tsx';
import { t } from '../../texts/text.ts';
import { ColumnDivider, widenByKey } from './column-divider.tsx';
import { fittingColumns, useWidth, useMedia, withOwnWidths } from './fitting-columns.ts';
import { paperWidth, printedRows, printedTemplate, useIsPrinting } from './printing.ts';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** The title is for screen readers only. */
  readonly hideTitle?: boolean;
  /** A value for `grid-template-columns`, e.g. `minmax(12rem, 1fr)`. */
  readonly width: string;
  readonly cell: (row: Row, index: number) => ReactNode;
  /** The word of `sort:` for it, if rows can be sorted by it. */
  readonly sort?: string;
  /** Numbers and their header are right-aligned. */
  readonly isNumber?: boolean;
  /** The minimum useful width in pixels. */
  readonly room: number;
  /** If the columns do not fit, the one with the greatest number is dropped first; without a number the column stays. */
  readonly drop?: number;
  /** It is not printed: something to press. */
  readonly isScreenOnly?: boolean;
}

interface GridProps<Row> {
  readonly label: string;
  /** Under which name the widths are stored that a person gives the columns; without one they cannot be moved. */
  readonly table?: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly total: number;
  /** undefined: loading. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly idOf: (row: Row) => number;
  /** A row as a sentence, for whoever hears it: without it, its cells one after the other. */
  readonly textOf?: (row: Row) => string;
  /** The visible rows; called when they change. */
  readonly onRange?: (first: number, last: number) => void;
  /** The index of the current row; -1: none. */
  readonly current: number;
  readonly onCurrent: (index: number) => void;
  /** Enter or a click. */
  readonly onOpen?: (index: number) => void;
  /** Space. */
  readonly onToggle?: (index: number) => void;
  readonly sorted?: { readonly by: string; readonly descending: boolean } | null | undefined;
  readonly onSort?: ((by: string) => void) | undefined;
  /** The person has chosen these columns: all are shown, and the table scrolls sideways if they do not fit. */
  readonly keepsColumns?: boolean;
  readonly height: string;
  /** What a row carries when it is dragged: a media type and a text. */
  readonly dragOf?: (row: Row) => { readonly type: string; readonly text: string };
}

/** The height of a row and of the header, in pixels. Touch needs more than a pointer; `--row-height` of base.css is the same for tables. */
const heights = { compact: 32, comfortable: 40, finger: 44 };
const fingers = '(max-width: 52rem), (pointer: coarse)';

/** A click that opens nothing here: one with a modifier key for another tab, or at the end of a text selection. */
const isForAnother = (event: MouseEvent): boolean =>
  event.ctrlKey || event.metaKey || event.shiftKey || getSelection()?.isCollapsed === false;

/** A table of any length: only the rows in view exist. One of them is current; the arrow keys move it, a click or Enter opens it. */
export function Grid<Row>({
  label,
  table,
  columns: given,
  total,
  rowAt,
  idOf,
  textOf,
  onRange,
  current,
  onCurrent,
  onOpen,
  onToggle,
  sorted,
  onSort,
  keepsColumns = false,
  height,
  dragOf,
}: GridProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const { density, columnWidths } = useAppearance();
  const isPrinting = useIsPrinting();
  const whole = isPrinting ? given.filter(({ isScreenOnly }) => isScreenOnly !== true) : given;
  const all = table === undefined || isPrinting ? whole : withOwnWidths(whole, table, columnWidths);
  const columns = keepsColumns ? all : fittingColumns(all, isPrinting ? paperWidth : width);
  const rowHeight = heights[useMedia(fingers) ? 'finger' : density];
  useListSkip(frame);
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    // The header precedes the rows and covers them when they scroll: without both values, the current row is hidden behind it or below the
    // frame.
    scrollMargin: rowHeight,
    scrollPaddingStart: rowHeight,
    // A horizontal scroll bar covers the last row.
    scrollPaddingEnd: (frame.current?.offsetHeight ?? 0) - (frame.current?.clientHeight ?? 0),
  });
  useEffect(() => virtualizer.measure(), [rowHeight, virtualizer]);
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRange?.(first, last), [first, last, onRange]);
  useEffect(() => {
    if (current >= 0 && current < total) virtualizer.scrollToIndex(current);
  }, [current, total, virtualizer]);

  const rows = isPrinting ? printedRows(total, rowAt).map((index) => ({ index, start: 0 })) : items;
  const template = isPrinting ? printedTemplate(columns) : columns.map(({ width }) => width).join(' ');
  const rowId = (index: number) => `${label.replaceAll(/\W/g, '-')}-${index}`;
  const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 360) / rowHeight) - 2);
  const press = (event: KeyboardEvent) => {
    // Fields and buttons within a row handle their own keys.
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = placeAfter(event.key, current, total, page);
    if (to !== undefined && total > 0) onCurrent(Math.min(total - 1, Math.max(0, to)));
    else if (event.key === 'Enter' && current >= 0) onOpen?.(current);
    else if (event.key === ' ' && current >= 0) onToggle?.(current);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={frame}
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      {...(current >= 0 &&
        items.some(({ index }) => index === current) && { 'aria-activedescendant': rowId(current) })}
      style={{ height, '--template': template, '--row': `${rowHeight}px` } as React.CSSProperties}
      onKeyDown={press}
    >
      <Head table={table} columns={columns} sorted={sorted} onSort={onSort} />
      <div role="rowgroup" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {rows.map(({ index, start }) => {
          const row = rowAt(index);
          return (
            <div
              // Of the record: when rows come or go, the element under a click or with the focus stays the one of its record.
              key={row === undefined ? `at ${index}` : idOf(row)}
              id={rowId(index)}
              className="grid-row"
              role="row"
              {...(textOf && row !== undefined && { 'aria-label': textOf(row) })}
              aria-rowindex={index + 2}
              style={{ transform: `translateY(${start - rowHeight}px)` }}
              {...(index === current && { 'aria-current': 'true' as const })}
              {...(row !== undefined && { 'data-test-id': idOf(row) })}
              {...(row !== undefined && dragOf && dragged(() => dragOf(row)))}
              onClick={(event) => {
                onCurrent(index);
                if (!isForAnother(event)) onOpen?.(index);
              }}
            >
              {columns.map(({ key, cell, isNumber }) => (
                <div key={key} className={isNumber ? 'grid-cell number' : 'grid-cell'} role="gridcell">
                  {row === undefined ? <span className="skeleton">&nbsp;</span> : cell(row, index)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {isPrinting && rows.length < total && <PartNote printed={rows.length} total={total} />}
    </div>
  );
}

const PartNote = ({ printed, total }: { readonly printed: number; readonly total: number }) => (
  <p className="grid-printed">
    {t(
      '{printed} of {rows} are printed. Make the list shorter by a query, or export the tests of the project.',
      { printed: numberText(printed), rows: countText(total, 'row') },
    )}
  </p>
);

/** What makes a row one that can be dragged. */
const dragged = (carried: () => { readonly type: string; readonly text: string }) => ({
  draggable: true,
  onDragStart: (event: DragEvent) => {
    const { type, text } = carried();
    event.dataTransfer.setData(type, text);
    event.dataTransfer.effectAllowed = 'move';
  },
});

/** The target row of a key; undefined if it does not move. */
function placeAfter(key: string, current: number, total: number, page: number): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current < 0 ? 0 : current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: total - 1,
  };
  return moves[key];
}

type HeadProps<Row> = Pick<GridProps<Row>, 'columns' | 'sorted' | 'onSort'> & {
  readonly table: string | undefined;
};

const Head = <Row,>({ table, columns, sorted, onSort }: HeadProps<Row>) => (
  <div className="grid-head" role="row" aria-rowindex={1}>
    {columns.map(({ key, title, hideTitle, sort, isNumber }) => (
      <div
        key={key}
        className={isNumber ? 'grid-cell number' : 'grid-cell'}
        role="columnheader"
        {...(sort !== undefined &&
          sorted?.by === sort && {
            'aria-sort': sorted.descending ? ('descending' as const) : ('ascending' as const),
          })}
      >
        {hideTitle ? (
          <span className="hidden-visually">{title}</span>
        ) : sort === undefined || !onSort ? (
          title
        ) : (
          <button
            type="button"
            className="sort-button"
            onClick={() => onSort(sort)}
            {...(table !== undefined && { onKeyDown: widenByKey(`${table}.${key}`) })}
          >
            {title}
            {sorted?.by === sort && <Icon of={sorted.descending ? 'down' : 'up'} size={12} />}
          </button>
        )}
        {table !== undefined && !hideTitle && <ColumnDivider column={`${table}.${key}`} />}
      </div>
    ))}
  </div>
);
