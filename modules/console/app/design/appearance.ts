import { useSyncExternalStore } from 'react';
import { storedText, storeText } from '../api/browser-store.ts';

/* How the console looks in this browser: chosen in the menu of the account, applied before the first page is drawn. */

export const schemes = ['system', 'light', 'dark'] as const;
export const densities = ['compact', 'comfortable'] as const;

/** Of a column of a table, in pixels. */
export const columnBounds = { least: 48, most: 800 } as const;

/** Of a panel beside a list, in pixels. */
export const panelWidths = { least: 320, most: 960 } as const;

export interface Appearance {
  readonly scheme: (typeof schemes)[number];
  /** Rows of 32 or of 40 pixels. */
  readonly density: (typeof densities)[number];
  /** The navigation shows icons only. */
  readonly isFolded: boolean;
  /** Of a panel beside a list, in pixels; null: as wide as the window suggests. */
  readonly panelWidth: number | null;
  /** Of columns of tables that a person has moved, in pixels, by `<table>.<column>`. */
  readonly columnWidths: Readonly<Record<string, number>>;
}

const usual: Appearance = {
  scheme: 'system',
  density: 'compact',
  isFolded: false,
  panelWidth: null,
  columnWidths: {},
};
const key = 'trivet-appearance';

/** The stored choice; what is missing or unknown is as usual. */
export function appearanceOf(text: string | null): Appearance {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? 'null');
  } catch {
    return usual;
  }
  const { scheme, density, isFolded, panelWidth, columnWidths } = (stored ?? {}) as Partial<
    Record<keyof Appearance, unknown>
  >;
  return {
    scheme: schemes.find((one) => one === scheme) ?? usual.scheme,
    density: densities.find((one) => one === density) ?? usual.density,
    isFolded: isFolded === true,
    panelWidth:
      typeof panelWidth === 'number' && panelWidth >= panelWidths.least && panelWidth <= panelWidths.most
        ? panelWidth
        : null,
    columnWidths: widthsOf(columnWidths),
  };
}

const widthsOf = (stored: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(typeof stored === 'object' && stored !== null ? stored : {}).filter(
      (entry): entry is [string, number] =>
        typeof entry[1] === 'number' && entry[1] >= columnBounds.least && entry[1] <= columnBounds.most,
    ),
  );

let current = appearanceOf(storedText(key));
const listeners = new Set<() => void>();

function apply({ scheme, density }: Appearance): void {
  const { classList } = document.documentElement;
  for (const one of schemes) classList.toggle(`scheme-${one}`, one === scheme && one !== 'system');
  classList.toggle('comfortable', density === 'comfortable');
}

export function changeAppearance(change: Partial<Appearance>): void {
  current = { ...current, ...change };
  storeText(key, JSON.stringify(current));
  apply(current);
  for (const listener of listeners) listener();
}

/** Before the first page is drawn, so that it does not flash in another colour. */
export const applyAppearance = (): void => apply(current);

export const appearanceNow = (): Appearance => current;

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useAppearance = (): Appearance => useSyncExternalStore(subscribe, appearanceNow);
