import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { newPerson, openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * The console of a server that offers only some tools, and one whose list of projects fails. Mutation note: with a list of projects that asks
 * by itself, Home sent 80 requests a second.
 */

let browser: Browser;
const worlds: ConsoleWorld[] = [];
beforeAll(async () => {
  browser = await openChromium();
}, 60_000);
afterAll(async () => {
  await browser.close();
  for (const world of worlds) await world.stop();
});

async function served(...args: readonly string[]) {
  const world = await openWorld(['--dev', '--demo', ...args]);
  worlds.push(world);
  const person = await newPerson(browser, world.origin);
  await world.signIn(person);
  return { world, page: person.page };
}

/** The number of calls of a tool from now on, while nobody touches the page. */
async function callsOf(page: Page, tool: string, ms: number): Promise<number> {
  let calls = 0;
  const count = (request: { url(): string }) => void (calls += Number(request.url().endsWith(`/${tool}`)));
  page.on('request', count);
  await page.waitForTimeout(ms);
  page.off('request', count);
  return calls;
}

test('without test management Home has the calls to action, and asks for no project', async () => {
  const { page } = await served('--toolsets', 'cta,auth');
  await page.getByRole('region', { name: 'Live calls to action' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Projects' }).count()).toBe(0);
  expect(await callsOf(page, 'get-projects', 1_500)).toBe(0);
  const places = page.getByRole('navigation').first();
  expect(await places.getByRole('link', { name: 'Runs', exact: true }).count()).toBe(0);
  expect(await places.getByRole('link', { name: 'CTAs', exact: true }).count()).toBe(1);
}, 60_000);

test('a read-only server offers no change, and a refusal names no tool', async () => {
  const { world, page } = await served('--read-only');
  await page.goto(`${world.origin}/console/ctas`);
  await page.getByRole('heading', { level: 1, name: 'Calls to action' }).waitFor();
  await page.getByRole('link', { name: 'Welcome voucher' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create CTA' }).count()).toBe(0);
  // What is done by its address is refused in words.
  await page.goto(`${world.origin}/console/tokens?new=1`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('mine');
  await dialog.getByText('Everything that you may use').click();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const alert = dialog.getByRole('alert');
  await alert.waitFor();
  expect(await alert.innerText()).toContain('This server does not offer this.');
  expect(await alert.innerText()).not.toContain('create-access-token');
}, 60_000);

test('a list of projects that fails is asked for once, and again when somebody says so', async () => {
  const { world, page } = await served();
  const fails = { code: 'SERVER_BUSY', message: 'Too much at once.' };
  await page.route('**/api/tools/get-projects', (route) =>
    route.fulfill({ status: 503, json: { error: fails } }),
  );
  await page.goto(`${world.origin}/console/`);
  await page.getByText('Too much at once.').waitFor();
  expect(await callsOf(page, 'get-projects', 2_000)).toBeLessThanOrEqual(1);
  await page.getByRole('region', { name: 'Live calls to action' }).waitFor();
  await page.unroute('**/api/tools/get-projects');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByRole('main').getByRole('link', { name: 'Online shop' }).first().waitFor();
}, 60_000);
