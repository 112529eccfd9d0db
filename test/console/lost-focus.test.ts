import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/** @see After a row or its button was gone, the focus was nowhere: the next Tab began at the top of the page. */
let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId: number;
let testId: number;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  testId = Number((await world.must('create-test', { projectId, testName: 'Pay' }))['testId']);
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/tests/${testId}`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

/** Waits until the focus is in, or on, what a selector names. */
const focusIsAt = (selector: string) =>
  ada.page.waitForFunction(
    (wanted) => document.activeElement !== document.body && document.activeElement?.matches(wanted) === true,
    selector,
    { timeout: 5_000 },
  );

test('after a link is removed, by key, the links have the focus', async () => {
  const { page } = ada;
  const links = page.getByRole('region', { name: 'Links' });
  for (const key of ['SHOP-1', 'SHOP-2']) {
    await links.getByLabel('Key or address').fill(key);
    await page.keyboard.press('Enter');
    await links.getByRole('button', { name: `Remove the link ${key}` }).waitFor();
  }
  await links.getByRole('button', { name: 'Remove the link SHOP-1' }).focus();
  await page.keyboard.press('Enter');
  await links.getByText('SHOP-1').waitFor({ state: 'detached' });
  await focusIsAt('section:has(.evidence-form)');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'Remove the link SHOP-2',
  );
});

test('after a file is deleted the files have it', async () => {
  const { page } = ada;
  const files = page.getByRole('region', { name: 'Files' });
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
  await files.locator('input[type=file]').setInputFiles(file);
  await files.getByRole('button', { name: 'Delete the file a.txt' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Delete file', exact: true }).focus();
  await page.keyboard.press('Enter');
  await files.getByText('a.txt').waitFor({ state: 'detached' });
  await focusIsAt('.evidence-drop');
});

test('after a row of a table is gone the table has it', async () => {
  const { page } = ada;
  for (const name of ['One', 'Two']) await world.createToken('ada@example.org', '--name', name);
  await page.goto(`${world.origin}/console/tokens`);
  await page.getByRole('button', { name: 'Revoke One' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Revoke token' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Revoke One' }).waitFor({ state: 'detached' });
  await focusIsAt('.table-frame');
});

/** @see With the last row the table went, and the focus was nowhere: what deletes reloads the list only after its dialog has closed. */
test('after the last row of a table is gone the page has it', async () => {
  const { page } = ada;
  await world.must('create-cohort', { cohortName: 'beta', kind: 'list' });
  await page.goto(`${world.origin}/console/cohorts`);
  const actions = page.getByRole('button', { name: 'Actions for beta' });
  await actions.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Delete…' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Delete cohort' }).focus();
  await page.keyboard.press('Enter');
  await actions.waitFor({ state: 'detached' });
  await focusIsAt('main');
  ada.expectNoComplaint();
});

test('after a dialog whose button is gone the page has it', async () => {
  const { page } = ada;
  const { runId } = await world.must('create-run', { projectId, runName: 'Nightly', testIds: [testId] });
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${String(runId)}`);
  await page.getByRole('button', { name: 'actions for the run' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete run' }).click();
  await page.getByText('Nightly was deleted.').waitFor();
  await focusIsAt('main');
  await ada.expectAccessible();
  // The run is asked for once more before the page is left.
  ada.expectNoComplaint('status of 404');
});

/** @see Whoever reached Undo by the Tab key lost it, and the focus, after six seconds. */
test('a message stays while its button has the focus', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  await page.getByLabel('Name of a new test').fill('Undo me');
  await page.keyboard.press('Enter');
  const undo = page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' });
  await undo.focus();
  await Bun.sleep(7_000);
  await page.keyboard.press('Enter');
  await page.getByText(/^Undone: you created a test/).waitFor();
  await page
    .getByRole('region', { name: 'Messages' })
    .locator('.toast')
    .first()
    .waitFor({ state: 'detached', timeout: 12_000 });
  ada.expectNoComplaint();
});
