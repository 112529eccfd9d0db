import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId: number;
let testId: number;

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  const made = await world.must('create-test', {
    projectId,
    testName: 'Pay',
    steps: [{ action: 'Open' }, { action: 'Pay', expected: 'Thanks' }],
  });
  testId = Number(made['testId']);
  await world.must('update-test', {
    testId,
    testName: 'Pay by card',
    steps: [{ action: 'Open' }, { action: 'Pay now', expected: 'Thanks' }],
  });
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/tests/${testId}`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const now = async () => world.must('get-test-details', { projectId, testId });

test('the versions of a test are shown with what each changed, and one goes back to an earlier one', async () => {
  const { page } = ada;
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByText('changed name, steps').waitFor();
  await page.getByRole('button', { name: 'What changed in version 2' }).click();
  const panel = page.getByRole('region', { name: 'Test', exact: true });
  for (const [kind, text] of [
    ['del', 'Pay'],
    ['ins', 'Pay by card'],
    ['del', '2. Pay\nExpected: Thanks'],
    ['ins', '2. Pay now\nExpected: Thanks'],
  ] as const)
    await panel.locator(kind).getByText(text, { exact: true }).first().waitFor();
  await ada.expectAccessible();
  await page.getByRole('button', { name: 'Go back to this: version 1' }).click();
  await page.getByRole('heading', { level: 2, name: 'Pay', exact: true }).waitFor();
  expect(await now()).toMatchObject({ testName: 'Pay', version: 3, steps: [{}, { action: 'Pay' }] });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { level: 2, name: 'Pay by card' }).waitFor();
  expect(await now()).toMatchObject({ testName: 'Pay by card', version: 4 });
  // It is so already: there is no write of which this message could be.
  await page.getByRole('button', { name: 'Go back to this: version 2' }).click();
  const said = page.locator('.toast', { hasText: 'The test is as in version 2.' });
  await said.waitFor();
  expect(await said.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  expect(await now()).toMatchObject({ testName: 'Pay by card', version: 4 });
  ada.expectNoComplaint();
});

test('Ctrl Z takes back one change after the other, Redo the last one, and typing keeps its own undo', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  await page.getByRole('grid', { name: 'Tests' }).getByText('Pay by card').waitFor();
  const line = page.getByLabel('Name of a new test');
  for (const name of ['First', 'Second']) {
    await line.fill(name);
    await line.press('Enter');
    await page.getByRole('grid', { name: 'Tests' }).getByText(name, { exact: true }).waitFor();
  }
  await line.press('Control+z');
  const names = async () =>
    ((await world.must('get-tests', { projectId }))['tests'] as Array<{ testName: string }>).map(
      ({ testName }) => testName,
    );
  expect(await names()).toEqual(['Pay by card', 'First', 'Second']);
  await page.getByRole('heading', { level: 1 }).click();
  for (const left of [['Pay by card', 'First'], ['Pay by card']]) {
    await page.keyboard.press('Control+z');
    await page
      .getByText(/^Undone: you created a test \(test \d+\)\.$/)
      .nth(2 - left.length)
      .waitFor();
    expect(await names()).toEqual(left);
  }
  await page.getByRole('button', { name: 'Redo' }).last().click();
  await page.getByText('It is done again.').waitFor();
  expect(await names()).toEqual(['Pay by card', 'First']);
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

test('what somebody else changed since is not taken back, and the page says so', async () => {
  const { page } = ada;
  const line = page.getByLabel('Name of a new test');
  await line.fill('Mine');
  await line.press('Enter');
  await page.getByRole('grid', { name: 'Tests' }).getByText('Mine', { exact: true }).waitFor();
  const [mine] = (await world.must('get-tests', { projectId, query: 'name:Mine' }))['tests'] as Array<{
    testId: number;
  }>;
  await world.must('update-test', { testId: mine?.testId, testDescription: 'theirs' });
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Control+z');
  await page
    .getByRole('region', { name: 'Messages' })
    .getByText(/was changed/)
    .waitFor();
  expect((await world.must('get-test-details', { projectId, testId: mine?.testId }))['deletedAt']).toBeNull();
  ada.expectNoComplaint('status of 409');
});

/** @see Undo in a message took back the newest write, which was the one of the next message. */
test('Undo in a message takes back the write that the message is about', async () => {
  const { page } = ada;
  const shop = Number((await world.must('create-project', { orgId: 1, projectName: 'Two' }))['projectId']);
  await page.goto(`${world.origin}/console/projects/${shop}/tests`);
  const line = page.getByLabel('Name of a new test');
  const messages = page.getByRole('region', { name: 'Messages' });
  for (const name of ['First', 'Second']) {
    await line.fill(name);
    await line.press('Enter');
    await messages.getByText(`Created ${name}`).waitFor();
  }
  await messages
    .locator('.toast')
    .filter({ hasText: 'Created First' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await messages.getByText(/^Undone: you created a test/).waitFor();
  const { tests } = await world.must('get-tests', { projectId: shop });
  expect((tests as Array<{ testName: string }>).map(({ testName }) => testName)).toEqual(['Second']);
  ada.expectNoComplaint();
});

test('a bulk change, a bulk deletion and an import are each taken back by one press', async () => {
  const shop = Number((await world.must('create-project', { orgId: 1, projectName: 'Bulk' }))['projectId']);
  await world.must('bulk-add-tests', {
    projectId: shop,
    tests: Array.from({ length: 60 }, (_, n) => ({ testName: `Case ${n + 1}` })),
  });
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${shop}/tests`);
  const count = async (query?: string) =>
    (await world.must('get-tests', { projectId: shop, ...(query === undefined ? {} : { query }), limit: 1 }))[
      'total'
    ];
  const undo = async () => {
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await page
      .getByText(/^Undone/)
      .last()
      .waitFor();
  };
  const selectAll = async () => {
    await page.getByLabel('Select Case 1', { exact: true }).check();
    await page.getByText('All 60 that are shown').click();
  };
  await selectAll();
  await page.getByRole('button', { name: /Set field/ }).click();
  await page.getByRole('option', { name: 'Priority' }).click();
  await page.getByRole('button', { name: /Value of Priority/ }).click();
  await page.getByRole('option', { name: 'High' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('60 tests were changed.').waitFor();
  expect(await count('priority:High')).toBe(60);
  await undo();
  expect([await count('priority:High'), await count()]).toEqual([0, 60]);

  await page.reload();
  await selectAll();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete tests' }).click();
  await page.getByText(/60 tests were deleted/).waitFor();
  expect(await count()).toBe(0);
  await undo();
  expect(await count()).toBe(60);

  await page.reload();
  await page.getByRole('button', { name: /Actions for tests/i }).click();
  await page.getByRole('menuitem', { name: 'Import…' }).click();
  const rows = Array.from({ length: 40 }, (_, n) => `Imported ${n},New place\n`).join('');
  const file = { name: 'tests.csv', mimeType: 'text/csv', buffer: Buffer.from(`testName,section\n${rows}`) };
  await page.getByLabel('File').setInputFiles(file);
  await page.getByRole('button', { name: 'Import 40 tests' }).click();
  await page.getByText('40 tests were imported.').waitFor();
  expect([await count(), (await world.must('get-sections', { projectId: shop }))['total']]).toEqual([100, 1]);
  await undo();
  expect([await count(), (await world.must('get-sections', { projectId: shop }))['total']]).toEqual([60, 0]);
  ada.expectNoComplaint();
});
