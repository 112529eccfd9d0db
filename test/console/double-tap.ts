import type { Page } from 'playwright-core';

/** Two taps, the second 80 ms after the first, however busy this process is. Those of Playwright wait until the page has handled the one before. */
export async function doubleTap(page: Page, x: number, y: number): Promise<void> {
  const device = await page.context().newCDPSession(page);
  const began = Date.now();
  const tap = (timestamp: number) =>
    Promise.all([
      device.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }], timestamp }),
      device.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [], timestamp }),
    ]);
  const first = tap(began / 1_000);
  await Bun.sleep(80);
  await Promise.all([first, tap((began + 80) / 1_000)]);
}

/** The page does nothing else for a while after the test of a run on the screen has changed, as on a slow device. */
export const beSlow = (page: Page, ms: number) =>
  page.evaluate((wait) => {
    const name = () => document.querySelector('.run-panel h2')?.textContent;
    const before = name();
    const observer = new MutationObserver(() => {
      if (name() === before) return;
      observer.disconnect();
      const until = performance.now() + wait;
      while (performance.now() < until);
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  }, ms);
