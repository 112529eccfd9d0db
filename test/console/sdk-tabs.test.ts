import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Trivet } from '../../sdk/trivet/trivet.ts';
import { openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* The app SDK as pages load it, in real tabs of one browser: they share a session that none of them may end. */
interface Tab extends Window {
  trivet: Trivet;
  losing: boolean;
  ended: number;
}
declare const window: Tab;

let browser: Browser;
let world: ConsoleWorld;
let context: BrowserContext;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--guests'])]);
  context = await browser.newContext();
  await context.route(`${world.origin}/app`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>An app</title>' }),
  );
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

async function openTab(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${world.origin}/app`);
  await page.evaluate(async (origin) => {
    const { createTrivet } = (await import(`${origin}/sdk/trivet.js`)) as {
      createTrivet: (options: object) => Trivet;
    };
    window.losing = false;
    window.ended = 0;
    window.trivet = createTrivet({
      url: origin,
      // One clock for all tabs, as on a device: a tab whose clock lags takes a session of the others for one of the future.
      now: () => Date.now() + Number(localStorage.getItem('offset') ?? 0),
      onError: () => {},
      fetch: async (input: string, init: RequestInit) => {
        const answer = await fetch(input, init);
        if (window.losing && Math.random() < 0.3) throw new TypeError('the answer is lost');
        return answer;
      },
    });
    window.trivet.auth.on('change', (session) => {
      if (!session) window.ended++;
    });
  }, world.origin);
  return page;
}

/** In every tab: another quarter of an hour has passed, and the app asks for its token. */
const ask = (page: Page, offset: number, losing: boolean) =>
  page.evaluate(
    async ([to, loses]) => {
      window.losing = loses as boolean;
      localStorage.setItem('offset', String(to));
      return window.trivet.auth.accessToken().catch(() => 'later');
    },
    [offset, losing] as const,
  );

test('1,000 refreshes over 2 to 10 tabs, 30 % of the answers lost, tabs frozen and killed: nobody is signed out', async () => {
  const answered: number[] = [];
  context.on('response', (response) => {
    if (response.url().endsWith('/v1/auth/token/refresh')) answered.push(response.status());
  });
  const first = await openTab();
  await first.evaluate(() => window.trivet.auth.signInAsGuest());
  interface Known {
    readonly page: Page;
    readonly cdp: CDPSession;
    frozen: boolean;
  }
  const known = async (page: Page): Promise<Known> => ({
    page,
    cdp: await context.newCDPSession(page),
    frozen: false,
  });
  let tabs: Known[] = [await known(first), await known(await openTab())];
  const freeze = async (tab: Known, frozen: boolean) => {
    await tab.cdp.send('Page.setWebLifecycleState', { state: frozen ? 'frozen' : 'active' });
    tab.frozen = frozen;
  };
  let offset = 0;
  for (let round = 0; answered.length < 1_000; round++) {
    offset += 850_000;
    const awake = tabs.filter(({ frozen }) => !frozen);
    await Promise.all(awake.map(({ page }) => ask(page, offset, true)));
    const [last] = awake.slice(-1);
    if (round % 5 === 0 && tabs.length < 10) tabs.push(await known(await openTab()));
    if (round % 7 === 0 && last && awake.length > 2) await freeze(last, true);
    if (round % 11 === 0) for (const tab of tabs.filter(({ frozen }) => frozen)) await freeze(tab, false);
    if (round % 13 === 0 && awake.length > 2 && awake[0]) {
      const killed = awake[0];
      // While its request is under way.
      void ask(killed.page, offset + 850_000, true).catch(() => {});
      await killed.page.close();
      // Its request may reach the server later. A quarter of an hour passes in a moment here, and a request that is older than two
      // refreshes is a reuse; in life it has ended after 10 s.
      await Bun.sleep(1_000);
      offset += 850_000;
      tabs = tabs.filter((tab) => tab !== killed);
    }
  }
  for (const tab of tabs.filter(({ frozen }) => frozen)) await freeze(tab, false);
  // After lost answers they wait for up to a minute of the app's time.
  offset += 120_000;
  for (const { page } of tabs) {
    const token = await ask(page, offset, false);
    const answer = await fetch(`${world.origin}/v1/auth/token/verify`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await answer.json()).toEqual({ isAuthTokenValid: true });
    expect(await page.evaluate(() => window.ended)).toBe(0);
  }
  expect(answered.filter((status) => status !== 200)).toEqual([]);
}, 240_000);

test('a token that was copied and is older ends the session', async () => {
  const page = await openTab();
  await page.evaluate(() => window.trivet.auth.signOut());
  await page.evaluate(() => window.trivet.auth.signInAsGuest());
  const copied = await page.evaluate(
    () => (JSON.parse(localStorage.getItem('trivet:default:session') ?? '{}') as { refresh: string }).refresh,
  );
  let offset = Number(await page.evaluate(() => localStorage.getItem('offset')));
  for (let round = 0; round < 2; round++) {
    offset += 850_000;
    await ask(page, offset, false);
  }
  const answer = await fetch(`${world.origin}/v1/auth/token/refresh`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refreshToken: copied }),
  });
  expect(await answer.json()).toMatchObject({ error: { code: 'INVALID_REFRESH_TOKEN', cause: 'reused' } });
  offset += 850_000;
  expect(await ask(page, offset, false)).toBeNull();
  expect(await page.evaluate(() => [window.ended, window.trivet.auth.session()])).toEqual([2, null]);
}, 60_000);
