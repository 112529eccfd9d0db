import { useEffect, useRef } from 'react';
import { announce } from './announcer.tsx';

/** How long a page has to name its record, which it may have to read first. */
const arrivalMs = 400;

/** A screen reader says the title of a document that is loaded, and not one that changes later. */
let isLoaded = false;

/** Sets the title of the window, and announces it for a page that is opened without loading the document. */
export function useTitle(title: string): void {
  const isArriving = useRef(isLoaded);
  useEffect(() => {
    document.title = `${title} – Trivet`;
    isLoaded = true;
    if (!isArriving.current) return undefined;
    const timer = setTimeout(() => {
      isArriving.current = false;
      announce(title);
    }, arrivalMs);
    return () => clearTimeout(timer);
  }, [title]);
}
