import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { numberText } from '../../modules/console/app/design/amount.ts';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/** On the example, a marketer finds how many saw a CTA and how many bought, in two clicks. */
let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
  person = await newPerson(browser, world.origin);
  await world.signIn(person);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('how many saw it, how many bought', async () => {
  const { page } = person;
  await page.getByRole('navigation').getByRole('link', { name: 'CTAs' }).first().click();
  await page.getByRole('link', { name: 'Welcome voucher' }).click();
  const figures = page.getByRole('region', { name: 'Figures' });
  await figures.waitFor();
  const text = await figures.innerText();
  expect(text).toMatch(/Users who saw it\s+[1-9]\d*/);
  expect(text).toMatch(/Users who clicked\s+[1-9][\d,]* \(\d+ %\)/);
  expect(text).toMatch(/Users who acted\s+[1-9][\d,]* \(\d+ %\)/);
  expect(text).toMatch(/Converted: Ordered\s+[1-9][\d,]* \(\d+ %\)/);
  const { users } = await world.must('get-cta-metrics', { ctaId: '1' });
  expect(text).toContain(numberText((users as { saw: number }).saw));
  await person.expectAccessible();
});

test('the days are drawn, and users stand by state', async () => {
  const { page } = person;
  await page.getByRole('tab', { name: 'Figures' }).click();
  const chart = page.getByRole('img', { name: /^Impressions by day/ });
  await chart.waitFor();
  expect(await chart.locator('canvas').count()).toBe(1);
  const funnel = page.getByRole('region', { name: 'Users per state' });
  expect(await funnel.getByRole('row').count()).toBeGreaterThan(2);
  await person.expectAccessible();
  person.expectNoComplaint();
});
