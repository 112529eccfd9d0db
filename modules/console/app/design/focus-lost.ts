import { useEffect, useRef, type RefObject } from 'react';

/*
 * What had the focus is gone, e.g. the button of a row that was deleted: without these the next Tab would begin at the top of the page,
 * and a screen reader would say nothing.
 */

/** The list of a row that went while the dialog about it was still open. */
let waiting: HTMLElement | null = null;

const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;
const isInDialog = (element: Element | null): boolean =>
  element !== null && element.closest('[role="dialog"]') !== null;

/** Until a closed dialog has given the focus back. */
const returnMs = 50;

/** Moves the focus to the list, or to the page, after a dialog is closed whose button is gone. */
export function useFocusAfterDialog(): void {
  useEffect(
    () => () => {
      setTimeout(() => {
        const list = waiting?.isConnected === true ? waiting : document.querySelector('main');
        waiting = null;
        if (!isFocusLost() || document.querySelector('[role="dialog"]') !== null) return;
        list?.focus({ preventScroll: true });
      }, returnMs);
    },
    [],
  );
}

/**
 * Moves the focus to the list after the row that had it is gone, and to what is around the list if that goes with its last row.
 * @param rows how many the list has.
 */
export function useFocusAfterRow(list: RefObject<HTMLElement | null>, rows: number): void {
  const before = useRef(rows);
  const hadFocus = useRef(false);
  useEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || isInDialog(target)) return;
      hadFocus.current = list.current?.contains(target) ?? false;
    };
    document.addEventListener('focusin', follow);
    return () => document.removeEventListener('focusin', follow);
  }, [list]);
  useEffect(() => {
    const { pathname } = location;
    const around = list.current?.parentElement?.closest<HTMLElement>('[tabindex]');
    return () => {
      // On another page the first Tab offers to skip to the content.
      if (!hadFocus.current || location.pathname !== pathname) return;
      setTimeout(() => {
        if (isFocusLost() && around?.isConnected === true) around.focus({ preventScroll: true });
      }, returnMs);
    };
  }, [list]);
  useEffect(() => {
    const isFewer = rows < before.current;
    before.current = rows;
    if (!isFewer || !hadFocus.current) return;
    if (isFocusLost()) list.current?.focus({ preventScroll: true });
    else if (isInDialog(document.activeElement)) waiting = list.current;
  }, [list, rows]);
}
