import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { createHostileCta } from './hostile-cta.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let ctaId: string;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  ctaId = await createHostileCta(world);
  person = await newPerson(browser, world.origin);
  await world.signIn(person, `/console/ctas/${ctaId}`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const tab = (name: string) =>
  person.page.getByRole('tablist', { name: 'About the CTA' }).getByRole('tab', { name }).click();
const stored = () => world.must('get-cta', { ctaId });

test('the form changes the JSON and the JSON the form; what the form does not know stays', async () => {
  const { page } = person;
  await page.getByRole('textbox', { name: 'In a session' }).fill('3');
  await page.getByLabel('Team').fill('Growth');
  await page.getByRole('button', { name: 'Add condition' }).first().click();
  const condition = page.getByRole('group', { name: 'Condition 1' });
  await condition.getByLabel('Property').fill('amount');
  await condition.getByLabel('Value', { exact: true }).fill('50');
  await tab('JSON');
  const json = page.getByRole('textbox', { name: 'JSON' });
  const typed = JSON.parse(await json.inputValue()) as { name: string; rule: Record<string, unknown> };
  expect(typed.rule['frequency']).toEqual({ session: { limit: 3 } });
  await json.fill(JSON.stringify({ ...typed, name: 'Newsletter' }));
  await tab('Editor');
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Newsletter');
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Save CTA' }).click();
  await page.getByText('Version 2 was saved.').waitFor();
  expect(await stored()).toMatchObject({
    name: 'Newsletter',
    team: 'Growth',
    version: 2,
    rule: {
      stateMachineTTL: 60_000,
      frequency: { session: { limit: 3 } },
      stateTransition: { home_opened: { '0': [{ filters: { filter: [{ comparisonValue: '50' }] } }] } },
    },
  });
  person.expectNoComplaint('status of 400', 'status of 409');
});

test('a fault stands at its field and beside the JSON, as the server names it; what was typed stays', async () => {
  const { page } = person;
  const faults = page.getByRole('region', { name: 'Faults' });
  await page.getByLabel('Ever').fill('many');
  await page.getByRole('textbox', { name: 'Action', exact: true }).first().waitFor();
  await page.getByLabel('To state').nth(0).fill('7');
  await page.getByLabel('To state').nth(0).press('Enter');
  await faults.getByText('rule.stateToAction.1').waitFor();
  await page.getByText('cannot be reached from the initial state').nth(1).waitFor();
  await page.getByRole('button', { name: 'Save CTA' }).click();
  await page
    .getByRole('alert')
    .getByText(/rule\.frequency\.lifeSpan\.limit/)
    .waitFor();
  await faults.getByText('rule.frequency.lifeSpan.limit').waitFor();
  await person.expectAccessible();
  expect(await page.getByLabel('Ever').inputValue()).toBe('many');
  await tab('JSON');
  const json = page.getByRole('textbox', { name: 'JSON' });
  await json.fill('{"name": ');
  await page.getByText('This is no JSON yet').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('button', { name: 'Save CTA' }).waitFor({ state: 'detached' });
  await tab('Editor');
  expect((await stored())['version']).toBe(2);
  person.expectNoComplaint('status of 400', 'status of 409');
});

/** @see The only choice was between all of one and all of the other: what both had changed in different places, one of them lost. */
test('what another person saved meanwhile is shown as a difference, and stays where only they changed it', async () => {
  const { page } = person;
  await page.getByLabel('Description').fill('Mine');
  await page.getByRole('link', { name: 'Cohorts' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cohorts' }).waitFor();
  await page.goBack();
  expect(await page.getByLabel('Description').inputValue()).toBe('Mine');
  await world.must('update-cta', { ctaId, version: 2, description: 'Theirs', team: 'Growth' });
  await page.getByRole('button', { name: 'Save CTA' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('version 3 is stored now').waitFor();
  await dialog.getByText('- "description": "Theirs"').waitFor();
  await dialog.getByText('+ "description": "Mine"').waitFor();
  await person.expectAccessible();
  expect(await dialog.getByText(/^[-+] *"team"/).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Store my changes' }).click();
  await page.getByText('Version 4 was saved.').waitFor();
  expect(await stored()).toMatchObject({
    description: 'Mine',
    team: 'Growth',
    version: 4,
    name: 'Newsletter',
  });
  person.expectNoComplaint('status of 400', 'status of 409');
});

test('the state machine is drawn, and changed by the form beside it, with the keyboard alone', async () => {
  const { page } = person;
  await page.getByRole('tab', { name: 'Diagram' }).click();
  await page.waitForURL(/tab=diagram/);
  await page.getByRole('button', { name: /^State 1: .*, runs banner/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'State 1' }).waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Add transition to a new state' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Event').fill('offer_taken');
  await page.getByLabel('Event').press('Enter');
  await page.getByRole('button', { name: 'Transition from 1 to 3 on offer_taken' }).waitFor();
  await page.getByRole('button', { name: /^State 3:/ }).focus();
  await page.keyboard.press(' ');
  await page.getByText('Ends the state machine and counts').click();
  await page
    .getByRole('button', { name: /^State 3: Ends after offer_taken, ends the state machine/ })
    .waitFor();
  await page.getByRole('button', { name: /^State 2:/ }).click();
  await page.getByRole('button', { name: 'Remove state' }).click();
  await page.getByRole('button', { name: 'Save CTA' }).click();
  await page.getByText('Version 5 was saved.').waitFor();
  expect((await stored())['rule']).toMatchObject({
    stateTransition: {
      home_opened: { '0': [{ transitionTo: '1' }] },
      offer_taken: { '1': [{ transitionTo: '3' }] },
    },
    resetStates: ['3'],
  });
  person.expectNoComplaint('status of 400', 'status of 409');
});
