import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { dayText } from '../../modules/console/app/design/time.tsx';
import { newPerson, nextFrames, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let projectId: number;
let address: string;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  address = `${world.origin}/console/projects/${projectId}/insights`;
  person = await newPerson(browser, world.origin);
  await world.signIn(person, `/console/projects/${projectId}/insights`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

async function makeTest(testName: string, section: string): Promise<number> {
  return Number((await world.must('create-test', { projectId, testName, section, create: true }))['testId']);
}

/** A run in which each test has the given status. */
async function ran(statuses: ReadonlyMap<number, string>): Promise<void> {
  const run = await world.must('create-run', { projectId, runName: 'Run', testIds: [...statuses.keys()] });
  const testResults = [...statuses].map(([testId, status]) => ({ testId, status }));
  await world.must('run-update-test-status', { projectId, runId: run['runId'], testResults });
}

test('a project without results says so', async () => {
  const { page } = person;
  await page.getByText('No result in the last 90 days').waitFor();
  await page.getByRole('heading', { name: 'No such test' }).waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});

test('the pass rate is drawn, and stands in a table', async () => {
  const flaky = await makeTest(hostile, 'Checkout');
  const failing = await makeTest('Pay with a card', 'Checkout');
  await makeTest('Never tried', 'Account');
  for (const status of ['passed', 'failed', 'passed', 'failed', 'passed'])
    await ran(
      new Map([
        [flaky, status],
        [failing, 'failed'],
      ]),
    );
  const { page } = person;
  await page.reload();
  const chart = page.getByRole('img', { name: /^Pass rate by day: between 30 and 30 percent/ });
  await chart.waitFor();
  expect(await chart.locator('canvas').count()).toBe(1);
  await page.getByText('The same figures as a table').click();
  const figures = page.getByRole('region', { name: 'Pass rate in figures' });
  expect(await figures.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual([
    expect.stringMatching(/^\d+ \w+ \d{4}$/),
    '30 %',
    '5',
    '3',
    '7',
    '0',
  ]);
  await person.expectAccessible();
  await page.getByRole('button', { name: /Period/ }).click();
  await page.getByRole('option', { name: 'By week' }).click();
  await page.waitForURL(/by=week/);
  await page.getByRole('img', { name: /^Pass rate by week/ }).waitFor();
  person.expectNoComplaint();
});

test('the pointer of the chart names the days with results, and no other', async () => {
  // The example has results on some days of many.
  const example = await openWorld(['--dev', '--demo']);
  const one = await newPerson(browser, example.origin);
  const { page } = one;
  await example.signIn(one, '/console/projects/1/insights?days=14');
  const { points } = await example.must('get-pass-rate', { projectId: 1, days: 14, by: 'day' });
  const days = points as ReadonlyArray<{ from: string; passRate: number | null }>;
  const ran = days.filter(({ passRate }) => passRate !== null).map(({ from }) => dayText(from));
  expect(ran.length).toBeGreaterThan(3);
  expect(ran.length).toBeLessThan(days.length / 2);
  const caption = page.locator('.pass-rate figcaption');
  await caption.getByText('Point at the line').waitFor();
  const plot = await page.locator('.pass-rate .u-over').boundingBox();
  if (!plot) throw new Error('no chart');
  const named = new Set<string>();
  // From one end to the other, with three positions for each day.
  const places = 3 * days.length;
  for (let place = 0; place < places; place++) {
    await page.mouse.move(plot.x + ((place + 0.5) * plot.width) / places, plot.y + plot.height / 2);
    await nextFrames(page);
    named.add((await caption.innerText()).replace(/:.*/, ''));
  }
  expect([...named]).toEqual(ran);
  one.expectNoComplaint();
  await one.context.close();
  await example.stop();
}, 60_000);

test('tests that need attention are listed with the way to them', async () => {
  const { page } = person;
  await page.goto(address);
  const listed = async (tab: string, label: string) => {
    await page.getByRole('tab', { name: tab }).click();
    const region = page.getByRole('region', { name: label });
    await region.waitFor();
    await person.expectAccessible();
    return region.getByRole('link').allInnerTexts();
  };
  expect(await listed('Flaky', 'Flaky tests')).toEqual([hostile]);
  expect(await listed('Longest failing', 'Longest failing tests')).toContain('Pay with a card');
  expect(await listed('Slowest fixes', 'Slowest fixes')).toEqual([hostile]);
  expect(await listed('Automation coverage', 'Automation coverage')).toEqual(['Account', 'Checkout']);
  expect(await listed('Never run', 'Tests that never ran')).toEqual(['Never tried']);
  await page.reload();
  await page.getByRole('link', { name: 'Never tried' }).click();
  await page.waitForURL(/\/tests\/\d+/);
  person.expectNoComplaint();
});

/** @see "No result changed from passed to failed or back" stood there, though one had done so twice. */
test('of a test that failed once between two passes the page says what flaky means', async () => {
  const { page } = person;
  const other = Number((await world.must('create-project', { orgId: 1, projectName: 'Once' }))['projectId']);
  const { testId } = await world.must('create-test', { projectId: other, testName: 'Once broken' });
  for (const status of ['passed', 'failed', 'passed']) {
    const { runId } = await world.must('create-run', {
      projectId: other,
      runName: status,
      testIds: [testId],
    });
    const testResults = [{ testId, status }];
    await world.must('run-update-test-status', { projectId: other, runId, testResults });
  }
  await page.goto(`${world.origin}/console/projects/${other}/insights`);
  await page.getByText('No test changed between passed and failed three times in its last 20').waitFor();
  person.expectNoComplaint();
});

test('a query narrows them all; a wrong one is refused at its field', async () => {
  const { page } = person;
  await page.goto(`${address}?tab=coverage`);
  const box = page.getByRole('combobox', { name: 'Narrow the tests' });
  await box.fill('section:Checkout');
  await box.press('Enter');
  await page.getByText('Of 2 tests').waitFor();
  await page.getByRole('link', { name: 'Account', exact: true }).waitFor({ state: 'detached' });
  await box.fill('nosuchfield:1');
  await box.press('Enter');
  await page.getByRole('alert').getByText('nosuchfield').waitFor();
  await person.expectAccessible();
  person.expectNoComplaint('status of 400');
});
