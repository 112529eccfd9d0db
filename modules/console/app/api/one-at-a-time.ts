import { useRef } from 'react';

/**
 * Runs work that is not begun again while it runs. `isPending` of a write comes too late for that: on a busy page the second click of a
 * double click is handled before the page is drawn anew.
 */
export function useOneAtATime(): (work: () => Promise<void>) => Promise<void> {
  const isBusy = useRef(false);
  return async (work) => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await work();
    } finally {
      isBusy.current = false;
    }
  };
}
