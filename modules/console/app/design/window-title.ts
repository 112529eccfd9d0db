import { useEffect, useRef } from 'react';
import { announce } from './announcer.tsx';

/** How long a page has to name its record, which it may have to read first. */
const arrivalMs = 400;

/** Of the document a screen reader says the title itself. */
let isLoaded = false;

/** The title of the window. A page that is opened without loading the document says its title: nothing else tells a screen reader of it. */
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
