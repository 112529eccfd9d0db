import { useEffect, useSyncExternalStore, type RefObject } from 'react';

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

/** Says to a screen reader what a key has done, e.g. "Failed: Pay with a card, 42 of 83". The eye sees it in the list. */
export function announce(text: string): void {
  // The same words again are news only as another text.
  announced = text === announced ? `${text}\u00A0` : text;
  tell();
}

/** Where `announce` speaks. */
export const Announcer = () => (
  <div className="hidden-visually" role="status" aria-live="polite" aria-label="What was done">
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
