import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let projectId: number;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  person = await newPerson(browser, world.origin);
  await world.signIn(person, `/console/projects/${projectId}/settings`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

async function labelsNow() {
  const { labels } = await world.must('get-labels', { projectId });
  return labels as ReadonlyArray<{ readonly labelId: number; readonly labelName: string }>;
}

async function choose(name: string, action: string): Promise<void> {
  const { page } = person;
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

const confirm = (name: string) =>
  person.page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

test('name and description are changed, and the project is deactivated and activated', async () => {
  const { page } = person;
  await page.getByLabel('Name', { exact: true }).fill(hostile);
  await page.getByLabel('Description').fill(`The shop ${hostile}`);
  await page.getByRole('button', { name: 'Save project' }).click();
  await page.getByText('The project was saved.').waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Deactivate project…' }).click();
  await person.expectAccessible();
  await confirm('Deactivate project');
  await page.getByText('This project is inactive').waitFor();
  await page.getByText('Inactive project: it can only be read.').waitFor();
  await person.expectAccessible();
  expect(await page.getByRole('button', { name: 'Add labels' }).count()).toBe(0);
  expect(await world.must('get-project-detail', { projectId })).toMatchObject({
    projectName: hostile,
    projectDescription: `The shop ${hostile}`,
    isActive: false,
  });
  await page.getByRole('button', { name: 'Activate project…' }).click();
  await confirm('Activate project');
  await page.getByRole('button', { name: 'Add labels' }).waitFor();
  person.expectNoComplaint();
});

test('what is typed while the project is being saved stays typed', async () => {
  const { page } = person;
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await page.route('**/api/tools/edit-project', async (route) => {
    asked.resolve();
    await answered.promise;
    await route.continue();
  });
  const description = page.getByLabel('Description');
  await description.fill('One');
  await page.getByRole('button', { name: 'Save project' }).click();
  await asked.promise;
  await description.fill('One and two');
  answered.resolve();
  await page.getByText('The project was saved.').waitFor();
  expect(await description.inputValue()).toBe('One and two');
  await page.unroute('**/api/tools/edit-project');
  // The driver may tell of the first answer only now.
  const stored = page.waitForResponse((response) =>
    (response.request().postData() ?? '').includes('One and two'),
  );
  await page.getByRole('button', { name: 'Save project' }).click();
  await stored;
  expect(await world.must('get-project-detail', { projectId })).toMatchObject({
    projectDescription: 'One and two',
  });
  person.expectNoComplaint();
});

test('whoever changes the description leaves the project the name that somebody else gave it', async () => {
  const { page } = person;
  await world.must('edit-project', { projectId, projectName: 'Shop of somebody else' });
  await page.getByLabel('Description').fill('Three');
  await page.getByRole('button', { name: 'Save project' }).click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('input')].some(({ value }) => value === 'Shop of somebody else'),
  );
  expect(await world.must('get-project-detail', { projectId })).toMatchObject({
    projectName: 'Shop of somebody else',
    projectDescription: 'Three',
  });
  person.expectNoComplaint();
});

test('by keys, the choice of whose changes need a review keeps the focus', async () => {
  const { page } = person;
  await page.getByRole('radio', { name: /^Nobody/ }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByText('The setting was saved.').waitFor();
  await page.getByRole('radio', { name: /^Those of agents/, checked: true }).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.getByRole('radio', { name: /^Nobody/, checked: true }).waitFor();
  expect((await world.must('get-project-detail', { projectId }))['review']).toBe('off');
  person.expectNoComplaint();
});

test('labels are added, renamed, merged and deleted, with the tests that have them', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'Add labels' }).click();
  await page.getByLabel('Names').fill(`smoke\nslow\n${hostile}\nsmoke`);
  await confirm('Add labels');
  await page.getByRole('status').getByText('3 labels', { exact: true }).waitFor();
  await choose('slow', 'Rename…');
  await page.getByRole('dialog').getByLabel('Name').fill('nightly');
  await confirm('Rename label');
  await page.getByRole('cell', { name: 'nightly', exact: true }).waitFor();
  const labels = [(await labelsNow()).find(({ labelName }) => labelName === 'nightly')?.labelId];
  await world.must('create-test', { projectId, testName: 'Pay', labels });
  await choose('nightly', 'Merge into another…');
  await page.getByText('replaces it in 1 test').waitFor();
  await page.getByRole('button', { name: /The label that stays/ }).click();
  await page.getByRole('option', { name: 'smoke' }).click();
  await person.expectAccessible();
  await confirm('Merge labels');
  await page.getByRole('cell', { name: 'nightly', exact: true }).waitFor({ state: 'detached' });
  expect(await world.must('get-tests', { projectId, query: 'label:smoke' })).toMatchObject({ total: 1 });
  await choose('smoke', 'Delete…');
  await page.getByRole('dialog').getByText('1 test').waitFor();
  await page.getByRole('dialog').getByRole('listitem').getByText('Pay').waitFor();
  await person.expectAccessible();
  await confirm('Delete label');
  await page.getByRole('cell', { name: 'smoke', exact: true }).waitFor({ state: 'detached' });
  expect((await labelsNow()).map(({ labelName }) => labelName)).toEqual([hostile]);
  person.expectNoComplaint();
});

test('a name that is taken is refused in the dialog, and what was typed stays', async () => {
  const { page } = person;
  await page.getByRole('tab', { name: 'Priorities' }).click();
  await page.waitForURL(/list=priority/);
  await choose('High', 'Rename…');
  await page.getByRole('dialog').getByLabel('Name').fill('Low');
  await confirm('Rename priority');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Low');
  await page.getByRole('button', { name: 'Cancel' }).click();
  person.expectNoComplaint('status of 409');
});

test('squads and values of a classification are added', async () => {
  const { page } = person;
  await page.getByRole('tab', { name: 'Squads' }).click();
  await page.getByText('No squad yet').waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Add squads' }).click();
  await page.getByLabel('Names').fill('Web');
  await confirm('Add squads');
  await page.getByRole('cell', { name: 'Web', exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Platforms' }).click();
  await page.getByRole('button', { name: 'Add platforms' }).click();
  await page.getByLabel('Names').fill('Watch');
  await confirm('Add platforms');
  await page.getByRole('cell', { name: 'Watch', exact: true }).waitFor();
  expect(await world.must('get-squads', { projectId })).toMatchObject({ squads: [{ squadName: 'Web' }] });
  const { platforms } = await world.must('get-platforms', { projectId });
  expect(platforms).toContainEqual(expect.objectContaining({ platformName: 'Watch' }));
  person.expectNoComplaint();
});

test('a reader sees the settings and is offered no change', async () => {
  const email = 'rita@example.org';
  await world.link(email);
  const { users } = await world.must('get-all-users', { orgId: 1 });
  const rita = (users as ReadonlyArray<{ userId: number; email: string }>).find(
    (user) => user.email === email,
  );
  await world.must('set-user-role', { orgId: 1, userId: rita?.userId, role: 'reader' });
  const reader = await newPerson(browser, world.origin, { width: 360 });
  await world.signIn(reader, `/console/projects/${projectId}/settings`, email);
  await reader.page.getByText('Administrators of the organization change these.').waitFor();
  await reader.page.getByRole('cell', { name: hostile }).waitFor();
  expect(
    await reader.page.getByRole('button', { name: /^(?:Add|Save|Deactivate|Actions for <)/ }).count(),
  ).toBe(0);
  await reader.expectAccessible();
  reader.expectNoComplaint();
  await reader.context.close();
});
