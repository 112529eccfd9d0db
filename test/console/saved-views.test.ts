import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* Queries under a name: a person saves one for everybody, another chooses it, and both keep their own. */

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let ben: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
  await world.member('ben@example.org');
  ada = await newPerson(browser, world.origin, { width: 1440, height: 900 });
  ben = await newPerson(browser, world.origin, { width: 1280, height: 800 });
  await world.signIn(ada, '/console/projects/1/tests');
  await world.signIn(ben, '/console/projects/1/tests', 'ben@example.org');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const menu = ({ page }: Person) => page.getByRole('button', { name: /saved views$/ });
const choose = async (person: Person, name: string | RegExp) => {
  await menu(person).click();
  await person.page.getByRole('menuitem', { name }).click();
};
const saveAs = async (person: Person, name: string, shared = false) => {
  const { page } = person;
  await choose(person, 'Save this search…');
  const dialog = page.getByRole('dialog', { name: 'Save this search' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  // The box itself is drawn: its label is what a person presses.
  if (shared) await dialog.getByText('Everybody in the project sees it').click();
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
};
const search = async ({ page }: Person, query: string) => {
  const box = page.getByRole('combobox', { name: /^Search/ });
  await box.fill(query);
  await page.waitForURL((url) => url.searchParams.get('query') === query);
  await page.keyboard.press('Escape');
};

test('a search is saved with its section and its order, and chosen again by another person', async () => {
  await menu(ada).click();
  await ada.page.getByRole('menuitem', { name: 'Search first, then save the search here' }).waitFor();
  await ada.page.keyboard.press('Escape');
  await search(ada, 'last:failed priority:High');
  await ada.page.goto(`${ada.page.url()}&sort=name`);
  await saveAs(ada, 'Red and urgent', true);
  await ada.page.getByRole('button', { name: 'Red and urgent, saved views' }).waitFor();
  await ada.expectAccessible();

  await ben.page.reload();
  await choose(ben, /^Red and urgent \(by /);
  const box = ben.page.getByRole('combobox', { name: 'Search tests' });
  await ben.page.waitForURL(/query=/);
  expect(await box.inputValue()).toBe('last:failed priority:High sort:name');
  const { total } = await world.must('get-tests', {
    projectId: 1,
    query: 'last:failed priority:High',
    limit: 1,
  });
  await ben.page
    .locator('[role=status]')
    .getByText(`${Number(total)} tests`, { exact: true })
    .waitFor();
  ada.expectNoComplaint();
  ben.expectNoComplaint();
});

test('what one saves for oneself, others do not see', async () => {
  await search(ben, 'label:smoke');
  await saveAs(ben, 'Smoke');
  await ada.page.reload();
  await menu(ada).click();
  await ada.page.getByRole('menuitem', { name: /Red and urgent/ }).waitFor();
  expect(await ada.page.getByRole('menuitem', { name: 'Smoke' }).count()).toBe(0);
  await ada.page.keyboard.press('Escape');
});

test('saving under the same name replaces it; it is renamed, deleted and brought back', async () => {
  const { page } = ben;
  await search(ben, 'label:smoke last:failed');
  await choose(ben, 'Save this search…');
  const saving = page.getByRole('dialog', { name: 'Save this search' });
  await saving.getByRole('textbox', { name: 'Name' }).fill('SMOKE');
  await saving.getByText('You have a view of this name. It is replaced: label:smoke').waitFor();
  await ben.expectAccessible();
  await saving.getByRole('button', { name: 'Replace the view' }).click();
  await saving.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'SMOKE, saved views' }).waitFor();

  await choose(ben, 'Change or delete views…');
  const list = page.getByRole('dialog', { name: 'Saved views' });
  // Of others, only an administrator changes what is shared.
  expect(await list.getByRole('button', { name: 'Change the view Red and urgent' }).count()).toBe(0);
  await ben.expectAccessible();
  await list.getByRole('button', { name: 'Change the view SMOKE' }).click();
  const changing = page.getByRole('dialog', { name: 'Change the view SMOKE' });
  await changing.getByRole('textbox', { name: 'Name' }).fill('Red smoke');
  await changing.getByRole('textbox', { name: 'Query' }).fill('label:smoke nonsense:1');
  await changing.getByRole('button', { name: 'Save view' }).click();
  // What the server refuses is said, and nothing that was typed is lost.
  await changing.getByText('There is no field "nonsense" here').waitFor();
  await changing.getByRole('textbox', { name: 'Query' }).fill('label:smoke last:failed');
  await changing.getByRole('button', { name: 'Save view' }).click();
  await changing.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Red smoke, saved views' }).waitFor();

  await choose(ben, 'Change or delete views…');
  await list.getByRole('button', { name: 'Delete the view Red smoke' }).click();
  await list.getByText('Red smoke').waitFor({ state: 'detached' });
  await page.getByText('The view Red smoke was deleted.').waitFor();
  await list.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Red smoke, saved views' }).waitFor();
  ben.expectNoComplaint('400 (Bad Request)');
});

test('a new name for a shared view leaves the query that somebody else has given it meanwhile', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/1/tests`);
  await choose(ada, 'Change or delete views…');
  await page.getByRole('button', { name: 'Change the view Red and urgent' }).click();
  const changing = page.getByRole('dialog', { name: 'Change the view Red and urgent' });
  await changing.getByRole('textbox', { name: 'Name' }).fill('Red');
  const shared = async () => {
    const { views } = await world.must('list-views', { projectId: 1, surface: 'tests' });
    return (views as Array<{ viewId: number; name: string; query: string; shared: boolean }>).find(
      (view) => view.shared,
    );
  };
  const before = await shared();
  const theirs = { projectId: 1, surface: 'tests', viewId: before?.viewId, name: before?.name };
  await world.must('save-view', { ...theirs, query: 'last:failed label:smoke' });
  await changing.getByRole('button', { name: 'Save view' }).click();
  await changing.waitFor({ state: 'detached' });
  expect(await shared()).toMatchObject({ name: 'Red', query: 'last:failed label:smoke', shared: true });
  ada.expectNoComplaint();
});

test('the pages of runs and of one run have their own', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/1/runs`);
  await search(ada, 'status:active');
  await saveAs(ada, 'Open runs', true);
  await page.getByRole('button', { name: 'Open runs, saved views' }).waitFor();
  await menu(ada).click();
  expect(await page.getByRole('menuitem', { name: /Red and urgent/ }).count()).toBe(0);
  await page.keyboard.press('Escape');
  const { runs } = await world.must('get-runs', { projectId: 1, query: 'sort:created-desc', limit: 1 });
  await page.goto(`${world.origin}/console/projects/1/runs/${(runs as Array<{ runId: number }>)[0]?.runId}`);
  await search(ada, 'status:untested assigned:none');
  await saveAs(ada, 'Nobody has them');
  await page.getByRole('button', { name: 'Nobody has them, saved views' }).waitFor();
  await ada.expectAccessible();
  ada.expectNoComplaint();
});
