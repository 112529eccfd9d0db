import chromium from '@sparticuz/chromium';
import { source as axeSource } from 'axe-core';
import { expect } from 'bun:test';
import { chromium as launcher, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { engine } from '../../core/db/query/engine.ts';

/** A real Chromium from an npm package, so that nothing has to be installed by hand. */
export async function openChromium(): Promise<Browser> {
  return launcher.launch({
    executablePath: await chromium.executablePath(),
    // The flags of the package are meant for one page in a small machine: with a single process, the contexts share cookies and the browser
    // ends with the first of them.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    headless: true,
  });
}

/** A telephone in portrait mode, in CSS pixels. */
export const phone = { width: 390, height: 844, isPhone: true } as const;

/** A person at a browser: all complaints of the browser are collected. */
export interface Person {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors in its console, including violations of the page's policy, and requests to other servers. */
  /** Fails if the browser complained since the last call. @param provoked parts of complaints that the test provokes. */
  expectNoComplaint(...provoked: readonly string[]): void;
  /**
   * Fails if axe finds anything on the current page, in the light or the dark scheme. On PostgreSQL it only waits until the page is drawn:
   * the same test has the same page on SQLite, in the same `npm test`.
   */
  expectAccessible(): Promise<void>;
}

export interface PersonOptions {
  readonly width?: number;
  readonly height?: number;
  /** A telephone with touch input and no pointer. */
  readonly isPhone?: boolean;
  /** BCP 47; "en-US" unless given. */
  readonly locale?: string;
}

/** @param origin of the server: a request to any other counts as a complaint. */
export async function newPerson(
  browser: Browser,
  origin: string,
  { width = 1280, height = 800, isPhone = false, locale = 'en-US' }: PersonOptions = {},
): Promise<Person> {
  const context = await browser.newContext({
    viewport: { width, height },
    hasTouch: isPhone,
    isMobile: isPhone,
    reducedMotion: 'reduce',
    // If the machine has no locale, Chromium reports "en-US@posix", which no real browser does and Intl refuses.
    locale,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const keep = (text: string) => void complaints.push(text);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') keep(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => keep(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(?:blob|data):/.test(url)) keep(`elsewhere: ${url}`);
  });
  return {
    context,
    page,
    expectNoComplaint: (...provoked) => {
      const isProvoked = (text: string) => provoked.some((part) => text.includes(part));
      const all = complaints.splice(0).filter((text) => !isProvoked(text));
      expect(all).toEqual([]);
    },
    expectAccessible: async () => {
      if (engine() === 'postgres') return void (await nextFrames(page));
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        // Only colours differ between the schemes.
        const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
        let found = await violations(page, rules);
        // On a busy machine some elements keep the colours of the other scheme for longer than two frames.
        for (let tries = 0; found.length > 0 && tries < 4; tries++) {
          await Bun.sleep(200);
          found = await violations(page, rules);
        }
        expect([colorScheme, found]).toEqual([colorScheme, []]);
      }
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    },
  };
}

interface AxeOptions {
  readonly runOnly?: readonly string[];
  readonly preload: { readonly assets: readonly string[] };
  readonly resultTypes: readonly string[];
}

interface AxeWindow {
  readonly axe: {
    run(options: AxeOptions): Promise<{
      readonly violations: ReadonlyArray<{
        readonly id: string;
        readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>;
      }>;
    }>;
  };
}

/** The findings of axe. It is evaluated by the debugger, so the policy of the page stays unchanged. */
async function violations(page: Page, runOnly?: readonly string[]): Promise<readonly string[]> {
  await nextFrames(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(async (only) => {
    // Without a report of everything that is in order, which takes half of the time, and without parsing the style sheets once more, which
    // takes a tenth: only an experimental rule, which does not run, reads them.
    const options = {
      resultTypes: ['violations'],
      preload: { assets: ['media'] },
      ...(only === undefined ? {} : { runOnly: only }),
    };
    const { violations: found } = await (globalThis as unknown as AxeWindow).axe.run(options);
    return found.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)} ${nodes[0]?.failureSummary ?? ''}`,
    );
  }, runOnly);
}

/** Waits until a requested change is drawn: the current frame, and the one after. */
export const nextFrames = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
