import { afterAll, beforeAll, expect, test } from 'bun:test';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { root } from '../imports.ts';
import { openChromium } from './browser.ts';

/*
 * The hooks of trivet-sdk/react in a real browser, under StrictMode, whose double mount must change nothing.
 *
 * Mutation note: seen to fail when an effect does not remove its listener, and when `useSession` answers the client's own object.
 */
interface Counted {
  readonly launches: number;
  readonly heard: readonly string[];
  readonly tracks: number;
  readonly renders: number;
  readonly change: number;
  readonly action: number;
  readonly user: number;
}
interface ReactPage extends Window {
  start(): void;
  stop(): void;
  signIn(userId: string | null): void;
  act(actionId: string): void;
  counted(): Counted;
}
declare const window: ReactPage;

let browser: Browser;
let page: Page;
const complaints: string[] = [];
beforeAll(async () => {
  const [{ outputFiles }, opened] = await Promise.all([
    build({
      absWorkingDir: root,
      entryPoints: ['test/sdk/react-page.tsx'],
      bundle: true,
      write: false,
      format: 'iife',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"development"' },
      logLevel: 'silent',
    }),
    openChromium(),
  ]);
  browser = opened;
  page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.setContent('<!doctype html><title>An app</title><body></body>');
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
}, 60_000);
afterAll(() => browser.close());

const counted = () => page.evaluate(() => window.counted());
const shown = async () => ({
  person: await page.locator('#person').textContent(),
  first: await page.locator('#first').textContent(),
});

test('two mounts leave one listener of each kind, and nothing is launched', async () => {
  await page.evaluate(() => window.start());
  await page.locator('#second').waitFor();
  expect(await shown()).toEqual({ person: 'nobody', first: 'nothing' });
  // For actions: the provider's, and that of the component with a listener of its own.
  expect(await counted()).toMatchObject({ launches: 0, change: 1, action: 2, user: 1, heard: [], tracks: 1 });
});

test('a session that begins and ends is shown, and a change of nothing renders nothing', async () => {
  await page.evaluate(() => window.signIn('7'));
  await page.getByText('7', { exact: true }).waitFor();
  const { renders } = await counted();
  await page.evaluate(() => window.signIn('7'));
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect((await counted()).renders).toBe(renders);
  await page.evaluate(() => window.signIn(null));
  await page.getByText('nobody').waitFor();
});

test('an action is shown by all and heard once, until one dismisses it', async () => {
  await page.evaluate(() => window.act('offer'));
  await page.locator('#second', { hasText: 'offer' }).waitFor();
  expect([(await shown()).first, (await counted()).heard]).toEqual(['offer', ['first offer']]);
  await page.locator('#second').click();
  await page.locator('#first', { hasText: 'nothing' }).waitFor();
  await page.evaluate(() => {
    window.act('one');
    window.act('two');
  });
  await page.locator('#first', { hasText: 'two' }).waitFor();
  expect((await counted()).heard).toEqual(['first one', 'first two']);
});

test('what somebody was shown is not shown to the next one on the same device', async () => {
  await page.evaluate(() => {
    window.signIn('7');
    window.act('of 7');
  });
  await page.locator('#first', { hasText: 'of 7' }).waitFor();
  await page.evaluate(() => window.signIn(null));
  await page.getByText('nobody').waitFor();
  expect(await shown()).toEqual({ person: 'nobody', first: 'nothing' });
  expect((await counted()).heard).toEqual(['first of 7']);
});

test('a component that comes later shows the latest action, and one that goes leaves no listener', async () => {
  await page.locator('#toggle').click();
  await page.locator('#second').waitFor({ state: 'detached' });
  await page.evaluate(() => window.act('late'));
  await page.locator('#toggle').click();
  await page.locator('#second', { hasText: 'late' }).waitFor();
  await page.locator('#mute').click();
  await page.evaluate(() => window.act('muted'));
  await page.locator('#first', { hasText: 'muted' }).waitFor();
  expect(await counted()).toMatchObject({ heard: ['first late'], change: 1, action: 1, tracks: 1 });
  await page.evaluate(() => window.stop());
  await page.locator('#person').waitFor({ state: 'detached' });
  expect(await counted()).toMatchObject({ launches: 0, change: 0, action: 0, user: 0 });
  expect(complaints).toEqual([]);
});
