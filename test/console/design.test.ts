import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, phone } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

let browser: Browser;
let world: ConsoleWorld;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  await world.must('create-cohort', { cohortName: 'x'.repeat(100), kind: 'list' });
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test.each([1280, 360])('every component stands on its page in both schemes, %p wide', async (width) => {
  const person = await newPerson(browser, world.origin, { width });
  const { page } = person;
  await world.signIn(person, '/console/design');
  await page.getByRole('heading', { level: 1, name: 'Design system' }).waitFor();
  const surfaces = await Promise.all(
    ['light scheme', 'dark scheme'].map((name) =>
      page.getByRole('region', { name }).evaluate((part) => getComputedStyle(part).backgroundColor),
    ),
  );
  expect(surfaces).toEqual(['rgb(255, 255, 255)', 'rgb(20, 23, 28)']);
  await person.expectAccessible();
  expect(await page.getByRole('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBe(0);
  await page.getByRole('button', { name: 'Refused action' }).first().click();
  await page.getByRole('button', { name: 'Rename label' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  const { left, right } = await page.getByRole('dialog').evaluate((dialog) => {
    const box = dialog.getBoundingClientRect();
    return { left: box.left, right: document.documentElement.clientWidth - box.right };
  });
  expect(right).toBeCloseTo(left, 0);
  await person.expectAccessible();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  person.expectNoComplaint();
  await person.context.close();
});

/**
 * @see A paragraph of one long line made the room of the dialog as wide as the window: the dialog stood at its left, and a click beside it
 * did not close it. One with short lines was narrow, and grew while its content came.
 */
test.each([
  ['Change role…', 'short lines'],
  ['Remove from organization…', 'a long paragraph'],
])('%s, a dialog with %s, stands in the middle, and a click beside it closes it', async (action) => {
  const person = await newPerson(browser, world.origin, { width: 1440 });
  const { page } = person;
  await world.member('bob@example.org');
  await world.signIn(person, '/console/people');
  await page.getByRole('button', { name: 'Actions for bob@example.org' }).click();
  await page.getByRole('menuitem', { name: action }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const { x = 0, y = 0, width = 0 } = (await dialog.boundingBox()) ?? {};
  expect([width, x]).toEqual([608, (1440 - 608) / 2]);
  await page.mouse.click(x + width + 40, y + 40);
  await dialog.waitFor({ state: 'detached' });
  person.expectNoComplaint();
  await person.context.close();
});

/** @see It was as wide as its longest word, and so partly or wholly beside the window. */
test.each([
  ['a long name', 'cohorts', 'Aktionen für', 'Löschen…'],
  ['a long choice', 'tokens', 'Token anlegen', null],
])('on a telephone a dialog with %s stands in the window', async (_, address, button, item) => {
  const person = await newPerson(browser, world.origin, { ...phone, locale: 'de-DE' });
  const { page } = person;
  await world.signIn(person, `/console/${address}`);
  await page.getByRole('button', { name: button }).first().click();
  if (item !== null) await page.getByRole('menuitem', { name: item }).click();
  const dialog = page.getByRole('dialog').last();
  await dialog.getByRole('button').first().waitFor();
  const { x, width } = (await dialog.boundingBox()) ?? {};
  expect([x, width]).toEqual([12, phone.width - 24]);
  expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  person.expectNoComplaint();
  await person.context.close();
});
