import { useEffect, useRef, useSyncExternalStore, type RefObject } from 'react';
import { t } from '../texts/text.ts';

let announced = '';
let list: HTMLElement | null = null;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
const tell = () => {
  for (const listener of listeners) listener();
};

/** Announces the effect of a key to screen readers, e.g. "Failed: Pay with a card, 42 of 83". Others see it in the list. */
export function announce(text: string): void {
  // A repeated text is only announced if it differs.
  announced = text === announced ? `${text}\u00A0` : text;
  tell();
}

/** The live region of `announce`. */
export const Announcer = () => (
  <div className="hidden-visually" role="status" aria-live="polite" aria-label={t('What was done')}>
    {useSyncExternalStore(subscribe, () => announced)}
  </div>
);

/** The list of the page, for "Skip to the list". */
export function useListSkip(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    list = element.current;
    tell();
    return () => {
      list = null;
      tell();
    };
  }, [element]);
}

/** Whether the page has a list to skip to. */
export const useHasList = (): boolean => useSyncExternalStore(subscribe, () => list !== null);
export const focusList = (): void => list?.focus();

/** After a panel is gone with what had the focus, e.g. because its test was deleted, the list has it. */
export function useFocusAfterPanel(isOpen: boolean): void {
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) focusList();
    wasOpen.current = isOpen;
  }, [isOpen]);
}
