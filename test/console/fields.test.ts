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
  await page.getByRole('button', { name: '(none) Browser' }).click();
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

test('what somebody else has done to a field meanwhile stays, and is joined with what this person did', async () => {
  const { page } = ada;
  const optionsAfter = async (theirs: readonly string[], mine: Readonly<Record<string, string>>) => {
    await page.goto(`${world.origin}/console/projects/${projectId}/settings`);
    await page.getByRole('button', { name: 'Edit Browser' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').waitFor();
    await world.must('edit-field', { projectId, key: 'browser', options: theirs });
    for (const [label, text] of Object.entries(mine)) await dialog.getByLabel(label).fill(text);
    await dialog.getByRole('button', { name: 'Save field' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { fields } = await world.must('list-fields', { projectId });
    return (fields as Array<{ key: string; name: string; options?: string[] }>)
      .filter(({ key }) => key === 'browser')
      .map(({ name, options = [] }) => [name, ...options]);
  };
  expect(await optionsAfter(['Chrome', 'Firefox', 'Edge'], { Name: 'Browser used' })).toEqual([
    ['Browser used', 'Chrome', 'Firefox', 'Edge'],
  ]);
  await world.must('edit-field', { projectId, key: 'browser', name: 'Browser' });
  expect(
    await optionsAfter(['Chrome', 'Firefox', 'Opera'], { Options: 'Safari\nChrome\nFirefox\nEdge' }),
  ).toEqual([['Browser', 'Safari', 'Chrome', 'Firefox', 'Opera']]);
  await world.must('edit-field', { projectId, key: 'browser', options: ['Chrome', 'Firefox'] });
  ada.expectNoComplaint();
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
  // Whoever runs the test sees what it says.
  await page.getByRole('region', { name: 'Selected test' }).locator('dd', { hasText: 'Firefox' }).waitFor();
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

test('own fields are columns of the tests, and are set for several tests at once', async () => {
  const { page } = ada;
  const otherId = Number(
    (await world.must('create-project', { orgId: 1, projectName: 'Tills' }))['projectId'],
  );
  const options = ['Chrome', 'Firefox'];
  for (const field of [
    { key: 'browser', name: 'Browser', kind: 'choice', options },
    { key: 'fits', name: 'Fits', kind: 'boolean' },
    { key: 'expert', name: 'Expert', kind: 'user' },
    { key: 'risk', name: 'Risk', kind: 'number' },
  ])
    await world.must('create-field', { projectId: otherId, ...field });
  const added = await world.must('bulk-add-tests', {
    projectId: otherId,
    tests: [
      { testName: 'Open', fields: { browser: 'Firefox', fits: true, expert: 1, risk: 0.5 } },
      { testName: 'Close', fields: { browser: 'Chrome', fits: false } },
      { testName: 'Count' },
    ],
  });
  const [open, close] = (added['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
  await page.goto(`${world.origin}/console/projects/${otherId}/tests`);
  await page.getByRole('button', { name: 'Actions for tests' }).click();
  await page.getByRole('menuitem', { name: 'Columns…' }).click();
  for (const name of ['Browser', 'Fits', 'Expert', 'Risk'])
    await page.getByRole('dialog').getByText(name, { exact: true }).click();
  await page.getByRole('button', { name: 'Show columns' }).click();
  const rows = () => page.getByRole('grid', { name: 'Tests' }).getByRole('row');
  const cells = async (nth: number) => {
    const texts = await rows().nth(nth).getByRole('gridcell').allInnerTexts();
    return texts.slice(-4).map((text) => text.trim());
  };
  await rows().nth(3).waitFor();
  expect(await cells(1)).toEqual(['Firefox', 'Yes', 'Owner', '0.5']);
  expect(await cells(2)).toEqual(['Chrome', 'No', '–', '–']);
  expect(await cells(3)).toEqual(['–', '–', '–', '–']);
  await ada.expectAccessible();
  await page.getByRole('columnheader', { name: 'Browser' }).getByRole('button').first().click();
  await rows().nth(1).getByText('Close').waitFor();
  expect(new URL(page.url()).searchParams.get('sort')).toBe('cf.browser');
  expect(new URL(page.url()).searchParams.get('columns')).toContain('cf.browser,cf.fits,cf.expert,cf.risk');
  await page.reload();
  await rows().nth(1).getByText('Close').waitFor();
  expect(await cells(2)).toEqual(['Firefox', 'Yes', 'Owner', '0.5']);

  await page.getByRole('combobox', { name: 'Search tests' }).fill('cf.br');
  await page.getByRole('option', { name: 'cf.browser:', exact: true }).click();
  await page.getByRole('combobox', { name: 'Search tests' }).fill('cf.browser:f');
  await page.getByRole('option', { name: 'cf.browser:Firefox' }).click();
  await page.getByText('1 test', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await rows().nth(3).waitFor();
  const filters = page.getByRole('group', { name: 'Filters' });
  await filters.getByRole('button', { name: /^Browser/ }).click();
  await page.getByRole('menuitem', { name: 'Firefox' }).click();
  await page.getByText('1 test', { exact: true }).first().waitFor();
  expect(new URL(page.url()).searchParams.get('query')).toBe('cf.browser:Firefox');
  await filters.getByRole('button', { name: /^Fits/ }).click();
  await page.getByRole('menuitem', { name: 'no', exact: true }).click();
  await page.getByText('No test is found').waitFor();
  await filters.getByRole('button', { name: /^Browser: Firefox/ }).click();
  await page.getByRole('menuitem', { name: 'Any' }).click();
  await rows().nth(1).getByText('Close').waitFor();
  await filters.getByRole('button', { name: /^Fits: no/ }).click();
  await page.getByRole('menuitem', { name: 'Any' }).click();
  await rows().nth(3).waitFor();

  const bar = page.getByRole('region', { name: 'Selected tests' });
  const dialog = page.getByRole('dialog');
  const choose = async (name: string) => {
    await bar.getByRole('button', { name: 'Field' }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  for (const name of ['Select Open', 'Select Close']) await page.getByLabel(name).check();
  await choose('Risk');
  // What was typed stays beside what is wrong with it.
  await dialog.getByLabel('Risk').fill('high');
  await dialog.getByRole('button', { name: 'Set it for 2 tests' }).click();
  await dialog.getByText('"Risk" must be a number.').waitFor();
  expect(await dialog.getByLabel('Risk').inputValue()).toBe('high');
  await dialog.getByLabel('Risk').fill('4');
  await dialog.getByRole('button', { name: 'Set it for 2 tests' }).click();
  await page.getByText('2 tests were changed.').waitFor();
  await choose('Browser');
  await ada.expectAccessible();
  await dialog.getByRole('button', { name: 'Browser' }).click();
  await page.getByRole('option', { name: 'Chrome' }).click();
  await dialog.getByRole('button', { name: 'Browser' }).click();
  await page.getByRole('option', { name: '(none)' }).click();
  await dialog.getByRole('button', { name: 'Clear it for 2 tests' }).click();
  await dialog.waitFor({ state: 'detached' });
  await rows().nth(1).getByTitle('4', { exact: true }).waitFor();
  const valuesOf = async (testId: number | undefined) =>
    (await world.must('get-test-details', { projectId: otherId, testId }))['fields'];
  expect(await valuesOf(open)).toEqual({ fits: true, expert: 1, risk: 4 });
  expect(await valuesOf(close)).toEqual({ fits: false, risk: 4 });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await rows().nth(1).getByText('Chrome').waitFor();
  expect(await valuesOf(close)).toEqual({ browser: 'Chrome', fits: false, risk: 4 });

  await bar.getByText('All 3 that are shown').click();
  await choose('Risk');
  await dialog.getByLabel('Risk').fill('1');
  await dialog.getByRole('button', { name: 'Set it for 3 tests' }).click();
  await page.getByText('3 tests were changed.').waitFor();
  expect(await world.must('get-tests', { projectId: otherId, query: 'cf.risk:1' })).toMatchObject({
    total: 3,
  });
  ada.expectNoComplaint('400');
});
