import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { pagesOfPdf } from './pdf-text.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * For whoever reads nothing else: the outcome first, the trend of ten runs, failures with an issue before the others, and who tested. On
 * paper all of it stands on the first A4 page, of the overview and of the report that was shared.
 */

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let projectId: number;
let runId: number;

const services = ['bank', 'stock', 'mail server'];

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  const names = Array.from({ length: 300 }, (_, n) => ({ testName: `Test number ${n}` }));
  const { tests } = await world.must('bulk-add-tests', { projectId, tests: names });
  const testIds = (tests as Array<{ testId: number }>).map(({ testId }) => testId);
  for (let n = 0; n < 12; n++) {
    runId = Number(
      (await world.must('create-run', { projectId, runName: `Release ${n}`, testIds }))['runId'],
    );
    // The last one has failures with long messages: they must not push the answer from the first page.
    const testResults = testIds.map((testId, at) =>
      n === 11 && at >= 60
        ? {
            testId,
            status: 'failed',
            comment: `The ${services[at % 3]} fails ${'and what it said '.repeat(200)}`,
          }
        : { testId, status: at < n ? 'failed' : 'passed' },
    );
    await world.must('run-update-test-status', { projectId, runId, testResults });
  }
  // A run that nobody has begun says nothing.
  await world.must('create-run', { projectId, runName: 'Planned', testIds });
  const links = [{ kind: 'defect', key: 'SHOP-77', url: 'https://jira.example/SHOP-77' }];
  await world.must('add-links', {
    projectId,
    runId,
    testIds: testIds.filter((_, at) => at >= 60 && at % 3 === 2),
    links,
  });
  person = await newPerson(browser, world.origin, { width: 1440, height: 900 });
  await world.signIn(person, `/console/projects/${projectId}/tests`);
}, 90_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const firstPage = async (page: Page) =>
  pagesOfPdf(await page.pdf({ format: 'A4', preferCSSPageSize: true }))[0] ?? '';
const compact = (text: string) => text.replaceAll(/\s/g, '');

test('the overview of a project begins with the outcome', async () => {
  const { page } = person;
  await page.getByRole('link', { name: 'Overview' }).click();
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await outcome.getByText('Failed: 251 of 300 tests').waitFor();
  await outcome.getByRole('link', { name: '251 failing: 241 new since Release 10' }).waitFor();
  await outcome.getByText(/^Tested by You \(300\)\.|^Tested by \S+ \(300\)\./).waitFor();
  const trend = page.getByRole('region', { name: 'Trend' });
  await trend.getByText('Passed in the last 10 runs').waitFor();
  const bars = await trend
    .getByRole('link')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  expect(bars.length).toBe(10);
  expect(bars[0]).toBe('Release 2: 99 % passed');
  expect(bars.at(-1)).toBe('Release 11: 16 % passed');
  // What somebody works on stands first.
  const failures = page.getByRole('region', { name: 'Failures with their issues' }).getByRole('row');
  await failures.nth(1).getByRole('link', { name: 'SHOP-77' }).waitFor();
  await failures.nth(2).getByText('none yet').waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});

test('on paper the first page of the overview holds all of it', async () => {
  const text = await firstPage(person.page);
  for (const part of [
    'Failed: 251 of 300 tests',
    'Passed in the last 10 runs',
    '16 %',
    '(300)',
    'What fails',
    'SHOP-77',
  ])
    expect([part, text.includes(compact(part))]).toEqual([part, true]);
  // Neither the navigation nor its pages.
  expect(text).not.toContain(compact('Project settings'));
});

test('the first page of a report that was shared holds the answer, however long the failures are', async () => {
  const { page } = person;
  const { url } = await world.must('create-share-link', { projectId, runId });
  await page.goto(String(url));
  const text = await firstPage(page);
  const order = [
    'Release 11',
    'Failed: 251 of 300 tests.',
    'Passed in the last 10 runs',
    'Who tested',
    '(300)',
    'Failed, blocked, to be run again',
    'SHOP-77',
  ].map((part) => [part, text.indexOf(compact(part))] as const);
  for (const [part, at] of order) expect([part, at >= 0]).toEqual([part, true]);
  expect(order.map(([, at]) => at)).toEqual(order.map(([, at]) => at).toSorted((a, b) => a - b));
});

test('a shared report fits a telephone, keeps the lines of comments, and says that paper has less', async () => {
  const { page } = person;
  const words = await world.must('create-project', { orgId: 1, projectName: 'Catalogue' });
  const of = { projectId: Number(words['projectId']) };
  const section = 'Catalogue > Recommendations';
  const added = await world.must('bulk-add-tests', {
    ...of,
    create: true,
    tests: [
      { testName: 'Switch personalised offers off in the profile', section },
      { testName: `A word of ${'x'.repeat(120)} letters`, section },
    ],
  });
  const testIds = (added['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
  const made = Number((await world.must('create-run', { ...of, runName: 'Nightly', testIds }))['runId']);
  const trace = `AssertionError: expected 1\n${Array.from({ length: 9 }, (_, at) => `  at line ${at}`).join('\n')}`;
  const testResults = testIds.map((testId) => ({ testId, status: 'failed', comment: trace }));
  await world.must('run-update-test-status', { ...of, runId: made, testResults });
  const { url } = await world.must('create-share-link', { ...of, runId: made });
  await page.goto(String(url));
  for (const width of [1280, 760, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const root = page.locator('html');
    expect([width, await root.evaluate((one) => one.scrollWidth - one.clientWidth)]).toEqual([width, 0]);
    expect(await page.locator('.said').first().innerText()).toBe(trace);
    // A word is torn only if it is longer than its place.
    const place = page.locator('.open td:nth-child(3)').first();
    const torn = await place.evaluate((cell) => {
      const text = cell.firstChild;
      const at = text?.textContent?.indexOf('Recommendations') ?? -1;
      if (text === null || at < 0) return true;
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 'Recommendations'.length);
      return range.getClientRects().length > 1;
    });
    expect([width, torn]).toEqual([width, false]);
  }
  const text = pagesOfPdf(await page.pdf({ format: 'A4', preferCSSPageSize: true })).join('');
  expect(text).toContain(compact('On paper a comment ends after 5 lines.'));
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('a project without a result says what comes first', async () => {
  const { page } = person;
  const empty = await world.must('create-project', { orgId: 1, projectName: 'Empty' });
  await page.goto(`${world.origin}/console/projects/${String(empty['projectId'])}/overview`);
  await page.getByRole('heading', { name: 'No result yet' }).waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});

test('the address of a project without a page is its overview, and going back leaves it', async () => {
  const { page } = person;
  await page.goto(`${world.origin}/console/letters`);
  await page.goto(`${world.origin}/console/projects/1`);
  await page.waitForURL('**/console/projects/1/overview');
  await page.getByRole('region', { name: 'Outcome' }).waitFor();
  await page.goBack();
  await page.waitForURL('**/console/letters');
});
