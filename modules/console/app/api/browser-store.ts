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

/** Keys whose values say what a person opened. Others are of the browser (colours, rows), or have the person in them (results that wait). */
export const personalKeys = {
  recent: 'trivet-recent',
  tenants: 'trivet-tenants',
  appLink: 'trivet-app-link',
  project: 'trivet-project',
} as const;

const ownerKey = 'trivet-opened-by';

/** Before the first page: forgets what somebody else opened in this browser. They may be of another organization. */
export function ownMemory(userId: number): void {
  if (storedText(ownerKey) === String(userId)) return;
  forgetOpened();
  storeText(ownerKey, String(userId));
}

/** Forgets what was opened; also at the sign-out. */
export function forgetOpened(): void {
  for (const key of Object.values(personalKeys)) storeText(key, null);
}
