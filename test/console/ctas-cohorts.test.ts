import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  await world.must('create-cohort', { cohortName: hostile, description: hostile, kind: 'list' });
  await world.must('set-user-attributes', {
    users: ['7', '8', '9'].map((userId) => ({
      userId,
      attributes: { country: userId === '7' ? 'DE' : 'FR' },
    })),
  });
  person = await newPerson(browser, world.origin);
  await world.signIn(person, '/console/cohorts');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const menu = async (cohort: string, item: string) => {
  await person.page.getByRole('button', { name: `Actions for ${cohort}` }).click();
  await person.page.getByRole('menuitem', { name: item }).click();
};
const cohort = (cohortName: string) => world.must('get-cohort', { cohortName });

test('a list gets the users of a file in parts, and loses them', async () => {
  const { page } = person;
  await page.getByText(hostile).first().waitFor();
  await page.getByRole('button', { name: 'Create cohort' }).click();
  await page.getByLabel('Name').fill('testers');
  await person.expectAccessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Create cohort' }).click();
  await menu('testers', 'Add users…');
  const rows = Array.from({ length: 45_000 }, (_, id) => `Name ${id},${id + 1}`).join('\n');
  const buffer = Buffer.from(`name,userId\n${rows}\nnobody,x\n`);
  await page
    .getByLabel('File of user ids')
    .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer });
  await page.getByText('45,000 users in users.csv').waitFor();
  await page.getByText('Line 45002: x').waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Add 45,000 users' }).click();
  await page.getByText('45,000 users were added.').waitFor({ timeout: 30_000 });
  expect(await cohort('testers')).toMatchObject({ size: 45_000 });
  await menu('testers', 'Remove users…');
  await page.getByLabel('Or type them').fill('1\n2');
  await page.getByRole('button', { name: 'Remove 2 users' }).click();
  await page.getByText('2 users were removed.').waitFor();
  await page.getByRole('cell', { name: '44,998 users', exact: true }).waitFor();
  expect(await cohort('testers')).toMatchObject({ size: 44_998 });
  person.expectNoComplaint();
});

test('who stops sending users is told how many were added', async () => {
  const { page } = person;
  await menu('testers', 'Add users…');
  const held = Promise.withResolvers<void>();
  const isAdding = '**/api/tools/add-cohort-users';
  await page.route(isAdding, async (route) => {
    await held.promise;
    await route.continue();
  });
  const buffer = Buffer.from(Array.from({ length: 45_000 }, (_, id) => String(100_000 + id)).join('\n'));
  await page
    .getByLabel('File of user ids')
    .setInputFiles({ name: 'users.txt', mimeType: 'text/plain', buffer });
  await page.getByRole('button', { name: 'Add 45,000 users' }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  held.resolve();
  const said = page.getByText(/^Stopped: [\d,]+ users were added\.$/);
  await said.waitFor();
  const { size } = await cohort('testers');
  expect(Number((await said.innerText()).replaceAll(/\D/g, ''))).toBe(Number(size) - 44_998);
  await page.unroute(isAdding);
  person.expectNoComplaint();
});

test('cohorts by percentage and by attributes are created, counted and changed', async () => {
  const { page } = person;
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create cohort' }).click();
  await dialog.getByLabel('Name').fill('germany');
  await dialog.getByRole('button', { name: /Kind/ }).click();
  await page.getByRole('option', { name: 'By attributes' }).click();
  await dialog.getByRole('button', { name: 'Add condition' }).click();
  await dialog.getByLabel('Property').fill('country');
  await dialog.getByLabel('Value', { exact: true }).fill('DE');
  await person.expectAccessible();
  await dialog.getByRole('button', { name: 'Create cohort' }).click();
  await page.getByRole('button', { name: 'Count germany' }).click();
  await page.getByText('1 user of the 3 that the tenant knows.').waitFor();

  await page.getByRole('button', { name: 'Create cohort' }).click();
  await dialog.getByLabel('Name').fill('half');
  await dialog.getByRole('button', { name: /Kind/ }).click();
  await page.getByRole('option', { name: 'Percentage' }).click();
  await dialog.getByLabel('Percent of all users').fill('50');
  await dialog.getByRole('button', { name: 'Create cohort' }).click();
  await menu('half', 'Change…');
  await dialog.getByLabel('Percent of all users').fill('0.001');
  await dialog.getByText('in steps of 0.01').waitFor();
  expect(await dialog.getByRole('button', { name: 'Save cohort' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Percent of all users').fill('60,5');
  await dialog.getByRole('button', { name: 'Save cohort' }).click();
  await page.getByRole('cell', { name: '60.5 % of all users' }).waitFor();
  expect(await cohort('half')).toMatchObject({ percentage: 60.5, seed: 'half' });
  await menu('half', 'Change…');
  await world.must('update-cohort', { cohortName: 'half', percentage: 80 });
  await dialog.getByLabel('Description').fill('Most of them');
  await dialog.getByRole('button', { name: 'Save cohort' }).click();
  await page.getByRole('cell', { name: '80 % of all users' }).waitFor();
  expect(await cohort('half')).toMatchObject({ percentage: 80, description: 'Most of them' });
  await page.getByRole('button', { name: 'Percentage 1' }).click();
  await page.waitForURL(/kind=percentage/);
  await person.expectAccessible();

  await menu('half', 'Delete…');
  await page.getByRole('button', { name: 'Delete cohort' }).click();
  await page.getByText('The cohort half was deleted.').waitFor();
  expect((await world.must('list-cohorts', {}))['total']).toBe(3);
  person.expectNoComplaint('status of 400');
});

/** @see Of two people who changed the same percentage, the second replaced that of the first, and neither heard of it. */
test('what somebody else changed in the same place of a cohort is named before it is replaced', async () => {
  const { page } = person;
  const dialog = page.getByRole('dialog');
  await world.must('create-cohort', { cohortName: 'rollout', kind: 'percentage', percentage: 10 });
  await page.reload();
  await menu('rollout', 'Change…');
  await dialog.getByLabel('Percent of all users').fill('20');
  await world.must('update-cohort', { cohortName: 'rollout', percentage: 50, description: 'Theirs' });
  await dialog.getByRole('button', { name: 'Save cohort' }).click();
  await dialog.getByText('Percent of all users: 50 now').waitFor();
  expect(await cohort('rollout')).toMatchObject({ percentage: 50, description: 'Theirs' });
  expect(await dialog.getByLabel('Percent of all users').inputValue()).toBe('20');
  expect(await dialog.getByLabel('Description').inputValue()).toBe('Theirs');
  await dialog.getByRole('button', { name: 'Save cohort' }).click();
  await page.getByText('The cohort rollout was changed.').first().waitFor();
  expect(await cohort('rollout')).toMatchObject({ percentage: 20, description: 'Theirs' });
  person.expectNoComplaint();
});
