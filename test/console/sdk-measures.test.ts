import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, BrowserContext } from 'playwright-core';
import type { Trivet } from '../../sdk/trivet/trivet.ts';
import { openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* What people did with a call to action reaches the server, also if they close the page right after it. */
declare const window: Window & { trivet: Trivet };

let browser: Browser;
let world: ConsoleWorld;
let ctaId: string;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
  const made = await world.must('create-cta', { name: 'clicked', rule });
  ctaId = String(made['ctaId']);
  await world.must('set-cta-status', { ctaId, status: 'LIVE' });
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

/** TRIVET_PAGES=1000 is the promise; a change is tried with fewer. */
const pages = Number(process.env['TRIVET_PAGES'] ?? 100);
const users = 4;

async function opened(context: BrowserContext, userId: number) {
  const page = await context.newPage();
  await page.goto(`${world.origin}/app`);
  await page.evaluate(
    async ([url, user]) => {
      const { createTrivet } = (await import(`${url}/sdk/trivet.js`)) as {
        createTrivet: (options: object) => Trivet;
      };
      window.trivet = createTrivet({ url, onError: () => {} });
      window.trivet.cta.setUser(user as number);
      await window.trivet.cta.launch();
    },
    [world.origin, userId] as const,
  );
  return page;
}

async function closesPages(userId: number): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.route(`${world.origin}/app`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>An app</title>' }),
  );
  for (let count = 0; count < pages / users; count++) {
    const page = await opened(context, userId);
    await page.evaluate((id) => window.trivet.cta.measure('click', { ctaId: id }, { element: 'buy' }), ctaId);
    await page.close({ runBeforeUnload: false });
  }
  return context;
}

const clicks = async () => {
  const range = { from: Date.now() - 86_400_000, to: Date.now() + 86_400_000 };
  const { items } = (await world.must('get-cta-metrics', { ctaId, ...range, by: 'total' })) as {
    items: Array<{ clicks?: number }>;
  };
  return items.reduce((sum, item) => sum + (item.clicks ?? 0), 0);
};

test(`a page is closed right after a click, ${pages} times: at least 99 % arrive, none twice`, async () => {
  const contexts = await Promise.all(Array.from({ length: users }, (_, user) => closesPages(700 + user)));
  await Bun.sleep(500);
  const arrived = await clicks();
  process.stdout.write(`figure: ${arrived} of ${pages} clicks arrived at once\n`);
  expect(arrived).toBeGreaterThanOrEqual(pages * 0.99);
  expect(arrived).toBeLessThanOrEqual(pages);
  // What was lost is still stored, and the next page sends it.
  for (const [user, context] of contexts.entries()) {
    const page = await opened(context, 700 + user);
    await page.evaluate(() => window.trivet.cta.flush());
    await page.close();
  }
  expect(await clicks()).toBe(pages);
}, 600_000);
