import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, phone, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * What fails, what of it is new, and why: from Home or a run to the cause in at most two clicks, with the stack once and the frames of the
 * project first, and one press for all tests of a cause.
 */

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId: number;
let first: number;
let second: number;

const stack = [
  'Error: the card service answered 503',
  '    at Proxy.equal (/app/node_modules/chai/index.js:1706:3)',
  '    at processTicksAndRejections (node:internal/process/task_queues:95:5)',
  '    at pay (/app/src/checkout/pay.ts:41:7)',
].join('\n');

const failure = (text: string) => `<failure message="${text.split('\n')[0]}"><![CDATA[${text}]]></failure>`;
const junit = (cases: Readonly<Record<string, string | null>>) =>
  `<testsuite name="shop">${Object.entries(cases)
    .map(
      ([name, text]) =>
        `<testcase classname="shop" name="${name}">${text === null ? '' : failure(text)}</testcase>`,
    )
    .join('')}</testsuite>`;

const upload = async (buildNumber: string, branch: string, cases: Readonly<Record<string, string | null>>) =>
  Number(
    (
      await world.must('ingest-results', {
        projectId,
        files: [{ name: 'junit.xml', content: junit(cases) }],
        runKey: `${branch} ${buildNumber}`,
        runName: `CI #${buildNumber} · ${branch}`,
        branch,
        workflow: 'CI',
        create: true,
      })
    )['runId'],
  );

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  first = await upload('424', 'main', {
    open: null,
    'pay by card': null,
    'pay later': null,
    search: 'no hit',
  });
  // Another branch runs in between: it is not what main is compared with.
  await upload('7', 'feature', {
    open: 'broken',
    'pay by card': stack,
    'pay later': stack,
    search: 'no hit',
  });
  second = await upload('425', 'main', {
    open: null,
    'pay by card': stack,
    'pay later': stack,
    search: 'no hit',
  });
  ada = await newPerson(browser, world.origin, { width: 1440, height: 900 });
  await world.signIn(ada, '/console/');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const runAddress = (runId: number) => `${world.origin}/console/projects/${projectId}/runs/${runId}`;

test('from Home the cause is one click away: the message, and the frames of the project before those of libraries', async () => {
  const { page } = ada;
  const table = page.getByRole('region', { name: 'Runs in which tests newly fail' });
  await table.getByRole('link', { name: '3 failing: 2 new since #424' }).click();
  const groups = page.getByRole('list', { name: 'Failures by message' });
  const newest = groups.getByRole('listitem').filter({ hasText: '2 new' }).first();
  await newest.getByText('the card service answered 503').waitFor();
  const own = newest.getByLabel('Frames of the project');
  expect(await own.innerText()).toBe('at pay (/app/src/checkout/pay.ts:41:7)');
  expect(await own.isVisible()).toBe(true);
  // Once: equal errors are one group.
  expect(await groups.getByText('the card service answered 503').count()).toBe(1);
  expect(await newest.getByText('node_modules').isVisible()).toBe(false);
  await newest.getByText('2 frames of libraries').click();
  expect(await newest.getByText('node_modules').isVisible()).toBe(true);
  // The panel shows a test of it.
  await page.getByRole('heading', { level: 2, name: 'pay by card' }).waitFor();
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

test('from a run it is one click, too, and a second shows another of its tests', async () => {
  const { page } = ada;
  await page.goto(runAddress(second));
  let clicks = 0;
  const click = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).last().click();
    clicks++;
  };
  await click('3 failing: 2 new since #424');
  await page.getByText('the card service answered 503').first().waitFor();
  expect(clicks).toBeLessThanOrEqual(2);
  await click('pay later');
  await page.getByRole('heading', { level: 2, name: 'pay later' }).waitFor();
  // The address follows, so that a reload and a link show the same.
  const { tests } = await world.must('get-tests', { projectId, query: '"pay later"' });
  await page.waitForURL(new RegExp(`test=${(tests as Array<{ testId: number }>)[0]?.testId}\\b`));
  await page.reload();
  await page.getByRole('heading', { level: 2, name: 'pay later' }).waitFor();
  process.stdout.write(`figure: clicks from a run to the cause: 1; from Home: 1\n`);
  ada.expectNoComplaint();
});

test('the last results lead to their runs, by click and by key', async () => {
  const { page } = ada;
  const strip = page.getByRole('list', { name: 'Last results, the oldest first' });
  await strip.getByRole('link', { name: /^Failed in CI #425/ }).focus();
  await page.keyboard.press('ArrowLeft');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(
    /^Failed in CI #7/,
  );
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`runs/${first}\\b`));
  await page.getByRole('heading', { level: 1, name: 'CI #424 · main' }).waitFor();
  await page.getByRole('heading', { level: 2, name: 'pay later' }).waitFor();
  await strip.getByRole('link', { name: /^Failed in CI #425/ }).click();
  await page.waitForURL(new RegExp(`runs/${second}\\b`));
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

test('all tests of a cause get a defect and a quarantine at once', async () => {
  const { page } = ada;
  await page.goto(`${runAddress(second)}?view=failures`);
  const group = page
    .getByRole('list', { name: 'Failures by message' })
    .getByRole('listitem')
    .filter({ hasText: '2 new' })
    .first();
  await group.getByRole('button', { name: 'Link a defect…' }).click();
  await page.getByRole('dialog').getByLabel('Key or address').fill('SHOP-77');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await group.getByText('SHOP-77').waitFor();
  await group.getByRole('button', { name: 'Quarantine…' }).click();
  await page.getByRole('dialog').getByLabel('Why').fill('The card service is down');
  // Two of four tests are more than the share that a project usually has.
  await page.getByRole('dialog').getByText('Also if more than 5 %').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Put into quarantine' }).click();
  await page.getByText('2 tests in quarantine.').waitFor();
  await group.getByText('2 in quarantine').waitFor();
  expect(await world.must('list-links', { projectId, runId: second, kind: 'defect' })).toMatchObject({
    total: 2,
  });
  expect(await world.must('list-quarantined', { projectId })).toMatchObject({ total: 2 });
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

test('a run without an earlier one says only what fails, and asks for nothing that is refused', async () => {
  const { page } = ada;
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(response.url());
  });
  await page.goto(runAddress(first));
  await page.getByRole('link', { name: '1 failing', exact: true }).click();
  await page.getByText('no hit').first().waitFor();
  await page.getByRole('tab', { name: 'New and fixed' }).click();
  await page.getByRole('heading', { name: 'There is no run to compare with' }).waitFor();
  expect(refused).toEqual([]);
  // Any other run can be chosen nevertheless, by its name and its time.
  await page.getByRole('button', { name: 'Compare with another run' }).click();
  await page.getByRole('option', { name: /^CI #425 · main, .*\d:\d\d/ }).click();
  await page.getByText('Compared with CI #425 · main').waitFor();
  // Also after the chosen one is gone.
  await page.goto(`${runAddress(second)}?view=compare&against=999`);
  await page.getByText('There is no run 999.').waitFor();
  await page.getByRole('button', { name: 'Compare with another run' }).click();
  await page.getByRole('option', { name: 'The last run like it' }).click();
  await page.getByText('Compared with CI #424 · main').waitFor();
  ada.expectNoComplaint('404');
});

test('the line follows results that are set', async () => {
  const { page } = ada;
  await page.goto(runAddress(second));
  await page.getByRole('link', { name: '3 failing: 2 new since #424' }).waitFor();
  const { tests } = await world.must('get-run-tests-list', { projectId, runId: second, query: 'search' });
  const [search] = tests as Array<{ testId: number }>;
  const testResults = [{ testId: search?.testId, status: 'passed' }];
  await world.must('run-update-test-status', { projectId, runId: second, testResults });
  await page.getByRole('link', { name: '2 failing: 2 new since #424' }).waitFor();
  ada.expectNoComplaint();
});

test('the first failure of a run is compared, too, although the page asks before the server has it', async () => {
  const { page } = ada;
  const names = ['open', 'pay by card', 'pay later', 'search'];
  const runId = await upload('426', 'main', Object.fromEntries(names.map((name) => [name, null])));
  await page.route('**/run-update-test-status', async (route) => {
    await Bun.sleep(800);
    await route.continue();
  });
  await page.goto(runAddress(runId));
  await page.getByRole('row', { name: /^open/ }).click();
  await page.keyboard.press('F');
  await page.getByRole('link', { name: '1 failing: 1 new since #425' }).waitFor();
  await page.unroute('**/run-update-test-status');
  ada.expectNoComplaint();
});

test('on a telephone, too: a tap on a test shows it', async () => {
  const one = await newPerson(browser, world.origin, phone);
  const { page } = one;
  await world.signIn(one, `/console/projects/${projectId}/runs/${second}`);
  await page.getByRole('link', { name: '2 failing: 2 new since #424' }).tap();
  await page.getByText('the card service answered 503').first().waitFor();
  await page.getByRole('list', { name: 'Its tests' }).getByRole('link', { name: 'pay later' }).tap();
  const title = page.getByRole('heading', { level: 2, name: 'pay later' });
  await title.waitFor();
  expect((await title.boundingBox())?.y).toBeLessThan(400);
  await page.goBack();
  await page.getByRole('list', { name: 'Failures by message' }).waitFor();
  await one.expectAccessible();
  one.expectNoComplaint();
  await one.context.close();
});
