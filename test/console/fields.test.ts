import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* A field of the project's own in a browser: declared in the settings, filled in a test, found by a search. */

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId = 0;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  await world.must('bulk-add-tests', {
    projectId,
    tests: [{ testName: 'Pay' }, { testName: 'Look around' }],
  });
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/settings`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('a field is declared, filled, searched for, and required of the next test', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Add a field' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Browser');
  await dialog.getByRole('button', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'One of a list' }).click();
  await dialog.getByLabel('Options').fill('Chrome\nFirefox');
  await dialog.getByRole('button', { name: 'Add field' }).click();
  await page.getByText('cf.browser', { exact: true }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add a field' }).click();
  await dialog.getByLabel('Name').fill('Weight');
  await dialog.getByRole('button', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Number' }).click();
  await dialog.getByRole('button', { name: 'Add field' }).click();
  await page.getByText('cf.weight', { exact: true }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await ada.expectAccessible();

  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  await page.getByText('Pay', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('button', { name: 'Browser' }).click();
  await page.getByRole('option', { name: 'Firefox' }).click();
  await page.getByLabel('Weight').fill('heavy');
  await page.getByRole('button', { name: 'Save test' }).click();
  // By the name that the form has, not by the key.
  await page.getByText('"Weight" must be a number.').first().waitFor();
  await page.getByLabel('Weight').fill('2.50');
  await page.getByRole('button', { name: 'Save test' }).click();
  await page.getByText('The test was saved.').first().waitFor();
  await page.locator('dd', { hasText: 'Firefox' }).waitFor();
  await ada.expectAccessible();
  const query = 'cf.browser:firefox cf.weight:>2';
  expect(await world.must('get-tests', { projectId, query })).toMatchObject({
    total: 1,
    tests: [{ testName: 'Pay', fields: { browser: 'Firefox', weight: 2.5 } }],
  });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests?query=${encodeURIComponent(query)}`);
  await page.getByText('1 test', { exact: true }).first().waitFor();

  await world.must('edit-field', { projectId, key: 'weight', required: true });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  await page.getByLabel('Name of a new test').fill('Pay twice');
  await page.getByLabel('Weight (required)').fill('7');
  await page.getByRole('button', { name: 'Create test' }).click();
  await page.getByText('Created Pay twice').first().waitFor();
  expect(await world.must('get-tests', { projectId, query: 'cf.weight:7' })).toMatchObject({ total: 1 });

  // Several names at once have no values of their own: they are not joined to one name.
  await page.getByLabel('Name of a new test').focus();
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'Line A\nLine B\nLine C');
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  });
  await page.getByText('Every test of this project needs "Weight".').first().waitFor();
  expect(await page.getByLabel('Name of a new test').inputValue()).toBe('');
  ada.expectNoComplaint('400');
});

test('a field of results is filled in a run, and stands with the result', async () => {
  const { page } = ada;
  await world.must('create-field', { projectId, key: 'device', name: 'Device', of: 'result', kind: 'text' });
  await world.must('create-field', { projectId, key: 'load', name: 'Load', of: 'result', kind: 'number' });
  const made = (await world.must('create-run-from-query', { projectId, runName: 'Release', query: '' }))[
    'run'
  ] as { runId: number };
  const { runId } = made;
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${runId}`);
  await page.getByRole('group', { name: 'Set the status' }).getByRole('button', { name: 'Failed' }).click();
  await page.getByLabel('Device').fill('iPhone 12');
  await page.getByLabel('Load').fill('much');
  await page.getByRole('button', { name: 'Store fields' }).click();
  // Nothing that was typed is lost by a refusal.
  await page
    .getByText(/load.*number/i)
    .first()
    .waitFor();
  expect(await page.getByLabel('Device').inputValue()).toBe('iPhone 12');
  await page.getByLabel('Load').fill('2.5');
  await page.getByRole('button', { name: 'Store fields' }).click();
  await page.getByRole('region', { name: 'Comments' }).getByText('iPhone 12').waitFor();
  await ada.expectAccessible();
  const testId = Number(new URL(page.url()).searchParams.get('test'));
  const { history } = await world.must('get-test-status-history-in-run', { runId, testId });
  expect(history).toMatchObject([
    { status: 'failed', fields: { device: 'iPhone 12', load: 2.5 } },
    { status: 'failed' },
  ]);
  await page.reload();
  await page.getByRole('region', { name: 'Comments' }).getByText('iPhone 12').waitFor();
  ada.expectNoComplaint('400');
});
