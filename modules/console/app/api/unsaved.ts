import { useEffect } from 'react';

/*
 * What a person typed and nobody has stored. One way for every form: the browser asks before the tab closes, a sign-in that ended leads
 * nowhere else, and whoever comes back to a form they left finds their text there.
 */

/** What was typed, by the form that it stands in, e.g. `test:7`. */
const drafts = new Map<string, unknown>();
/** What is on its way to the server. */
const held = new Set<string>();

const isHeld = (): boolean => drafts.size > 0 || held.size > 0;

addEventListener('beforeunload', (event) => {
  if (isHeld()) event.preventDefault();
});

/** Whether leaving this page would lose what a person typed. A dialog that is open may hold something, too. */
export const holdsUnsaved = (): boolean => isHeld() || document.querySelector('[role="dialog"]') !== null;

/** What was typed into a form and left there; undefined: nothing. The form that keeps it under this key knows its type. */
export const leftDraft = <T>(key: string): T | undefined => drafts.get(key) as T | undefined;
export const hasDraft = (key: string): boolean => drafts.has(key);

/** It was stored, or the person gave it up. */
export const forgetDraft = (key: string): void => void drafts.delete(key);

/** Keeps what is typed into a form, also after the form was left. @param draft null: it is as it was stored. */
export function useKeptDraft(key: string, draft: unknown): void {
  useEffect(() => {
    if (draft === null) drafts.delete(key);
    else drafts.set(key, draft);
  }, [key, draft]);
}

/** Holds the tab open while something is on its way. */
export function useHeld(key: string, isOnItsWay: boolean): void {
  useEffect(() => {
    if (!isOnItsWay) return undefined;
    held.add(key);
    return () => void held.delete(key);
  }, [key, isOnItsWay]);
}
