import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { pagesOfPdf } from './pdf-text.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* What is printed of a list: all of its rows that are loaded, with whole names, and a sentence if that is not the whole list. */

const total = 230;
const long =
  'with a name that is longer than a column of the list on the screen and that is whole on paper, to the last word';

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId: number;
let runId: number;

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  const tests = Array.from({ length: total }, (_, at) => ({ testName: `Test ${at + 1} ${long}` }));
  const added = await world.must('bulk-add-tests', { projectId, tests });
  const testIds = (added['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
  runId = Number((await world.must('create-run', { projectId, runName: 'CI', testIds }))['runId']);
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/tests`, 'sven.lindqvist@shop.example');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

/** The printed text, without spaces. */
const printed = async (): Promise<string> =>
  pagesOfPdf(await ada.page.pdf({ format: 'A4', preferCSSPageSize: true })).join('');

/** Ascending: a file of a printer has its texts in the order in which they are painted. */
const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/Test(\d+)withaname/g)].map(([, number]) => Number(number)).sort((a, b) => a - b);

test('the list of tests is printed with the rows that are loaded, and says that there are more', async () => {
  const { page } = ada;
  await page.getByRole('status').getByText('230 tests').waitFor();
  const text = await printed();
  expect(numbersIn(text)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  expect(text.split('tothelastword').length - 1).toBe(100);
  expect(text).toContain('100of230rowsareprinted.');
  for (const pressed of ['Newtest', 'Words,oraquery', 'Createrun']) expect(text).not.toContain(pressed);
  // The screen is as it was.
  expect(await page.locator('.grid-row').count()).toBeLessThan(60);
  ada.expectNoComplaint();
});

test('Ctrl P reads the rest first', async () => {
  const { page } = ada;
  await page.evaluate(() => {
    const seen = new Promise<void>((resolve) => {
      globalThis.print = resolve;
    });
    Object.assign(globalThis, { seen });
  });
  await page.keyboard.press('Control+p');
  await page.evaluate(() => (globalThis as unknown as { seen: Promise<void> }).seen);
  const text = await printed();
  expect(numbersIn(text)).toEqual(Array.from({ length: total }, (_, at) => at + 1));
  expect(text).not.toContain('rowsareprinted');
  ada.expectNoComplaint();
});

test.each(['Insights', 'Coverage'])(
  '%s: a chart and a table are not cut at the edge of the paper',
  async (name) => {
    const { page } = ada;
    await page.goto(`${world.origin}/console/projects/1/${name.toLowerCase()}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('table').first().waitFor();
    // One that is drawn in the middle of a change of the width follows it a frame later.
    if (name === 'Insights') await page.locator('.line-chart-frame canvas').waitFor();
    await page.setViewportSize({ width: 680, height: 900 });
    await page.emulateMedia({ media: 'print' });
    const wider = await page
      .locator('.main, .table-frame, .line-chart-frame')
      .evaluateAll((parts) => parts.map((part) => part.scrollWidth - part.clientWidth));
    expect(wider.filter((pixels) => pixels > 0)).toEqual([]);
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await printed()).not.toContain('Words,oraquery');
    ada.expectNoComplaint();
  },
);

test('a run is printed with all its tests', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${runId}`);
  await page
    .getByRole('grid', { name: 'Tests of the run' })
    .getByText(/^Test 1 /)
    .waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  const text = await printed();
  expect(numbersIn(text)).toEqual(Array.from({ length: total }, (_, at) => at + 1));
  expect(text).not.toContain('rowsareprinted');
  // Paper does not change by itself.
  expect(text).not.toContain('live');
  ada.expectNoComplaint();
});

/** @see The shared report said "Tom Becker", and the overview "Tested by User 3": the list of people has only members. */
test('who has left the organization is named as who tested, and as the author of a comment', async () => {
  const { page } = ada;
  const run = { projectId: 1, runId: 50 };
  const query = 'status:failed';
  const { tests } = (await world.must('get-run-tests-list', { ...run, query, limit: 1 })) as {
    tests: ReadonlyArray<{ testId: number }>;
  };
  await world.must('remove-member', { orgId: 1, userId: 3 });
  await page.goto(`${world.origin}/console/projects/1/overview`);
  await page.getByText(/^Tested by Tom Becker \(/).waitFor();
  await page.goto(`${world.origin}/console/projects/1/runs/50?test=${tests[0]?.testId}`);
  await page.getByRole('region', { name: 'Comments' }).getByText('Tom Becker').first().waitFor();
  // What they did is found by their name.
  await page.goto(`${world.origin}/console/audit?project=1`);
  await page.getByRole('button', { name: /^Person|Anybody/ }).click();
  await page.getByRole('option', { name: 'Tom Becker' }).click();
  await page.getByRole('region', { name: 'Activity' }).getByText('Tom Becker').first().waitFor();
  ada.expectNoComplaint();
});
