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
  await funnel.getByRole('row').nth(2).waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});

/** @see A screen reader said "1 days" of a CTA that ran for one. */
test.each(['Newsletter in the start page', 'Summer sale'])('the chart of %s names its days', async (name) => {
  const { page } = person;
  const { ctas } = await world.must('list-ctas', { search: name });
  const [{ ctaId } = { ctaId: '' }] = ctas as ReadonlyArray<{ readonly ctaId: string }>;
  await page.goto(`${world.origin}/console/ctas/${ctaId}?tab=figures`);
  await page.getByText('The same figures as a table').click();
  const table = page.getByRole('region', { name: 'Figures by day' });
  await table.getByRole('row').nth(1).waitFor();
  const days = (await table.getByRole('row').count()) - 1;
  const label = await page.getByRole('img', { name: /^Impressions by day/ }).getAttribute('aria-label');
  expect(label).toBe(`Impressions by day, ${days === 1 ? '1 day' : `${days} days`}`);
  person.expectNoComplaint();
});
