import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { temporaryDirectory } from '../temporary.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* A spreadsheet of somebody else in a browser: its columns are mapped, looked at, imported, and the import is taken back. */

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId = 0;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  await world.must('create-field', { projectId, key: 'risk', name: 'Risk', kind: 'text' });
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/tests`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const openImport = async () => {
  await ada.page.getByRole('button', { name: 'More' }).click();
  await ada.page.getByRole('menuitem', { name: 'Import…' }).click();
  return ada.page.getByRole('dialog');
};
const csvFile = (name: string, content: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(content),
});
const chooseAnyCsv = async () => {
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Format' }).click();
  await ada.page.getByRole('option', { name: 'Any other CSV' }).click();
};

test('columns of a table are mapped, the tests imported and taken back', async () => {
  const { page } = ada;
  const dialog = await openImport();
  const csv = 'No;Case name;Danger;Remarks\n1;Pay by card;high;old\n2;Pay by voucher;low;new\n';
  await dialog.getByLabel('File').setInputFiles(csvFile('cases.csv', csv));
  await chooseAnyCsv();
  const map = async (column: string, to: string) => {
    await dialog.getByRole('button', { name: `Where ${column} goes` }).click();
    await page.getByRole('option', { name: to, exact: true }).click();
  };
  await dialog.getByText('No column goes to "Name".').waitFor();
  expect(await dialog.getByText('choose it again').count()).toBe(0);
  await map('Case name', 'Name');
  await map('Danger', 'Risk (cf.risk)');
  await dialog.getByText('importing this file again adds them again').waitFor();
  await map('No', 'Id in the other product');
  await dialog.getByText('importing this file again adds them again').waitFor({ state: 'detached' });
  await map('Remarks', 'Leave out');
  await dialog.getByText('2 tests').first().waitFor();
  await ada.expectAccessible();
  await dialog.getByRole('button', { name: 'Import 2 tests' }).click();
  await page.getByText('2 tests were imported.').first().waitFor();
  expect(await world.must('get-tests', { projectId, query: 'cf.risk:high' })).toMatchObject({
    total: 1,
    tests: [{ testName: 'Pay by card', fields: { risk: 'high' } }],
  });
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await page.getByText('No test yet').first().waitFor();
  expect(await world.must('get-tests', { projectId })).toMatchObject({ total: 0 });
  ada.expectNoComplaint();
});

test('a repaired file is chosen again under its name; a fault names the column', async () => {
  const { page } = ada;
  const path = join(temporaryDirectory('import'), 'again.csv');
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  const dialog = await openImport();
  writeFileSync(path, 'Case name;Danger\n;high\nPay by invoice;low\n');
  const choose = async () => {
    const chooser = page.waitForEvent('filechooser');
    await dialog.getByLabel('File').click();
    await (await chooser).setFiles(path);
  };
  await choose();
  await chooseAnyCsv();
  await dialog.getByRole('button', { name: 'Where Case name goes' }).click();
  await page.getByRole('option', { name: 'Name', exact: true }).click();
  await dialog.getByText('Row 2: "Case name" is required.').waitFor();
  writeFileSync(path, 'Case name;Danger\nPay by cheque;high\nPay by invoice;low\n');
  await choose();
  await dialog.getByRole('button', { name: 'Import 2 tests' }).waitFor();
  expect(await dialog.getByRole('alert').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  ada.expectNoComplaint();
});

/** @see The answer for a large file came after that for the small one chosen instead: the dialog showed the first and imported the second. */
test('what is shown is of the file that was chosen last', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  const dialog = await openImport();
  let answerFirst = () => {};
  const held = new Promise<void>((resolve) => (answerFirst = resolve));
  await page.route('**/api/tools/import-tests', async (route) => {
    if (route.request().postData()?.includes('Large') === true) await held;
    await route.continue();
  });
  const choose = (name: string, rows: string) =>
    dialog.getByLabel('File').setInputFiles(csvFile(name, `Title\n${rows}`));
  const asked = page.waitForRequest('**/api/tools/import-tests');
  await choose('large.csv', 'Large 1\nLarge 2\nLarge 3\n');
  await asked;
  await choose('small.csv', 'Small\n');
  await dialog.getByRole('button', { name: 'Import 1 test' }).waitFor();
  const answered = page.waitForResponse('**/api/tools/import-tests');
  answerFirst();
  await answered;
  await Bun.sleep(200);
  expect(await dialog.getByRole('button', { name: 'Import 1 test' }).isEnabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/api/tools/import-tests');
  ada.expectNoComplaint();
});

/** @see The message about an import that changed nothing had an Undo, which took back the import before: all tests were deleted. */
test('of a file that is imported again, Undo does not take back the first import', async () => {
  const { page } = ada;
  const content = 'Title,External id\nPay twice,1\nPay thrice,2\n';
  await world.must('import-tests', { projectId, content, format: 'table' });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  const dialog = await openImport();
  await dialog.getByLabel('File').setInputFiles(csvFile('again.csv', content));
  await chooseAnyCsv();
  await dialog.getByText('2 left as they are').waitFor();
  await dialog.getByRole('button', { name: 'Import 2 tests' }).click();
  const said = page.locator('.toast', { hasText: '2 tests were imported.' });
  await said.getByText('2 left as they are').waitFor();
  expect(await said.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  ada.expectNoComplaint();
});

/** @see A label that somebody had renamed since the preview came back without a word; a page that was left ended the import without a question. */
test('what came with the tests is named, and the browser asks before it leaves the page during an import', async () => {
  const { page } = ada;
  const { labels } = (await world.must('add-labels', { projectId, labels: ['smoke'] })) as {
    labels: ReadonlyArray<{ readonly labelId: number }>;
  };
  const dialog = await openImport();
  await dialog.getByLabel('File').setInputFiles(csvFile('more.csv', 'Name,Labels\nPay by cheque,smoke\n'));
  await dialog.getByText('1 test would be added.').waitFor();
  await world.must('edit-metadata', { projectId, kind: 'label', id: labels[0]?.labelId, name: 'quick' });
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/tools/import-tests', async (route) => {
    await isAnswered;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Import 1 test' }).click();
  await dialog.getByText('The tests are being imported.').waitFor();
  await page.keyboard.press('Escape');
  let asked = '';
  page.once('dialog', (question) => {
    asked = question.type();
    void question.dismiss();
  });
  await page.reload({ timeout: 2_000 }).catch(() => {});
  expect(asked).toBe('beforeunload');
  answer();
  await page.getByText('1 test was imported. Added with them: 1 label.').first().waitFor();
  await page.unroute('**/api/tools/import-tests');
});
