import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';

/** More rows than this are not printed: a browser lays out each of them before its dialog opens. */
export const mostPrintedRows = 1_000;

let isPrinting = false;

/** Whether the page is being printed. It is drawn before the browser lays out the paper: what only the window needs is not there yet. */
export const useIsPrinting = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      const list = matchMedia('print');
      const begin = () => {
        isPrinting = true;
        flushSync(listener);
      };
      const end = () => {
        isPrinting = false;
        flushSync(listener);
      };
      addEventListener('beforeprint', begin);
      addEventListener('afterprint', end);
      list.addEventListener('change', listener);
      return () => {
        removeEventListener('beforeprint', begin);
        removeEventListener('afterprint', end);
        list.removeEventListener('change', listener);
      };
    },
    () => isPrinting || matchMedia('print').matches,
  );

interface PrintedColumn {
  readonly room: number;
}

/** On paper nothing scrolls: the columns share the width of the page. */
export const printedTemplate = (columns: readonly PrintedColumn[]): string =>
  columns.map(({ room }) => `minmax(0, ${room}fr)`).join(' ');

/** The width of A4 between its margins, in CSS pixels: the window may be wider. */
export const paperWidth = 680;

/** The indices of the rows that are printed: those that are read. */
export function printedRows(total: number, rowAt: (index: number) => unknown): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < total && found.length < mostPrintedRows; index++)
    if (rowAt(index) !== undefined) found.push(index);
  return found;
}
