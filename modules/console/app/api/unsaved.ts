import { useEffect, useMemo, useState } from 'react';
import {
  dropDraft,
  giveUpDrafts,
  isAnyDraftStored,
  isDraftStored,
  storeDraft,
  storedDraft,
} from './draft-store.ts';
import { typedAfter } from './typed-after.ts';

/*
 * Unsaved input, handled in the same way for every form: the browser asks before the tab closes, an expired sign-in does not leave the
 * page, and a person who returns to a form finds their text there, also after a reload and after signing in again.
 */

/** A form: its initial and its current content. */
interface Draft<T> {
  readonly base: T;
  readonly typed: T;
}

/** The unsaved input by form, e.g. `test:7`. */
const drafts = new Map<string, Draft<unknown>>();
/** Requests in flight. */
const held = new Set<string | symbol>();

const isHeld = (): boolean => drafts.size > 0 || held.size > 0;

/** On the way to the sign-in, from which the person comes back to the same tab. */
let isComingBack = false;

addEventListener('beforeunload', (event) => {
  if (isHeld() && !isComingBack) event.preventDefault();
});
addEventListener('pagehide', () => {
  for (const [key, draft] of drafts) storeDraft(key, draft);
});
// The Back button may bring this page back as it was, although somebody has signed out since, and somebody else has signed in.
addEventListener('pageshow', (event) => {
  if (!('persisted' in event && event.persisted === true)) return;
  isComingBack = true;
  location.reload();
});

/** Goes to a page from which the person comes back to their input. Nothing that is on its way can arrive without a session. */
export function leaveAndComeBack(address: string): void {
  isComingBack = true;
  location.assign(address);
}

/** Whether leaving this page would lose what a person typed. An open dialog may also contain input. */
export const holdsUnsaved = (): boolean => isHeld() || document.querySelector('[role="dialog"]') !== null;

/** Whether a form in this tab has input that is not saved, also one that was not opened since the page was loaded. */
export const holdsDraft = (): boolean => drafts.size > 0 || isAnyDraftStored();

/** At the sign-out. The person knows that their unsaved input will be gone. */
export function giveUpUnsaved(): void {
  drafts.clear();
  giveUpDrafts();
}

export const hasDraft = (key: string): boolean => drafts.has(key) || isDraftStored(key);

/** How long a person must pause until their input is stored in the tab. */
const pauseMs = 500;

const hasSameText = (typed: unknown, base: unknown): boolean =>
  JSON.stringify(typed) === JSON.stringify(base);

/** The names of the text fields of a form. */
type TextOf<T> = { [Name in keyof T]: T[Name] extends string ? Name : never }[keyof T];

/** Keeps what is typed in memory while it differs from what is stored. */
function keep(key: string, draft: Draft<unknown>, isDirty: boolean): void {
  if (isDirty) drafts.set(key, draft);
  else {
    drafts.delete(key);
    dropDraft(key);
  }
}

/** The state of a form that a person types into. */
export interface Typed<T> extends Draft<T> {
  readonly isDirty: boolean;
  /** Whether the current content was restored after the person had left the form. */
  readonly wasLeft: boolean;
  readonly type: (part: Partial<T>) => void;
  /** The props of a text field of the form. */
  readonly field: (name: TextOf<T>) => { readonly value: string; readonly onChange: (text: string) => void };
  /** Resets the form to the stored data. */
  readonly begin: (base: T) => void;
  /** Begins again with what was stored of `sent`; what was typed while it was on its way stays typed. */
  readonly goOn: (sent: T, stored: T) => void;
  /** Call it when the input was stored or discarded. */
  readonly forget: () => void;
  /** Like forget. @returns what brings the input back for when the form is opened again. */
  readonly discard: () => () => void;
}

/**
 * The input of a form. It is kept until it is stored or discarded, even if the person leaves the form.
 * @param key of the form, e.g. `test:7`. @param start the initial content, read once.
 */
export function useTyped<T extends object>(
  key: string,
  start: () => T,
  isSame: (typed: T, base: T) => boolean = hasSameText,
): Typed<T> {
  const [{ left, initial }] = useState(() => {
    const base = start();
    // The form that uses this key knows its type.
    const found = (drafts.get(key) ?? storedDraft(key, base) ?? undefined) as Draft<T> | undefined;
    return { left: found, initial: found ?? { base, typed: base } };
  });
  const [draft, setDraft] = useState<Draft<T>>(initial);
  const isDirty = useMemo(() => !isSame(draft.typed, draft.base), [draft, isSame]);
  useEffect(() => {
    keep(key, draft, isDirty);
    if (!isDirty) return undefined;
    const timer = setTimeout(() => storeDraft(key, draft), pauseMs);
    return () => clearTimeout(timer);
  }, [key, draft, isDirty]);
  const forget = () => {
    // The form may be unmounted before its next render.
    drafts.delete(key);
    dropDraft(key);
    setDraft(({ base }) => ({ base, typed: base }));
  };
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
    goOn: (sent, stored) => {
      const next = ({ typed }: Draft<T>): Draft<T> => ({
        base: stored,
        typed: typedAfter(typed, sent, stored),
      });
      // The form may be unmounted by now. The one that uses this key knows its type.
      const left = drafts.get(key) as Draft<T> | undefined;
      if (left !== undefined) {
        const after = next(left);
        keep(key, after, !isSame(after.typed, after.base));
      }
      setDraft(next);
    },
    forget,
    discard: () => {
      forget();
      return () => {
        drafts.set(key, draft);
        storeDraft(key, draft);
      };
    },
  };
}

/** Makes the browser ask before closing the tab during requests. */
export function useHeld(key: string, isOnItsWay: boolean): void {
  useEffect(() => {
    if (!isOnItsWay) return undefined;
    held.add(key);
    return () => void held.delete(key);
  }, [key, isOnItsWay]);
}

/** Makes the browser ask before closing the tab during work that goes on when its component is gone. */
export async function holdWhile<T>(work: () => Promise<T>): Promise<T> {
  const key = Symbol('work');
  held.add(key);
  try {
    return await work();
  } finally {
    held.delete(key);
  }
}
