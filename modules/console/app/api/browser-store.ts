/*
 * What a browser remembers for one person. A browser may refuse to store (private windows, policies of companies): then nothing is
 * remembered and everything else works.
 */

/** @returns null if nothing is stored. */
export function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param value null removes what is stored. */
export function storeText(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // See above.
  }
}
