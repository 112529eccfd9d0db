import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* What is done with a whole run, and what the page says and shows afterwards. */

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId: number;
let runId: number;
let testIds: number[];
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  await world.must('create-field', { projectId, key: 'device', name: 'Device', of: 'result', kind: 'text' });
  const names = ['Open', 'Search', 'Pay', 'Leave'].map((testName) => ({ testName }));
  const { tests } = await world.must('bulk-add-tests', { projectId, tests: names });
  testIds = (tests as Array<{ testId: number }>).map(({ testId }) => testId);
  runId = Number((await world.must('create-run', { projectId, runName: 'CI', testIds }))['runId']);
  const testResults = [testIds[2], testIds[3]].map((testId) => ({
    testId,
    status: 'failed',
    comment: `no answer of ${testId}`,
  }));
  await world.must('run-update-test-status', { projectId, runId, testResults });
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/runs/${runId}`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const address = (rest = '') => `${world.origin}/console/projects/${projectId}/runs/${runId}${rest}`;
const panelOf = (page: Page) => page.getByRole('region', { name: 'Selected test' });
const panel = () => panelOf(ada.page);
const heading = (page: Page, testName: string) =>
  panelOf(page).getByRole('heading', { name: testName, level: 2 });
const shows = (testName: string) => heading(ada.page, testName).waitFor();
const choose = async (action: string) => {
  await ada.page.getByRole('button', { name: 'actions for the run' }).click();
  await ada.page.getByRole('menuitem', { name: action }).click();
};

/** @see The first test of the run stood beside the failures, though it had passed. */
test('beside the failures stands the first that failed, or the one that was chosen', async () => {
  const { page } = ada;
  await page.goto(address('?view=failures'));
  await shows('Pay');
  await page.getByRole('list', { name: 'Its tests' }).getByRole('link', { name: 'Leave' }).click();
  await shows('Leave');
  await page.waitForURL(`**test=${testIds[3]}*`);
  await page.reload();
  await shows('Leave');
  await page.getByRole('tab', { name: 'Tests', exact: true }).click();
  await page.getByRole('tab', { name: 'Failures' }).click();
  await page.getByRole('list', { name: 'Failures by message' }).waitFor();
  await shows('Leave');
  await page.getByRole('tab', { name: 'Tests', exact: true }).click();
  await page.getByRole('grid').getByText('Search').click();
  await shows('Search');
  await page.getByRole('tab', { name: 'Failures' }).click();
  await shows('Pay');
  // A link means the test that it names, also when it has passed by now.
  await page.goto(address(`?view=failures&test=${testIds[1]}`));
  await page.getByRole('list', { name: 'Failures by message' }).waitFor();
  await shows('Search');
  ada.expectNoComplaint();
});

/** @see When both answers came at once, the list chose its first test after the failures had chosen theirs. */
test('the first that failed stands there also when the list and the failures arrive at once', async () => {
  const own = await newPerson(browser, world.origin);
  await world.signIn(own, '/console/projects');
  const { page } = own;
  await page.addInitScript(() => {
    const { fetch } = globalThis;
    const both = Promise.withResolvers<void>();
    const held = new Set<string>();
    const asksOne = async (...asked: Parameters<typeof fetch>) => {
      const answer = await fetch(...asked);
      const tool = /get-run-tests-list|get-failure-groups/.exec(String(asked[0]))?.[0];
      if (tool === undefined) return answer;
      const text = await answer.text();
      held.add(tool);
      if (held.size === 2) both.resolve();
      await both.promise;
      return new Response(text, answer);
    };
    globalThis.fetch = Object.assign(asksOne, fetch);
  });
  await page.goto(address('?view=failures'));
  await page.getByRole('list', { name: 'Failures by message' }).waitFor();
  await heading(page, 'Pay').waitFor();
  own.expectNoComplaint();
});

/** @see A test left the run without a word, and without a way back. */
test('a test that is removed from a run is named, and added again', async () => {
  const { page } = ada;
  await page.goto(address(`?test=${testIds[0]}`));
  await shows('Open');
  await choose('Remove the selected test…');
  await page.getByRole('dialog').getByText('its result in this run is gone with it').waitFor();
  await page.getByRole('button', { name: 'Remove test' }).click();
  await page.getByText('Open was removed from the run.').waitFor();
  await page.getByRole('grid').getByText('Open').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add again' }).click();
  await page.getByRole('grid').getByText('Open').waitFor();
  await ada.expectAccessible();
  // The panel asks once more for the results of the test that left.
  ada.expectNoComplaint('status of 400');
});

/** @see The list stayed as it was, "Only 4 of 4 tests could be read", until somebody pressed a button. */
test('a list that could not be read again over a bad network is read again by itself', async () => {
  const { page } = ada;
  await page.goto(address(`?test=${testIds[0]}`));
  await shows('Open');
  let isLost = true;
  await page.route('**/api/tools/get-run-tests-list', (route) =>
    isLost ? route.abort('connectionfailed') : route.continue(),
  );
  await world.must('run-remove-tests', { projectId, runId, testIds: [testIds[1]] });
  await page.getByText('This list may be old').waitFor();
  isLost = false;
  await page.getByRole('grid').getByText('Search').waitFor({ state: 'detached' });
  await page.getByText('This list may be old').waitFor({ state: 'detached' });
  await page.unroute('**/api/tools/get-run-tests-list');
  await world.must('add-tests-to-run', { projectId, runId, testIds: [testIds[1]] });
  await page.getByRole('grid').getByText('Search').waitFor();
  ada.expectNoComplaint('ERR_CONNECTION_FAILED');
});

/** @see The field was gone with the test, and the rest of the sentence was a command for the first test of the run: "p" passed it. */
test('what is typed stays where it is typed while somebody removes the test from the run', async () => {
  const { page } = ada;
  const testId = testIds[1];
  await page.goto(address(`?test=${testId}`));
  await shows('Search');
  const comment = panel().getByRole('textbox', { name: 'Comment' });
  await comment.click();
  await page.keyboard.type('It was ');
  await world.must('run-remove-tests', { projectId, runId, testIds: [testId] });
  await page.getByRole('grid').getByText('Search').waitFor({ state: 'detached' });
  await page.keyboard.type('passed before');
  expect(await comment.inputValue()).toBe('It was passed before');
  expect(await world.must('get-run-test-status', { projectId, runId, status: 'passed' })).toMatchObject({
    total: 0,
  });
  await page.keyboard.press('Control+Enter');
  await page
    .getByText('Search, Untested, It was passed before: The test is not in the run any more')
    .waitFor();
  await page.getByText('Somebody may have removed it').waitFor();
  await page.keyboard.press('Escape');
  await shows('Open');
  await world.must('add-tests-to-run', { projectId, runId, testIds: [testId] });
  await page.getByRole('grid').getByText('Search').click();
  await shows('Search');
  expect(await comment.inputValue()).toBe('It was passed before');
  ada.expectNoComplaint('status of 400', 'status of 409');
});

/** @see What was typed into the fields of a result was hidden while the run was locked. */
test('fields that were typed can be read and discarded when the run is locked', async () => {
  const { page } = ada;
  await page.goto(address(`?test=${testIds[0]}`));
  await panel().getByLabel('Device').fill('an old telephone');
  await world.must('run-lock', { projectId, runId });
  await panel().getByText('The run is locked').waitFor();
  const left = panel().getByRole('region', { name: 'Own fields' });
  await left.getByText('an old telephone').waitFor();
  await left.getByText('They are not stored: the run was locked.').waitFor();
  await ada.expectAccessible();
  await world.must('unlock-run', { projectId, runId });
  await panel().getByRole('button', { name: 'Store fields' }).waitFor();
  expect(await panel().getByLabel('Device').inputValue()).toBe('an old telephone');
  await world.must('run-lock', { projectId, runId });
  await left.getByRole('button', { name: 'Discard changes' }).click();
  await left.waitFor({ state: 'detached' });
  await world.must('unlock-run', { projectId, runId });
  ada.expectNoComplaint();
});

test.each([
  ['all of its tests', 'Run again…', 'in-run', 4],
  ['what failed in it', 'Run what failed again…', 'failed-in', 2],
] as const)('a run that is locked is repeated: %s', async (_, action, field, count) => {
  const { page } = ada;
  const { milestoneId } = await world.must('create-milestone', { projectId, name: `Release of ${count}` });
  await world.must('edit-run', { projectId, runId, runDescription: 'On the old till', milestoneId });
  await world.must('run-lock', { projectId, runId });
  await page.goto(address());
  await choose(action);
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${count} tests`, { exact: true }).waitFor();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('CI (2)');
  expect(await dialog.getByLabel('Tests of the run').inputValue()).toBe(`${field}:${runId}`);
  await ada.expectAccessible();
  await dialog.getByRole('button', { name: `Create run of ${count} tests` }).click();
  await page.getByRole('heading', { name: 'CI (2)' }).waitFor();
  const made = Number(/runs\/(\d+)/.exec(page.url())?.[1]);
  expect(made).not.toBe(runId);
  expect(await world.must('run-detail', { projectId, runId: made })).toMatchObject({
    runDescription: 'On the old till',
    status: 'active',
    milestoneId,
    counts: { total: count, untested: count },
  });
  await world.must('unlock-run', { projectId, runId });
  ada.expectNoComplaint();
});

/** @see A run was reset without a word. */
test('a run that was reset says so, and that it is for good before', async () => {
  const { page } = ada;
  await page.goto(address());
  await choose('Reset…');
  await page.getByRole('dialog').getByText('This cannot be undone.').waitFor();
  await page.getByRole('button', { name: 'Reset run' }).click();
  await page.getByText('CI was reset: all of its tests are to be tested again.').waitFor();
  ada.expectNoComplaint();
});
