import { useEffect, useMemo, useState } from 'react';

/*
 * What a person typed and nobody has stored. One way for every form: the browser asks before the tab closes, a sign-in that ended leads
 * nowhere else, and whoever comes back to a form they left finds their text there.
 */

/** A form: with what it began, and what stands in it. */
interface Draft<T> {
  readonly base: T;
  readonly typed: T;
}

/** What was typed, by the form that it stands in, e.g. `test:7`. */
const drafts = new Map<string, Draft<unknown>>();
/** What is on its way to the server. */
const held = new Set<string>();

const isHeld = (): boolean => drafts.size > 0 || held.size > 0;

addEventListener('beforeunload', (event) => {
  if (isHeld()) event.preventDefault();
});

/** Whether leaving this page would lose what a person typed. A dialog that is open may hold something, too. */
export const holdsUnsaved = (): boolean => isHeld() || document.querySelector('[role="dialog"]') !== null;

export const hasDraft = (key: string): boolean => drafts.has(key);

const hasSameText = (typed: unknown, base: unknown): boolean =>
  JSON.stringify(typed) === JSON.stringify(base);

/** The names of what is text in a form. */
type TextOf<T> = { [Name in keyof T]: T[Name] extends string ? Name : never }[keyof T];

/** The state of a form that a person types into. */
export interface Typed<T> extends Draft<T> {
  readonly isDirty: boolean;
  /** The form was left with what stands in it now. */
  readonly wasLeft: boolean;
  readonly type: (part: Partial<T>) => void;
  /** What a text field of the form needs. */
  readonly field: (name: TextOf<T>) => { readonly value: string; readonly onChange: (text: string) => void };
  /** Begins anew with what is stored now. */
  readonly begin: (base: T) => void;
  /** It was stored, or the person gave it up. */
  readonly forget: () => void;
}

/**
 * What a person types into a form. It is kept until it is stored or given up, also after the form was left.
 * @param key of the form, e.g. `test:7`. @param start what an untouched form holds; read once.
 */
export function useTyped<T extends object>(
  key: string,
  start: () => T,
  isSame: (typed: T, base: T) => boolean = hasSameText,
): Typed<T> {
  // The form that keeps something under this key knows its type.
  const [left] = useState(() => drafts.get(key) as Draft<T> | undefined);
  const [draft, setDraft] = useState<Draft<T>>(() => {
    const base = left?.base ?? start();
    return left ?? { base, typed: base };
  });
  const isDirty = useMemo(() => !isSame(draft.typed, draft.base), [draft, isSame]);
  useEffect(() => {
    if (isDirty) drafts.set(key, draft);
    else drafts.delete(key);
  }, [key, draft, isDirty]);
  const type = (part: Partial<T>) => setDraft(({ base, typed }) => ({ base, typed: { ...typed, ...part } }));
  return {
    ...draft,
    isDirty,
    wasLeft: left !== undefined,
    type,
    field: (name) => ({
      value: String(draft.typed[name]),
      onChange: (text) => type({ [name]: text } as unknown as Partial<T>),
    }),
    begin: (base) => setDraft({ base, typed: base }),
    forget: () => {
      // The form may be gone before it is drawn again.
      drafts.delete(key);
      setDraft(({ base }) => ({ base, typed: base }));
    },
  };
}

/** Holds the tab open while something is on its way. */
export function useHeld(key: string, isOnItsWay: boolean): void {
  useEffect(() => {
    if (!isOnItsWay) return undefined;
    held.add(key);
    return () => void held.delete(key);
  }, [key, isOnItsWay]);
}
