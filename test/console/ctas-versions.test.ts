import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { createHostileCta, hostile, hostileRule } from './hostile-cta.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let ctaId: string;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  ctaId = await createHostileCta(world);
  await world.must('update-cta', { ctaId, version: 1, name: 'Newsletter' });
  await world.must('update-cta', { ctaId, version: 2, description: 'Theirs' });
  await world.must('update-cta', { ctaId, version: 3, description: 'Mine' });
  person = await newPerson(browser, world.origin);
  await world.signIn(person, `/console/ctas/${ctaId}?tab=versions`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const stored = () => world.must('get-cta', { ctaId });

test('versions are compared and reverted; the history has the changes of status', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'Compare version 4 with the one before' }).click();
  await page.getByRole('group', { name: 'Version 3 against version 4' }).getByText('Theirs').waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Revert to version 1' }).click();
  await page.getByRole('dialog').getByText('- "name": "Newsletter"').waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Revert', exact: true }).click();
  await page.getByText('Version 5 has the fields of version 1.').waitFor();
  // The two parts of the cell stood without a space between them.
  await page.getByRole('cell', { name: 'Name, Description · back to version 1' }).waitFor();
  expect(await stored()).toMatchObject({ name: hostile, version: 5, rule: hostileRule });

  // Changes that are not saved would not be what apps get.
  await page.getByRole('tab', { name: 'Editor' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Not saved');
  await page.getByRole('button', { name: 'Make live' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Save your changes of the CTA first, or discard them.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Make live' }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('button', { name: 'Make live' }).click();
  await page.getByText('Apps get it with their next launch.').waitFor();
  await dialog.getByText('Users who may get it:').waitFor();
  await person.expectAccessible();
  // Nobody puts live what they have not seen: it is no draft afterwards.
  await world.must('update-cta', { ctaId, version: 5, description: 'Half of a change' });
  await dialog.getByRole('button', { name: 'Make live' }).click();
  await dialog.getByText('Somebody saved this CTA meanwhile').waitFor();
  expect(await stored()).toMatchObject({ status: 'DRAFT', version: 6 });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Half of a change');
  await page.getByRole('button', { name: 'Make live' }).click();
  await dialog.getByRole('button', { name: 'Make live' }).click();
  await page.getByText('A live CTA cannot be edited').waitFor();
  // Somebody else is faster: the page said that it changes "from Paused to Paused".
  await page.getByRole('button', { name: 'Pause' }).click();
  await dialog.getByText('It changes from Live to Paused.').waitFor();
  await world.must('set-cta-status', { ctaId, status: 'PAUSED' });
  await dialog.getByText('It is paused by now').waitFor();
  expect(await dialog.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('A live CTA cannot be edited').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('cell', { name: 'You' }).first().waitFor();
  await person.expectAccessible();
  await page.getByRole('tab', { name: 'Editor' }).click();
  expect(await page.getByRole('textbox', { name: 'Name' }).isEditable()).toBe(false);
  await page.getByRole('button', { name: 'Clone…' }).click();
  await page.getByRole('button', { name: 'Clone CTA' }).click();
  await page.waitForURL(/\/ctas\/2$/);
  expect(await stored()).toMatchObject({ status: 'LIVE' });
  expect(await world.must('get-cta', { ctaId: '2' })).toMatchObject({ status: 'DRAFT', rule: hostileRule });
  person.expectNoComplaint();
});
