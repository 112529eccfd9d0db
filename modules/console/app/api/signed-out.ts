import { useSyncExternalStore } from 'react';

/* Whether the server said that the session of this page has ended. The page stays while a person has unsaved input. */

let isSignedOut = false;
const listeners = new Set<() => void>();

export function tellSignedOut(now: boolean): void {
  if (now === isSignedOut) return;
  isSignedOut = now;
  for (const listener of listeners) listener();
}

export const useSignedOut = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isSignedOut,
  );
