/*
 * Unsaved input in the storage of the tab: it is there after a reload, after a crash of the browser that opens its tabs again, and after
 * signing in again. It ends with the tab, and nobody else who signs in there sees it. A browser may refuse to store: then input is kept in
 * memory only.
 */

const prefix = 'trivet-draft:';
const ownerKey = 'trivet-drafts-of';
/** The most characters of one form. */
const longest = 400_000;

let isGivenUp = false;

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** Whether JSON has the same value. */
const isPlain = (value: unknown): boolean =>
  value === null ||
  ['string', 'number', 'boolean', 'undefined'].includes(typeof value) ||
  (Array.isArray(value)
    ? value.every(isPlain)
    : typeof value === 'object' &&
      Object.getPrototypeOf(value) === Object.prototype &&
      Object.values(value).every(isPlain));

export function storeDraft(key: string, draft: object): void {
  if (isGivenUp || !isPlain(draft)) return;
  const text = JSON.stringify(draft);
  if (text.length <= longest) attempt(() => sessionStorage.setItem(prefix + key, text));
}

export const dropDraft = (key: string): void => void attempt(() => sessionStorage.removeItem(prefix + key));

export const isDraftStored = (key: string): boolean =>
  attempt(() => sessionStorage.getItem(prefix + key)) !== null;

const namesOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? Object.keys(value).toSorted().join() : '';

/** @param like a content of the form: a draft of another version of the console may have other fields, and is not used. */
export function storedDraft(
  key: string,
  like: object,
): { readonly base: unknown; readonly typed: unknown } | null {
  const text = attempt(() => sessionStorage.getItem(prefix + key));
  const found = text === null ? null : attempt(() => JSON.parse(text) as unknown);
  if (typeof found !== 'object' || found === null || !('base' in found) || !('typed' in found)) return null;
  const { base, typed } = found;
  return namesOf(base) === namesOf(like) && namesOf(typed) === namesOf(like) ? { base, typed } : null;
}

export const isAnyDraftStored = (): boolean =>
  attempt(() => Object.keys(sessionStorage).some((key) => key.startsWith(prefix))) ?? false;

function clear(): void {
  attempt(() => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  });
}

/** Before the first page: what somebody else typed in this tab is gone. */
export function ownDrafts(userId: number): void {
  const owner = attempt(() => sessionStorage.getItem(ownerKey));
  if (owner === String(userId)) return;
  clear();
  attempt(() => sessionStorage.setItem(ownerKey, String(userId)));
}

/** At the sign-out. */
export function giveUpDrafts(): void {
  isGivenUp = true;
  clear();
}
