import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { root } from '../imports.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../identity-provider.ts';
import { temporaryDirectory } from '../temporary.ts';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

let browser: Browser;
let provider: TestIdentityProvider;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, provider] = await Promise.all([openChromium(), startIdentityProvider()]);
  const config = join(temporaryDirectory('provider'), 'trivet.toml');
  const { issuer, clientId, clientSecret } = provider;
  writeFileSync(
    config,
    `[providers.company]\nissuer = ${JSON.stringify(issuer)}\nclientId = ${JSON.stringify(clientId)}\nclientSecret = ${JSON.stringify(clientSecret)}\n`,
    { mode: 0o600 },
  );
  world = await openWorld(['--config', config]);
  await provider.accept(`${world.origin}/oauth/callback`);
  person = await newPerson(browser, world.origin);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
  await provider.stop();
});

test('a person signs in with a real OpenID provider and comes back to the page that was asked for', async () => {
  const { page } = person;
  const { code } = await world.must('invite-user', { orgId: 1, role: 'member' });
  provider.sits('olga@company.example');
  await page.goto(`${world.origin}/oauth/link#${String(code)}`);
  await page.getByRole('button', { name: 'Continue with company' }).click();
  await page.getByText('You are a member').waitFor();
  await person.expectAccessible();
  // The page only said that it can be closed, and whoever was invited did not know where to go.
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.waitForURL(/\/console\/sign-in\?next=/);
  // The console sends a visitor who is not signed in to the sign-in, and back.
  await page.goto(`${world.origin}/console/sessions`);
  await page.waitForURL(/\/console\/sign-in\?next=/);
  await person.expectAccessible();
  // The mark of the sign-in, which loads nothing, is the icon of the console.
  const drawn = await page
    .locator('header path')
    .evaluateAll((paths) => paths.map((one) => one.getAttribute('d')));
  const icon = readFileSync(join(root, 'modules/console/app/icon.svg'), 'utf8');
  expect(drawn).toEqual([...icon.matchAll(/ d="([^"]+)"/g)].map(([, path]) => path ?? null));
  await page.getByRole('button', { name: 'Continue with company' }).click();
  await page.waitForURL(`${world.origin}/console/sessions`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const me = await page.evaluate(async () => {
    const answer = await fetch('/console/me', { headers: { 'x-trivet-console': '1' } });
    return (await answer.json()) as Record<string, unknown>;
  });
  expect(me).toMatchObject({ email: 'olga@company.example', administersServer: false });
  // The only requests to the provider are those of the sign-in.
  person.expectNoComplaint('status of 401', `elsewhere: ${provider.issuer}`);
});

test('the way back from the provider works once, and in the browser that went there', async () => {
  const { page, context } = person;
  await context.clearCookies();
  const returns: string[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(`${world.origin}/oauth/callback`)) returns.push(request.url());
  });
  await page.goto(`${world.origin}/console/sign-in`);
  await page.getByRole('button', { name: 'Continue with company' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  const [callback] = returns;
  if (callback === undefined) throw new Error('no callback');
  expect((await page.request.get(callback)).status()).toBeGreaterThanOrEqual(400);
  const other = await browser.newContext();
  expect((await other.request.get(callback)).status()).toBeGreaterThanOrEqual(400);
  const cookies = await other.cookies();
  expect(cookies.filter(({ name }) => name === 'trivet-console')).toEqual([]);
  await other.close();
});

/** @see Only the part after its # differs from the address of the page, so the browser loads nothing: the page stayed as it was. */
test('a link that is opened on the page of another one is used', async () => {
  const { page, context } = await newPerson(browser, world.origin);
  const invited = async (role: 'member' | 'reader') =>
    `${world.origin}/oauth/link#${String((await world.must('invite-user', { orgId: 1, role }))['code'])}`;
  await page.goto(`${world.origin}/oauth/link#used-long-ago`);
  await page.getByText('This link is not valid').waitFor();
  for (const role of ['member', 'reader'] as const) {
    await page.goto(await invited(role));
    await page.getByText(`with the role ${role}`).waitFor();
    expect(page.url()).toBe(`${world.origin}/oauth/link`);
  }
  await page.goto(`${world.origin}/console/sign-in#used-long-ago`);
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await page.getByText('This link is not valid').waitFor();
  await page.goto(await world.link());
  await page.getByLabel('Paste the link that you were given').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await page.waitForURL(`${world.origin}/console/`);
  await context.close();
});

test('signing out ends the session and leads to the sign-in', async () => {
  const { page } = person;
  await page.goto(`${world.origin}/console/`);
  await page.getByRole('button', { name: /account and commands/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/console\/sign-in/);
  await page.goto(`${world.origin}/console/`);
  await page.waitForURL(/\/console\/sign-in\?next=/);
});
