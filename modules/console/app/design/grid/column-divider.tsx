import type { PointerEvent } from 'react';
import { appearanceNow, changeAppearance, columnBounds } from '../appearance.ts';

/** What an arrow key moves, in pixels. */
const step = 16;

/** Stores the width of a column; null: as wide as it was made. @param column `<table>.<column>`. */
function setColumnWidth(column: string, width: number | null): void {
  const { [column]: _, ...others } = appearanceNow().columnWidths;
  const { least, most } = columnBounds;
  changeAppearance({
    columnWidths:
      width === null ? others : { ...others, [column]: Math.round(Math.min(most, Math.max(least, width))) },
  });
}

/** For the head of a column that has the focus: Shift with an arrow key moves its right edge. */
export const widenByKey =
  (column: string) =>
  (event: React.KeyboardEvent<HTMLElement>): void => {
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
    const head = event.currentTarget.closest('[role="columnheader"]');
    if (by === undefined || !event.shiftKey || !head) return;
    event.preventDefault();
    event.stopPropagation();
    setColumnWidth(column, head.getBoundingClientRect().width + by);
  };

/** The right edge of the head of a column: drawn by the pointer, a double click gives it back its usual place. */
export const ColumnDivider = ({ column }: { readonly column: string }) => (
  <span
    className="column-divider"
    aria-hidden="true"
    onPointerDown={(event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      event.preventDefault();
    }}
    onPointerMove={({ clientX, currentTarget, pointerId, buttons }: PointerEvent<HTMLElement>) => {
      const head = currentTarget.parentElement;
      if (buttons === 1 && head && currentTarget.hasPointerCapture(pointerId))
        setColumnWidth(column, clientX - head.getBoundingClientRect().left);
    }}
    onDoubleClick={() => setColumnWidth(column, null)}
  />
);
