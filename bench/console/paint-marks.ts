import type { Page } from 'playwright-core';

/* What a person waits for in a page: from a key to the paint that shows its effect. Measured in the page itself. */

interface Marks {
  interactiveMs?: number;
  paints: number[];
}

declare global {
  // Exists only in the measured page.
  var marks: Marks;
}

/** Records when a test is selected, which is when keys work, and the time from each key to the next paint after the change. */
export function watchPage(): void {
  globalThis.marks = { paints: [] };
  let keyAt = 0;
  addEventListener('keydown', (event) => void (keyAt = event.timeStamp), true);
  const afterPaint = (act: () => void) => requestAnimationFrame(() => setTimeout(act, 0));
  new MutationObserver(() => {
    if (
      globalThis.marks.interactiveMs === undefined &&
      document.querySelector('[data-test-id][aria-current="true"]')
    )
      afterPaint(() => (globalThis.marks.interactiveMs ??= performance.now()));
    if (keyAt > 0) {
      const from = keyAt;
      keyAt = 0;
      afterPaint(() => globalThis.marks.paints.push(performance.now() - from));
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}

export const marksOf = (page: Page): Promise<Marks> => page.evaluate(() => globalThis.marks);

/** The value below which a share of them lies. */
export const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

/** Median, p95 and worst, beside what is aimed at, in milliseconds. */
export const spread = (values: readonly number[], aim: number) => ({
  median: Math.round(at(values, 0.5)),
  p95: Math.round(at(values, 0.95)),
  worst: Math.round(Math.max(...values)),
  aim,
});
