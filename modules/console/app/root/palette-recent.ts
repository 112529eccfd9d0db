import { personalKeys, storedText, storeText } from '../api/browser-store.ts';
import type { Entry } from './palette-order.ts';

const key = personalKeys.recent;
const most = 8;

/** What was opened by the palette in this browser, the last one first. */
export function recentEntries(): readonly Entry[] {
  try {
    const stored: unknown = JSON.parse(storedText(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isEntry).slice(0, most) : [];
  } catch {
    // Another program wrote there.
    return [];
  }
}

const isEntry = (value: unknown): value is Entry => {
  const { id, name, group } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>;
  return [id, name, group].every((one) => typeof one === 'string');
};

export function rememberEntry({ id, name, group }: Entry): void {
  const others = recentEntries().filter((one) => one.id !== id);
  storeText(key, JSON.stringify([{ id, name, group }, ...others].slice(0, most)));
}
