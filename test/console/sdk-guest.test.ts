import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Trivet } from '../../sdk/trivet/trivet.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../identity-provider.ts';
import { temporaryDirectory } from '../temporary.ts';
import { openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* The way of a guest in a real browser, with a real OpenID provider: what a guest has seen is seen, in whichever order things come. */
declare const window: Window & { trivet: Trivet; shown: number };

let browser: Browser;
let provider: TestIdentityProvider;
let world: ConsoleWorld;
beforeAll(async () => {
  [browser, provider] = await Promise.all([openChromium(), startIdentityProvider()]);
  const config = join(temporaryDirectory('provider'), 'trivet.toml');
  const { issuer, clientId, clientSecret } = provider;
  const settings = { issuer, clientId, clientSecret };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  writeFileSync(config, `[providers.company]\n${lines.join('\n')}\n`, { mode: 0o600 });
  world = await openWorld(['--config', config, '--guests', '--cta-require-token']);
  const { ctaId } = await world.must('create-cta', {
    name: 'Once in a life',
    rule: {
      stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
      stateToAction: { '1': 'hello' },
      resetStates: ['2'],
      actions: [{ actionId: 'hello', type: 'POPUP', template: { text: 'Hello' } }],
      frequency: { lifeSpan: { limit: 1 } },
    },
  });
  await world.must('set-cta-status', { ctaId, status: 'LIVE' });
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
  await provider.stop();
});

/** The app on a device of its own. */
async function device(): Promise<Page> {
  const context = await browser.newContext();
  await context.route(`${world.origin}/app`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><title>An app</title>',
      // What sdk/README.md says that a page with a policy needs, and no more.
      headers: {
        'content-security-policy': `default-src 'none'; script-src ${world.origin}; connect-src ${world.origin}`,
      },
    }),
  );
  const page = await context.newPage();
  await page.goto(`${world.origin}/app`);
  await page.evaluate(async (url) => {
    const { createTrivet } = (await import(`${url}/sdk/trivet.js`)) as {
      createTrivet: (options: object) => Trivet;
    };
    window.trivet = createTrivet({ url, onError: () => {} });
    window.trivet.cta.on('action', () => window.shown++);
  }, world.origin);
  return page;
}

/** The app is opened, and the person closes what appears. @returns how often something appeared. */
const use = (page: Page) =>
  page.evaluate(async () => {
    window.shown = 0;
    await window.trivet.cta.launch();
    window.trivet.cta.track('open');
    window.trivet.cta.track('close');
    await window.trivet.cta.flush();
    return window.shown;
  });
const asGuest = (page: Page) => page.evaluate(() => window.trivet.auth.signInAsGuest());
const link = async (page: Page, email: string) =>
  page.evaluate(
    (idToken) => window.trivet.auth.link({ provider: 'company', idToken, onConflict: 'switch' }),
    (await provider.signIn(email)).idToken,
  );
const signIn = async (page: Page, email: string) =>
  page.evaluate(
    (idToken) => window.trivet.auth.signIn({ provider: 'company', idToken }),
    (await provider.signIn(email)).idToken,
  );

test('guest, shown once, linked, not shown again: the same user', async () => {
  const page = await device();
  const guest = await asGuest(page);
  expect(await use(page)).toBe(1);
  const user = await link(page, 'new@company.example');
  expect(user).toMatchObject({ userId: guest.userId, email: 'new@company.example' });
  expect(await use(page)).toBe(0);
}, 60_000);

test.each(['the guest saw it first', 'the user saw it first'])(
  'a user who is known: %s',
  async (order) => {
    const email = `known-${order.length}@company.example`;
    const [old, fresh] = [await device(), await device()];
    const { userId } = await signIn(old, email);
    await asGuest(fresh);
    expect(await use(order.startsWith('the guest') ? fresh : old)).toBe(1);
    expect(await link(fresh, email)).toMatchObject({ userId });
    expect([await use(fresh), await use(old)]).toEqual([0, 0]);
  },
  60_000,
);

test('what the guest did offline comes late, and counts for the user', async () => {
  const [old, fresh] = [await device(), await device()];
  await signIn(old, 'late@company.example');
  await asGuest(fresh);
  await fresh.evaluate(() => window.trivet.cta.launch());
  await fresh.context().route('**/cta/**', (route) => route.abort());
  await fresh.evaluate(() => {
    window.trivet.cta.track('open');
    window.trivet.cta.track('close');
  });
  await link(fresh, 'late@company.example');
  await fresh.context().unroute('**/cta/**');
  await fresh.evaluate(() => window.trivet.cta.flush());
  expect(await fresh.evaluate(() => window.trivet.cta.pending())).toBe(0);
  expect([await use(old), await use(fresh)]).toEqual([0, 0]);
}, 60_000);
