import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';
const rule = { stateToAction: {}, stateTransition: {}, actions: [] };

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  await world.must('create-cta', {
    name: hostile,
    description: hostile,
    team: hostile,
    tags: [hostile],
    rule,
  });
  await world.must('create-behaviour-tag', { behaviourTagName: 'offers' });
  person = await newPerson(browser, world.origin);
  await world.signIn(person, '/console/ctas');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('a draft is created, and the list shows it by status and search', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'Create CTA' }).click();
  await page.getByLabel('Name').fill('Free delivery');
  await person.expectAccessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Create CTA' }).click();
  await page.waitForURL(/\/ctas\/\d+/);
  await page.goBack();
  await page.getByRole('link', { name: 'Free delivery' }).waitFor();
  await page.getByText(hostile).first().waitFor();
  await page.getByRole('button', { name: 'Draft 2' }).waitFor();
  await person.expectAccessible();
  await page.getByLabel('Search CTAs').fill('delivery');
  await page.waitForURL(/search=delivery/);
  await page.getByRole('status').getByText('1 CTA', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Live 0' }).click();
  await page.getByRole('heading', { name: 'No CTA is found' }).waitFor();
  await page.getByRole('button', { name: /^All/ }).click();
  const { counts } = await world.must('list-ctas', {});
  expect(counts).toMatchObject({ DRAFT: 2 });
  person.expectNoComplaint();
});

test('the kill switch hides all CTAs of the tenant or of a behaviour tag, after a question', async () => {
  const { page } = person;
  const kill = async (choose: () => Promise<void>) => {
    await page.getByRole('button', { name: 'Kill switch…' }).click();
    await choose();
    await page.getByRole('button', { name: 'Hide CTAs' }).click();
  };
  await kill(async () => person.expectAccessible());
  await page.getByRole('alert').getByText('Apps get none of all CTAs of tenant default').waitFor();
  await kill(async () => {
    await page.getByRole('button', { name: /Which CTAs/ }).click();
    await page.getByRole('option', { name: /offers/ }).click();
  });
  await page.getByRole('alert').getByText('behaviour tag offers').waitFor();
  await person.expectAccessible();
  expect(await world.must('get-cta-kill-switches', {})).toMatchObject({
    killedAt: expect.any(Number),
    behaviourTags: [{ behaviourTagName: 'offers' }],
  });
  await page.getByRole('button', { name: 'Show all CTAs again' }).click();
  await page.getByRole('button', { name: 'Show CTAs', exact: true }).click();
  await page.getByRole('button', { name: 'Show all CTAs again' }).waitFor({ state: 'detached' });
  expect(await world.must('get-cta-kill-switches', {})).toMatchObject({ killedAt: null });
  person.expectNoComplaint();
});

test('another tenant is created, stands in the address and is kept by other pages', async () => {
  const { page } = person;
  await page.getByRole('button', { name: /Tenant default/ }).click();
  await page.getByRole('option', { name: 'Another tenant…' }).click();
  await page.getByRole('textbox', { name: 'Tenant' }).fill('shop-eu');
  await page.getByText('Create it').click();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Create tenant' }).click();
  await page.waitForURL(/tenant=shop-eu/);
  await page.getByRole('heading', { name: 'No CTA yet' }).waitFor();
  await person.expectAccessible();
  await page.getByRole('link', { name: 'CTAs' }).click();
  await page.waitForURL(/tenant=shop-eu/);
  person.expectNoComplaint();
  await page.goto(`${world.origin}/console/ctas?tenant=elsewhere`);
  await page.getByRole('heading', { name: 'There is no tenant elsewhere yet' }).waitFor();
  await person.expectAccessible();
  person.expectNoComplaint('status of 404');
});

/** @see Pausing the wrong CTA had no way back in its message. */
test('a status that can be taken back offers that; a CTA that was live is no draft again', async () => {
  const { page } = person;
  const { ctaId } = await world.must('create-cta', { name: 'Paused by mistake', rule });
  await world.must('set-cta-status', { ctaId, status: 'LIVE' });
  await page.goto(`${world.origin}/console/ctas/${String(ctaId)}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused by mistake is paused now.').waitFor();
  await page.getByLabel('Messages').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Paused by mistake is live again.').waitFor();
  expect(await world.must('get-cta', { ctaId })).toMatchObject({ status: 'LIVE' });
  await page.getByRole('button', { name: 'Conclude' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Conclude' }).click();
  await page.getByText('Paused by mistake is concluded now.').waitFor();
  expect(await page.getByLabel('Messages').getByRole('button', { name: 'Undo' }).count()).toBe(0);
  person.expectNoComplaint();
});
