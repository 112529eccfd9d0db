import { useSyncExternalStore, useEffect, useState, type RefObject } from 'react';

interface Sized {
  /** Pixels. */
  readonly room: number;
  readonly drop?: number;
}

/**
 * The columns that fit: a truncated column is worse than none. Those without `drop` always stay.
 * @param width of the table in pixels; 0: not known yet.
 */
export function fittingColumns<Column extends Sized>(
  columns: readonly Column[],
  width: number,
): readonly Column[] {
  const room = columns.reduce((sum, column) => sum + column.room, 0);
  const first = Math.max(...columns.map(({ drop }) => drop ?? 0));
  if (width === 0 || room <= width || first === 0) return columns;
  return fittingColumns(
    columns.filter(({ drop }) => drop !== first),
    width,
  );
}

/** The columns with the widths that a person gave them. @param table under whose name the widths are stored. */
export const withOwnWidths = <Column extends Sized & { readonly key: string; readonly width: string }>(
  columns: readonly Column[],
  table: string,
  widths: Readonly<Record<string, number>>,
): readonly Column[] =>
  columns.map((column) => {
    const own = widths[`${table}.${column.key}`];
    return own === undefined ? column : { ...column, width: `${own}px`, room: own };
  });

/** The width of an element in pixels, as it changes; 0 before it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observed = element.current;
    if (!observed) return undefined;
    const sized = new ResizeObserver(() => setWidth(observed.clientWidth));
    sized.observe(observed);
    return () => sized.disconnect();
  }, [element]);
  return width;
}

/** Whether a media query holds. @example useMedia('(max-width: 52rem)'); */
export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );

/** The width of a column of pills, and of its head with the arrow of its order: as wide as the longest of the texts in this language. */
export function widthOfTexts(texts: readonly string[]): { readonly width: string; readonly room: number } {
  const rem = Math.max(...texts.map(({ length }) => length)) * 0.46 + 3;
  return { width: `${rem.toFixed(2)}rem`, room: Math.ceil(rem * 16) };
}
