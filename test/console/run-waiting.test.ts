import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page, Route } from 'playwright-core';
import { newPerson, openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* Results that wait in the browser, and whose they are; what is typed when somebody else locks the run. */

let browser: Browser;
let world: ConsoleWorld;
let projectId: number;
let testIds: number[];
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  const { tests } = await world.must('bulk-add-tests', {
    projectId,
    tests: [{ testName: 'Open' }, { testName: 'Pay' }],
  });
  testIds = (tests as Array<{ testId: number }>).map(({ testId }) => testId);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

/**
 * @see Results vanished without a word when the session had ended, and those that waited for the network were sent in the name of whoever
 * signed in to the same browser next.
 */
test('results that wait for a sign-in or the network are those of the person, and are sent when they are back', async () => {
  const bob = await newPerson(browser, world.origin);
  const made = await world.must('create-run', {
    projectId,
    runName: 'Waiting',
    testIds,
  });
  const path = `/console/projects/${projectId}/runs/${String(made['runId'])}`;
  const results = async () => {
    const { tests } = await world.must('get-run-tests-list', { projectId, runId: made['runId'] });
    return (tests as Array<{ status: string; updatedBy: number | null }>).map(({ status, updatedBy }) => [
      status,
      updatedBy,
    ]);
  };
  const expectResults = async (wanted: unknown) => {
    for (let tries = 0; tries < 300 && !Bun.deepEquals(await results(), wanted); tries++) await Bun.sleep(50);
    expect(await results()).toEqual(wanted as never);
  };
  const first = async (page: Page) => {
    const row = page.getByRole('grid').getByRole('row').nth(1);
    await row.click();
    await page.getByRole('group', { name: 'Set the status' }).waitFor();
  };
  await world.signIn(bob, path, 'bob@example.org');
  await first(bob.page);
  const cookies = await bob.context.cookies();
  await bob.context.clearCookies();
  await bob.page.keyboard.press('p');
  await bob.page
    .getByText(/You are signed out|Paste the link/)
    .first()
    .waitFor();
  await bob.context.addCookies(cookies);
  bob.page.on('dialog', (dialog) => void dialog.accept());
  await bob.page.goto(`${world.origin}${path}`);
  const { userId } = await bob.page.evaluate(
    async () =>
      (await (await fetch('/console/me', { headers: { 'x-trivet-console': '1' } })).json()) as {
        userId: number;
      },
  );
  await expectResults([
    ['passed', userId],
    ['untested', null],
  ]);
  await bob.page.getByRole('grid').getByRole('row').nth(2).click();
  await bob.context.setOffline(true);
  // On a busy machine it takes a moment until nothing is sent any more.
  await bob.page.waitForFunction(() => !navigator.onLine);
  const lost = bob.page.waitForEvent('requestfailed', (request) =>
    request.url().endsWith('/run-update-test-status'),
  );
  await bob.page.keyboard.press('b');
  await lost;
  // Before the page is closed: that ends its being offline, and for a moment it could still send.
  await bob.context.clearCookies();
  await bob.page.close();
  await bob.context.setOffline(false);
  const as = async (email: string) => {
    const page = await bob.context.newPage();
    await world.signIn({ ...bob, page }, path, email);
    await page.getByRole('grid').getByRole('row').nth(2).waitFor();
    return page;
  };
  const other = await as('eve@example.org');
  await Bun.sleep(500);
  expect(await results()).toEqual([
    ['passed', userId],
    ['untested', null],
  ]);
  await other.close();
  await bob.context.clearCookies();
  await as('bob@example.org');
  await expectResults([
    ['passed', userId],
    ['blocked', userId],
  ]);
  await bob.context.close();
});

test('a tab that shows one person sends nothing in the name of another, who signs in beside it', async () => {
  const bob = await newPerson(browser, world.origin);
  const { runId } = await world.must('create-run', { projectId, runName: 'Beside', testIds });
  const path = `/console/projects/${projectId}/runs/${String(runId)}`;
  const results = async () => {
    const { tests } = await world.must('get-run-tests-list', { projectId, runId });
    return (tests as Array<{ status: string; updatedBy: number | null }>).map(({ status, updatedBy }) => [
      status,
      updatedBy,
    ]);
  };
  await world.signIn(bob, path, 'bob@example.org');
  await bob.page.getByRole('grid').getByRole('row').nth(1).click();
  await bob.page.getByRole('group', { name: 'Set the status' }).waitFor();
  const eve = await bob.context.newPage();
  await world.signIn({ ...bob, page: eve }, path, 'eve@example.org');
  await eve.getByRole('grid').getByRole('row').nth(1).waitFor();
  const answered = bob.page.waitForResponse((one) => one.url().endsWith('/run-update-test-status'));
  await bob.page.keyboard.press('p');
  expect((await answered).status()).toBe(401);
  await bob.page
    .getByText(/You are signed out|Paste the link/)
    .first()
    .waitFor();
  expect(await results()).toEqual([
    ['untested', null],
    ['untested', null],
  ]);
  await eve.getByRole('grid').getByRole('row').nth(1).click();
  await eve.keyboard.press('b');
  for (let tries = 0; tries < 200 && (await results())[0]?.[0] !== 'blocked'; tries++) await Bun.sleep(50);
  expect((await results())[0]?.[0]).toBe('blocked');
  await bob.context.close();
});

test('a result on its way is sent later when the page ends first, as on a telephone, and once', async () => {
  const bob = await newPerson(browser, world.origin);
  const { runId } = await world.must('create-run', { projectId, runName: 'On its way', testIds });
  const path = `/console/projects/${projectId}/runs/${String(runId)}`;
  // A network that does not answer: the request hangs. Before the page, which may keep an older way to the network for a moment.
  await bob.page.route('**/api/tools/run-update-test-status', () => {});
  await world.signIn(bob, path, 'bob@example.org');
  await bob.page.getByRole('grid').getByRole('row').nth(1).click();
  await bob.page.getByRole('group', { name: 'Set the status' }).waitFor();
  await bob.page.keyboard.press('b');
  // Stored before the request ends: the page may be ended at any time.
  expect(await bob.page.evaluate(() => JSON.stringify(localStorage))).toContain('blocked');
  await bob.page.close();
  const page = await bob.context.newPage();
  await page.goto(`${world.origin}${path}`);
  const history = async () => {
    const input = { testId: testIds[0], runId };
    return (await world.must('get-test-status-history-in-run', input))['history'] as Array<{
      status: string;
    }>;
  };
  for (let tries = 0; tries < 300 && (await history()).length === 0; tries++) await Bun.sleep(50);
  expect((await history()).map(({ status }) => status)).toEqual(['blocked']);
  // Nothing is left of it in the browser.
  await page.waitForFunction(
    () => !Object.keys(localStorage).some((key) => key.startsWith('trivet-results')),
  );
  await page.reload();
  await page.getByRole('grid').getByRole('row').nth(1).waitFor();
  expect((await history()).length).toBe(1);
  await bob.context.close();
});

/** @see Of those that waited only the last one of a test was sent, without the comment of the one before it. */
test('each comment that waits for the network is stored, also after a reload, and over plain http', async () => {
  const bob = await newPerson(browser, world.origin);
  // A browser does not have it over plain http, except from this machine.
  await bob.context.addInitScript(() => Reflect.deleteProperty(Crypto.prototype, 'randomUUID'));
  const { runId } = await world.must('create-run', { projectId, runName: 'Comments', testIds });
  const path = `/console/projects/${projectId}/runs/${String(runId)}`;
  await bob.page.route('**/api/tools/run-update-test-status', (route) => route.abort());
  await world.signIn(bob, path, 'bob@example.org');
  await bob.page.getByRole('grid').getByRole('row').nth(1).click();
  await bob.page.getByRole('group', { name: 'Set the status' }).waitFor();
  await bob.page.keyboard.press('b');
  await bob.page.getByRole('grid').getByRole('row').nth(1).click();
  const comment = bob.page.getByRole('textbox', { name: 'Comment', exact: true });
  for (const text of ['No voucher', 'The server is down']) {
    await comment.fill(text);
    await bob.page.getByRole('button', { name: 'Store comment' }).click();
    await bob.page.waitForFunction((kept) => JSON.stringify(localStorage).includes(kept), text);
  }
  await bob.page.close();
  const page = await bob.context.newPage();
  await page.goto(`${world.origin}${path}`);
  await page.waitForFunction(
    () => !Object.keys(localStorage).some((key) => key.startsWith('trivet-results')),
  );
  const { history } = await world.must('get-test-status-history-in-run', { testId: testIds[0], runId });
  expect(
    (history as Array<{ status: string; comment: string | null }>).map((one) => [one.status, one.comment]),
  ).toEqual([
    ['blocked', 'The server is down'],
    ['blocked', 'No voucher'],
    ['blocked', null],
  ]);
  await bob.context.close();
});

test('a comment and the result of a step can still be read when somebody else locks the run', async () => {
  const ada = await newPerson(browser, world.origin);
  const { page } = ada;
  const made = await world.must('create-test', {
    projectId,
    testName: 'Redeem',
    steps: [{ action: 'Do it' }],
  });
  const created = await world.must('create-run', {
    projectId,
    runName: 'Locked meanwhile',
    testIds: [made['testId']],
  });
  await world.signIn(
    ada,
    `/console/projects/${projectId}/runs/${String(created['runId'])}?test=${String(made['testId'])}`,
  );
  const comment = page.getByRole('textbox', { name: 'Comment', exact: true });
  await comment.fill('Half of the voucher');
  await page.getByText('Results of single steps').click();
  await page.getByRole('button', { name: 'Status of step 1' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await page.getByLabel('Comment on step 1').fill('It is not done');
  await world.must('run-lock', { projectId, runId: created['runId'] });
  await page.getByText('The run is locked').waitFor();
  expect(await comment.inputValue()).toBe('Half of the voucher');
  expect(await comment.isEditable()).toBe(false);
  expect(await page.getByLabel('Comment on step 1').inputValue()).toBe('It is not done');
  await world.must('unlock-run', { projectId, runId: created['runId'] });
  await page.getByRole('button', { name: 'Store comment' }).click();
  await page.getByRole('region', { name: 'Comments' }).getByText('Half of the voucher').waitFor();
  ada.expectNoComplaint();
  await ada.context.close();
});

/** A run whose changes are answered late, as over a slow network. */
async function onSlowNetwork(runName: string) {
  const ada = await newPerson(browser, world.origin);
  const { page } = ada;
  const { runId } = await world.must('create-run', { projectId, runName, testIds });
  await world.signIn(ada, `/console/projects/${projectId}/runs/${String(runId)}?test=${testIds[0]}`);
  const comment = page.getByRole('textbox', { name: 'Comment', exact: true });
  await comment.waitFor();
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/tools/run-update-test-status', async (route) => {
    await isAnswered;
    await route.continue();
  });
  const comments = async () => {
    const { history } = await world.must('get-test-status-history-in-run', { runId, testId: testIds[0] });
    return (history as Array<{ comment: string | null }>).map((one) => one.comment);
  };
  return { ada, page, runId, comment, comments, answer };
}

/** @see What was typed on while a comment, a link or the result of a step was on its way was thrown away when the answer came. */
test('what is typed while a comment is on its way stays typed', async () => {
  const { ada, page, comment, comments, answer } = await onSlowNetwork('Typed on');
  await comment.fill('It says 500');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.type(', and the cart is empty');
  answer();
  await page.getByRole('region', { name: 'Comments' }).getByText('It says 500').waitFor();
  expect(await comment.inputValue()).toBe('It says 500, and the cart is empty');
  expect(await comment.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Comments' }).getByText('and the cart is empty').waitFor();
  expect(await comments()).toEqual(['It says 500, and the cart is empty', 'It says 500']);
  await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('#run-comment')?.value === '');
  ada.expectNoComplaint();
  await ada.context.close();
});

/** @see The field of the next test lost the focus in mid-word when the comment before it was stored: the other letters set statuses. */
test('a comment that is stored late leaves alone who types at the next test', async () => {
  const { ada, page, runId, comment, comments, answer } = await onSlowNetwork('Next test');
  await comment.fill('Late');
  await page.keyboard.press('Control+Enter');
  for (const key of ['Escape', 'j', 'c', 'b', 'r']) await page.keyboard.press(key);
  answer();
  for (let tries = 0; tries < 300 && (await comments()).length === 0; tries++) await Bun.sleep(50);
  await page.waitForFunction(
    () => !Object.keys(localStorage).some((key) => key.startsWith('trivet-results')),
  );
  for (const key of ['u', 'p']) await page.keyboard.press(key);
  expect(await comment.inputValue()).toBe('brup');
  const { counts } = await world.must('run-detail', { projectId, runId });
  expect(counts).toMatchObject({ untested: 2 });
  // The first one is stored: it is not offered again.
  for (const key of ['Escape', 'k', 'c']) await page.keyboard.press(key);
  expect(await comment.inputValue()).toBe('');
  ada.expectNoComplaint();
  await ada.context.close();
});

/** @see After a reload the comment was sent, and stood in its field as if it were not. */
test('a comment that waited for the network is not offered again once it is stored', async () => {
  const { ada, page, comment, comments, answer } = await onSlowNetwork('Reloaded');
  page.on('dialog', (dialog) => void dialog.accept());
  answer();
  const cut = (route: Route) => route.abort();
  await page.route('**/api/tools/run-update-test-status', cut);
  await comment.fill('Written in a tunnel');
  const lost = page.waitForEvent('requestfailed');
  await page.keyboard.press('Control+Enter');
  await lost;
  await page.waitForFunction(() => JSON.stringify(sessionStorage).includes('Written in a tunnel'));
  await page.unroute('**/api/tools/run-update-test-status', cut);
  await page.reload();
  await page.getByRole('region', { name: 'Comments' }).getByText('Written in a tunnel').waitFor();
  await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('#run-comment')?.value === '');
  expect(await comments()).toEqual(['Written in a tunnel']);
  await page.waitForFunction(() => !JSON.stringify(sessionStorage).includes('Written in a tunnel'));
  await ada.context.close();
});

/**
 * @see What a person had set without a network was thrown away when somebody had locked or deleted the run meanwhile; each message said that the
 * run is locked, and none named a test.
 */
test.each([
  ['locked', 'run-lock', 'unlock-run'],
  ['deleted', 'delete-run', 'restore-run'],
])('results that wait when the run is %s are named, stay, and are stored later', async (_, close, open) => {
  const { ada, page, runId, comment, answer } = await onSlowNetwork(`Closed by ${close}`);
  answer();
  await ada.context.setOffline(true);
  await page.waitForFunction(() => !navigator.onLine);
  await comment.fill('Written in a tunnel');
  await page.keyboard.press('Control+Enter');
  for (const key of ['Escape', 'j', 'f']) await page.keyboard.press(key);
  await page.getByText('offline, 2 results waiting').waitFor();
  await world.must(close, { projectId, runId });
  await ada.context.setOffline(false);
  await page.getByText(/^Your results are kept in this browser: /).waitFor();
  if (close === 'run-lock') {
    const note = page.getByRole('status').filter({ hasText: 'Not stored: 2 results of yours.' });
    await note.getByText('Open, Untested, Written in a tunnel').waitFor();
    await note.getByText('Pay, Failed').waitFor();
    await ada.expectAccessible();
    await page.reload();
    await note.getByText('Pay, Failed').waitFor();
  }
  await world.must(open, { projectId, runId });
  const stored = async () => {
    const { tests } = await world.must('get-run-tests-list', { projectId, runId });
    return (tests as Array<{ status: string; comment: string | null }>).map((one) => [
      one.status,
      one.comment,
    ]);
  };
  const wanted = [
    ['untested', 'Written in a tunnel'],
    ['failed', null],
  ];
  for (let tries = 0; tries < 300 && !Bun.deepEquals(await stored(), wanted); tries++) await Bun.sleep(50);
  expect(await stored()).toEqual(wanted);
  await page.getByText('Not stored: 2 results of yours.').waitFor({ state: 'detached' });
  await page.waitForFunction(
    () => !Object.keys(localStorage).some((key) => key.startsWith('trivet-results')),
  );
  await ada.context.close();
});
