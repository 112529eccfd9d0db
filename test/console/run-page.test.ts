import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { newPerson, openChromium, phone, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId: number;
let runId: number;
let testIds: number[];

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  const names = ['Open', 'Search', 'Pay', 'Leave'].map((testName) => ({
    testName,
    steps: [{ action: 'Do it', expected: 'It is done' }],
  }));
  const { tests } = await world.must('bulk-add-tests', { projectId, tests: names });
  testIds = (tests as Array<{ testId: number }>).map(({ testId }) => testId);
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/runs`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const current = (page: Page) => page.locator('[role=row][aria-current="true"]');
const currentId = async (page: Page) => Number(await current(page).getAttribute('data-test-id'));
const statusesNow = async () => {
  const { tests } = await world.must('get-run-tests-list', { projectId, runId });
  return (tests as Array<{ status: string }>).map(({ status }) => status);
};
/** Waits until the server has stored the statuses. */
async function expectStatuses(wanted: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 50 && !Bun.deepEquals(await statusesNow(), wanted); tries++)
    await Bun.sleep(50);
  expect(await statusesNow()).toEqual([...wanted]);
}

test('a run is created by a query, with the count before', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Create run' }).first().click();
  await page.getByLabel('Name').fill('Release 1');
  await page.getByRole('button', { name: 'Create run of 4 tests' }).waitFor();
  await ada.expectAccessible();
  await page.getByRole('button', { name: 'Create run of 4 tests' }).click();
  await page.waitForURL(/\/runs\/\d+/);
  runId = Number(/runs\/(\d+)/.exec(page.url())?.[1]);
  await page.getByRole('heading', { level: 1, name: 'Release 1' }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

test('a run is of the query as it is typed: nobody has to press Enter first', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/runs`);
  expect(await page.getByRole('combobox', { name: 'Search runs' }).getAttribute('placeholder')).toContain(
    'status:active progress:<100',
  );
  await page.getByRole('button', { name: 'Create run' }).first().click();
  await page.getByLabel('Name').fill('Typed');
  const box = page.getByRole('combobox', { name: 'Tests of the run' });
  await box.fill('Pay');
  // Immediately: the button never refers to the previous query.
  expect(await page.getByRole('button', { name: 'Create run of 4 tests' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Create run of 1 test', exact: true }).waitFor();
  await box.fill('nosuchfield:1');
  await page.getByRole('alert').getByText('nosuchfield').waitFor();
  await box.fill('Pay');
  await page.getByRole('button', { name: 'Create run of 1 test', exact: true }).click();
  await page.getByText('1 of 1 are open').waitFor();

  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  await page.getByRole('combobox', { name: 'Search tests' }).fill('Leave');
  await page.getByRole('button', { name: 'Create run' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Typed, too');
  await page.getByRole('button', { name: 'Create run of 1 test', exact: true }).click();
  await page.getByText('1 of 1 are open').waitFor();
  await page.getByRole('grid').getByText('Leave').waitFor();
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${runId}`);
  await current(page).waitFor();
  ada.expectNoComplaint('status of 400');
});

test('it is executed by keyboard', async () => {
  const { page } = ada;
  await current(page).waitFor();
  const keys = async (...all: readonly string[]) => {
    for (const key of all) await page.keyboard.press(key);
  };
  expect(await currentId(page)).toBe(Number(testIds[0]));
  await keys('p', 'F');
  expect(await currentId(page)).toBe(Number(testIds[1]));
  await expectStatuses(['passed', 'failed', 'untested', 'untested']);
  await keys('c');
  await page.keyboard.type('It says 500');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Comments' }).getByText('It says 500').waitFor();
  await keys('n');
  expect(await currentId(page)).toBe(Number(testIds[2]));
  await keys('b', 'n', 'r');
  await expectStatuses(['passed', 'failed', 'blocked', 'retest']);
  await keys('z');
  await expectStatuses(['passed', 'failed', 'blocked', 'untested']);
  await keys('k', 'u');
  await expectStatuses(['passed', 'failed', 'untested', 'untested']);
  await keys('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await ada.expectAccessible();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('Pay');
  await page.keyboard.press('Enter');
  await page.waitForURL(/query=Pay/);
  await page.getByRole('button', { name: 'Clear' }).click();
  ada.expectNoComplaint();
});

test('a comment is of the test and the status that the keys named, also on a slow machine', async () => {
  const quick = await world.must('create-run', { projectId, runName: 'Quick', testIds });
  const one = await newPerson(browser, world.origin);
  const { page } = one;
  await world.signIn(one, `/console/projects/${projectId}/runs/${Number(quick['runId'])}`);
  await current(page).waitFor();
  const session = await one.context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  const said = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.press('Control+Enter');
    // The field is left once the comment is stored.
    await page.waitForFunction(() => document.activeElement?.tagName !== 'TEXTAREA');
  };
  await said('F', 'c', 'o', 'n', 'e');
  await said('j', 'c', 'b', 'r');
  await said('B', 'j', 'P', 'c', 'p', 'u');
  const { tests } = await world.must('get-run-tests-list', { projectId, runId: quick['runId'] });
  expect(
    (tests as Array<{ status: string; comment: string | null }>).map(({ status, comment }) => [
      status,
      comment,
    ]),
  ).toEqual([
    ['failed', 'one'],
    ['blocked', 'br'],
    ['passed', 'pu'],
    ['untested', null],
  ]);
  one.expectNoComplaint();
  await one.context.close();
});

test('comments are a thread: each stays with its author and its status, whatever comes after', async () => {
  const { page } = ada;
  await page.getByRole('grid').getByRole('row').nth(2).click();
  const thread = page.getByRole('region', { name: 'Comments' });
  const shown = () => thread.getByRole('listitem').allInnerTexts();
  await thread.getByText('It says 500').waitFor();
  const bob = await newPerson(browser, world.origin);
  await world.signIn(bob, `/console/projects/${projectId}/runs/${runId}`, 'bob@example.org');
  await current(bob.page).waitFor();
  for (const [key, comment] of [
    ['F', 'Only with a **voucher**'],
    ['P', 'Fixed by R&D; tried twice'],
  ] as const) {
    await bob.page.getByRole('grid').getByRole('row').nth(2).click();
    await bob.page.keyboard.press(key);
    await bob.page.keyboard.press('c');
    await bob.page.keyboard.type(comment);
    await bob.page.keyboard.press('Control+Enter');
    await thread.getByText(comment.replaceAll('*', '')).waitFor();
  }
  await thread.getByText('bob@example.org').nth(1).waitFor();
  const texts = (await shown()).map((text) => text.replaceAll(/\s+/g, ' '));
  expect(texts).toEqual([
    expect.stringMatching(/^bob@example\.org Passed .* Fixed by R&D; tried twice$/),
    expect.stringMatching(/^bob@example\.org Failed .* Only with a voucher$/),
    expect.stringMatching(/^ada@example\.org Failed .* It says 500$/),
  ]);
  await ada.expectAccessible();
  // The thread may be newer than the event of the last result, and setting a status over an unseen result is refused.
  await Bun.sleep(1_000);
  await page.keyboard.press('F');
  await expectStatuses(['passed', 'failed', 'untested', 'untested']);
  expect((await shown()).length).toBe(3);
  ada.expectNoComplaint();
  bob.expectNoComplaint();
  await bob.context.close();
});

test('what others store appears by itself, and two people never overwrite each other unseen', async () => {
  const bob = await newPerson(browser, world.origin);
  await world.signIn(bob, `/console/projects/${projectId}/runs/${runId}`, 'bob@example.org');
  await bob.page.getByText('live', { exact: true }).waitFor();
  await current(ada.page).waitFor();
  await current(bob.page).waitFor();
  await bob.page.keyboard.press('b');
  await expectStatuses(['blocked', 'failed', 'untested', 'untested']);
  const first = ada.page.getByRole('grid').getByRole('row').nth(1);
  await first.getByText('Blocked').waitFor();
  ada.expectNoComplaint();
  bob.expectNoComplaint();
  await bob.context.close();
});

test('everybody sees who else is in the run, and on which test', async () => {
  const { page } = ada;
  const here = page.getByText('bob@example.org is here');
  await here.waitFor({ state: 'detached' });
  const bob = await newPerson(browser, world.origin);
  await world.signIn(bob, `/console/projects/${projectId}/runs/${runId}`, 'bob@example.org');
  await here.waitFor();
  // A head of two lines has room around both.
  const tops = await page.evaluate(() =>
    ['.run-head', '.run-head h1'].map(
      (part) => document.querySelector(part)?.getBoundingClientRect().top ?? 0,
    ),
  );
  expect((tops[1] ?? 0) - (tops[0] ?? 0)).toBeGreaterThanOrEqual(4);
  // On a telephone the buttons beside that name are all within the window.
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize(phone);
  const more = await page.getByRole('button', { name: 'More, actions for the run' }).boundingBox();
  expect((more?.x ?? 0) + (more?.width ?? 1_000)).toBeLessThanOrEqual(phone.width);
  await page.setViewportSize(before);
  const rowsOfBob = page.getByRole('row').filter({ hasText: 'bob@example.org' });
  for (const nth of [3, 2]) {
    await bob.page.getByRole('grid').getByRole('row').nth(nth).click();
    await page.getByRole('grid').getByRole('row').nth(nth).getByText('bob@example.org').waitFor();
    expect(await rowsOfBob.count()).toBe(1);
  }
  // Who opens the same test reads it beside its name, too.
  await page.getByRole('grid').getByRole('row').nth(2).click();
  await page.getByRole('region', { name: 'Selected test' }).getByTitle('Selected by').waitFor();
  await ada.expectAccessible();
  await bob.context.close();
  await here.waitFor({ state: 'detached' });
  expect(await rowsOfBob.count()).toBe(0);
  ada.expectNoComplaint();
});

test('a result that somebody else stored meanwhile is not overwritten unless the person wants it', async () => {
  const { page } = ada;
  await page.route('**/console/run-changes*', (route) => route.abort());
  await page.reload();
  // The address names the test that was selected.
  await current(page).waitFor();
  await page.getByRole('grid').getByRole('row').nth(1).click();
  expect(await currentId(page)).toBe(Number(testIds[0]));
  await world.must('run-update-test-status', {
    projectId,
    runId,
    testResults: [{ testId: await currentId(page), status: 'failed', comment: 'by the pipeline' }],
  });
  await page.keyboard.press('p');
  await page.getByText('somebody set it to failed meanwhile').waitFor();
  await expectStatuses(['failed', 'failed', 'untested', 'untested']);
  await page.getByRole('button', { name: 'Set to passed' }).click();
  await expectStatuses(['passed', 'failed', 'untested', 'untested']);
  await page.unroute('**/console/run-changes*');
  ada.expectNoComplaint('ERR_FAILED', 'status of 409');
});

test('z takes back nothing that somebody else has stored, not even the same status, and says so', async () => {
  const { page } = ada;
  await page.reload();
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByRole('grid').getByRole('row').nth(3).click();
  await page.keyboard.press('P');
  await expectStatuses(['passed', 'failed', 'passed', 'untested']);
  await world.must('run-update-test-status', {
    projectId,
    runId,
    testResults: [{ testId: await currentId(page), status: 'passed', comment: 'by the pipeline, too' }],
  });
  await page.getByRole('region', { name: 'Comments' }).getByText('by the pipeline, too').waitFor();
  // The row follows within a second, and looks the same.
  await page.waitForTimeout(2_000);
  await page.keyboard.press('z');
  await page.getByText('was changed by somebody else meanwhile').waitFor();
  expect(await page.getByText('Undone, passed').count()).toBe(0);
  await expectStatuses(['passed', 'failed', 'passed', 'untested']);
  await page.keyboard.press('U');
  await expectStatuses(['passed', 'failed', 'untested', 'untested']);
  ada.expectNoComplaint();
});

test('by keys the current row has the ring, and nothing around it', async () => {
  const { page } = ada;
  await page.reload();
  await current(page).waitFor();
  for (const key of ['Tab', 'Tab', 'Enter', 'ArrowDown']) await page.keyboard.press(key);
  const ringed = await page.evaluate(
    () =>
      [...document.querySelectorAll('.tabs, .tab-panel, [role=grid]')].filter(
        (part) => getComputedStyle(part).outlineStyle !== 'none',
      ).length,
  );
  expect(ringed).toBe(0);
  expect(await current(page).evaluate((row) => getComputedStyle(row).boxShadow)).not.toBe('none');
});

test('after the server was started again, the page goes on and has what it missed', async () => {
  const { page } = ada;
  await world.stop();
  // Offline if a request was in progress when the server stopped.
  await page.getByText(/^(?:connecting…|offline)$/).waitFor();
  await world.start();
  await world.must('run-update-test-status', {
    projectId,
    runId,
    testResults: [{ testId: testIds[3], status: 'passed' }],
  });
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByRole('grid').getByRole('row').nth(4).getByText('Passed').waitFor();
  ada.expectNoComplaint('ERR_CONNECTION_REFUSED', 'ERR_INCOMPLETE_CHUNKED_ENCODING', 'ERR_CONNECTION_RESET');
});

test('a test that somebody takes out of the run moves no other test under the keys', async () => {
  const { page } = ada;
  const rows = page.getByRole('grid').getByRole('row');
  await rows.nth(3).click();
  const selected = await currentId(page);
  expect(selected).toBe(Number(testIds[2]));
  await world.must('run-remove-tests', { projectId, runId, testIds: [testIds[0]] });
  await page.waitForFunction(() => document.querySelectorAll('[data-test-id]').length === 3);
  expect(await currentId(page)).toBe(selected);
  await page.keyboard.press('f');
  await expectStatuses(['failed', 'failed', 'passed']);
  ada.expectNoComplaint();
});

test('lock, compare, sections and squads, report', async () => {
  const { page } = ada;
  await page.getByRole('tab', { name: 'Sections and squads' }).click();
  await page.getByRole('heading', { name: 'Squad' }).waitFor();
  await ada.expectAccessible();
  await page.getByRole('tab', { name: 'Tests', exact: true }).click();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: /report of the run/ })
      .click()
      .then(() => page.getByRole('menuitem', { name: 'Report as a page' }).click()),
  ]);
  expect(saved.suggestedFilename()).toEndWith('.html');
  await page.getByRole('button', { name: /actions for the run/ }).click();
  await page.getByRole('menuitem', { name: 'Lock…' }).click();
  await page.getByRole('button', { name: 'Lock run' }).click();
  await page.getByText('The run is locked').waitFor();
  await page.keyboard.press('p');
  await ada.expectAccessible();
  expect((await world.must('run-detail', { projectId, runId }))['status']).toBe('locked');
  ada.expectNoComplaint();
});

test('a failing case of no test is seen on the run of its pipeline', async () => {
  const { page } = ada;
  const reported = await world.must('ingest-results', {
    projectId,
    runKey: 'build 7',
    create: false,
    files: [
      {
        name: 'junit.xml',
        content:
          '<testsuite name="cart"><testcase name="is new"/><testcase name="is newly broken"><failure message="no card"/></testcase></testsuite>',
      },
    ],
  });
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${String(reported['runId'])}`);
  await page.getByRole('tab', { name: 'Without a test 2' }).click();
  const row = page.getByRole('row', { name: /is newly broken/ });
  await row.getByText('no card').waitFor();
  await row.getByText('Failed').waitFor();
  await ada.expectAccessible();
  // The next build is compared with this one, and the page says so.
  const next = await world.must('ingest-results', {
    projectId,
    runKey: 'build 8',
    runName: 'Build 8',
    files: [{ name: 'junit.xml', content: '<testsuite name="cart"><testcase name="is new"/></testsuite>' }],
  });
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${String(next['runId'])}?view=compare`);
  const compared = page.getByText('Compared with').getByRole('link');
  await compared.waitFor();
  expect(await compared.getAttribute('href')).toEndWith(`/runs/${String(reported['runId'])}`);
  ada.expectNoComplaint();
});

test('results of single steps propose the status, and stay with the result', async () => {
  const { page } = ada;
  const steps = ['Open the cart', 'Pay', 'Read the receipt'].map((action) => ({ action }));
  const { testId } = await world.must('create-test', { projectId, testName: 'Pay in steps', steps });
  const run = await world.must('create-run', { projectId, runName: 'Steps', testIds: [testId] });
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${String(run['runId'])}`);
  await page.getByRole('grid').getByRole('row').nth(1).click();
  await page.getByText('Results of single steps').click();
  const store = page.getByRole('button', { name: /^Store as/ });
  const choose = async (step: number, status: string) => {
    await page.getByRole('button', { name: `Status of step ${step}` }).click();
    await page.getByRole('option', { name: status, exact: true }).click();
  };
  await choose(1, 'Passed');
  expect(await store.innerText()).toBe('Store as untested');
  await choose(2, 'Failed');
  await page.getByLabel('Comment on step 2').fill('The total is missing');
  expect(await store.innerText()).toBe('Store as failed');
  await ada.expectAccessible();
  await store.click();
  const thread = page.getByRole('region', { name: 'Comments' });
  await thread.getByText('Step 2').getByText('Failed').waitFor();
  await thread.getByText('The total is missing').waitFor();
  const { history } = await world.must('get-test-status-history-in-run', { testId, runId: run['runId'] });
  expect(history).toMatchObject([
    { status: 'failed', byName: 'ada@example.org', stepResults: [{ status: 'passed' }, { step: 2 }] },
  ]);
  ada.expectNoComplaint();
});

test('a report is shared by a link, which another browser reads without a sign-in until it ends', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${runId}`);
  await page.getByRole('button', { name: 'Report of the run' }).click();
  await page.getByRole('menuitem', { name: 'Share…' }).click();
  await page.getByText('Nobody has a link to this run.').waitFor();
  // A double click made two links, one of which nobody could copy.
  await page.getByRole('button', { name: 'Make a link' }).dblclick();
  const address = await page.getByLabel('Link', { exact: true }).inputValue();
  await page.getByRole('list', { name: 'Live links' }).waitFor();
  await ada.expectAccessible();
  const stranger = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const other = await stranger.newPage();
  const began = performance.now();
  await other.goto(address);
  await other.getByRole('heading', { level: 1, name: 'Release 1' }).waitFor();
  expect(performance.now() - began).toBeLessThan(1_000);
  await other.getByText(/^(?:Failed|Blocked|Not finished|Passed): /).waitFor();
  await page.getByRole('button', { name: /^End link/ }).click();
  await page.getByText('The link has ended.').waitFor();
  expect(await page.getByLabel('Link', { exact: true }).count()).toBe(0);
  expect((await other.goto(address))?.status()).toBe(404);
  await stranger.close();
  ada.expectNoComplaint();
});
