import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

let browser: Browser;
let world: ConsoleWorld;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('a link signs in, and the first project is created', async () => {
  const person = await newPerson(browser, world.origin);
  const { page } = person;
  await world.signIn(person);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Create project' }).first().click();
  await page.getByLabel('Name').fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
  await page.waitForURL(/\/console\/projects\/\d+\/tests$/);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect((await world.must('get-projects', { orgId: 1 }))['total']).toBe(1);
  person.expectNoComplaint();
});
