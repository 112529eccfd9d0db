import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* Writing tests as fast as in a spreadsheet: what a person does beside typing is counted. */

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let projectId: number;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  person = await newPerson(browser, world.origin, { width: 1440, height: 900 });
  await world.signIn(person, `/console/projects/${projectId}/tests`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

/** Pastes a text where the focus is, as the browser does. */
const paste = (page: Page, text: string) =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

const stepsOf = async (testId: number) =>
  (await world.must('get-test-details', { projectId, testId }))['steps'] as ReadonlyArray<object>;
const testsNow = async () => {
  const { tests } = await world.must('get-tests', { projectId, limit: 100, query: 'sort:id' });
  return tests as ReadonlyArray<{ readonly testId: number; readonly testName: string }>;
};

test('ten tests of three steps take at most 45 actions beside typing', async () => {
  const { page } = person;
  let actions = 0;
  const act = async (what: Promise<unknown>) => {
    actions++;
    await what;
  };
  const names = Array.from({ length: 10 }, (_, at) => `Pay by way ${at + 1}`);
  await page.keyboard.press('c');
  actions++;
  await act(paste(page, names.map((name, at) => `${at + 1}. ${name}`).join('\n')));
  await act(page.getByRole('button', { name: 'Create 10 tests' }).click());
  for (const name of names) {
    await act(page.getByRole('link', { name, exact: true }).click());
    await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
    await page.getByText('No run has a result of it yet.').waitFor();
    await act(
      paste(page, 'Open the basket\tIt is shown\nChoose the way\tcard 4111\tIt is marked\nPay\tA receipt'),
    );
    await page.getByRole('textbox', { name: 'Step 3' }).waitFor();
    await page.getByRole('textbox', { name: 'Step 3' }).focus();
    await act(page.keyboard.press('Control+s'));
    await page.getByText('The test was saved.').last().waitFor();
    // Each message would count for the next test, too.
    await page.getByRole('button', { name: 'Close message' }).last().click();
    await page.getByText('The test was saved.').waitFor({ state: 'detached' });
  }
  expect(actions).toBeLessThanOrEqual(45);
  const stored = await testsNow();
  expect(stored.map(({ testName }) => testName)).toEqual(names);
  for (const { testId } of stored)
    expect(await stepsOf(testId)).toEqual([
      { action: 'Open the basket', expected: 'It is shown' },
      { action: 'Choose the way', data: 'card 4111', expected: 'It is marked' },
      { action: 'Pay', expected: 'A receipt' },
    ]);
  process.stdout.write(`figure: ten tests of three steps: ${actions} actions beside typing\n`);
  person.expectNoComplaint();
});

test('rows move by Alt and an arrow, an empty one goes by Backspace, and Ctrl S stores more than once', async () => {
  const { page } = person;
  const step = (number: number) => page.getByRole('textbox', { name: `Step ${number}`, exact: true });
  await step(1).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await page.waitForFunction(() => document.activeElement?.closest('li')?.previousElementSibling !== null);
  expect(await step(2).inputValue()).toBe('Open the basket');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  expect(await step(3).evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await step(4).waitFor();
  await page.keyboard.press('Backspace');
  await step(4).waitFor({ state: 'detached' });
  expect(await step(3).evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+s');
  await page.getByText('The test was saved.').waitFor();
  await step(3).fill('Pay at once');
  await page.keyboard.press('Control+s');
  const last = (await testsNow()).at(-1);
  const expected = ['Choose the way', 'Open the basket', 'Pay at once'];
  const actionsNow = async () =>
    (await stepsOf(last?.testId ?? 0)).map((one) => (one as { action: string }).action);
  for (let tries = 0; tries < 40 && (await actionsNow())[2] !== 'Pay at once'; tries++) await Bun.sleep(50);
  expect(await actionsNow()).toEqual(expected);
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  person.expectNoComplaint();
});

/** @see Ctrl Z after "Move step up" took back the last stored change of another test, and a removed step was gone. */
test('Ctrl Z in the form takes back moved, removed and pasted steps, and nothing that is stored', async () => {
  const { page } = person;
  const before = await testsNow();
  const texts = async () => {
    const found = await page.getByRole('textbox', { name: /^Step \d/ }).all();
    return Promise.all(found.map((one) => one.inputValue()));
  };
  const expectTexts = async (wanted: readonly string[]) => {
    for (let tries = 0; tries < 200 && (await texts()).join() !== wanted.join(); tries++) await Bun.sleep(50);
    expect(await texts()).toEqual([...wanted]);
  };
  await page.keyboard.press('e');
  const stored = ['Choose the way', 'Open the basket', 'Pay at once'];
  await expectTexts(stored);
  await page.getByRole('button', { name: 'Move step 2 up' }).click();
  await expectTexts(['Open the basket', 'Choose the way', 'Pay at once']);
  await page.getByRole('textbox', { name: 'Step 3' }).focus();
  await paste(page, 'Wait\tIt ends\nLeave\tThe start');
  await expectTexts(['Open the basket', 'Choose the way', 'Pay at once', 'Wait', 'Leave']);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expectTexts(stored);
  // Nothing is left to take back in the form, and no button of it reaches what is stored.
  await page.getByRole('button', { name: 'Move step 2 up' }).focus();
  await page.keyboard.press('Control+z');
  await page.getByRole('button', { name: 'Remove step 1' }).click();
  await page.getByRole('textbox', { name: 'Step 2' }).fill('Pay later');
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await expectTexts(['Choose the way', 'Open the basket', 'Pay later']);
  // Text with a tab is text in the other cells.
  await page.getByRole('textbox', { name: 'Expected' }).first().focus();
  await paste(page, 'key\tvalue');
  expect(await page.getByRole('textbox', { name: /^Step \d/ }).count()).toBe(3);
  await page.getByRole('button', { name: 'Cancel' }).click();
  const discarded = page.getByText('Your changes were discarded.').locator('..');
  await discarded.getByRole('button', { name: 'Undo' }).click();
  await expectTexts(['Choose the way', 'Open the basket', 'Pay later']);
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await testsNow()).toEqual(before);
  expect(await page.getByText(/^Undone/).count()).toBe(0);
  person.expectNoComplaint();
});

/** @see "Replace it with mine" threw away a step that only somebody else had changed, and the focus was lost. */
test('of a test that somebody else changed or deleted meanwhile, both changes are kept', async () => {
  const { page } = person;
  const last = (await testsNow()).at(-1);
  const testId = last?.testId ?? 0;
  const whole = await world.must('get-test-details', { projectId, testId });
  const theirs = (whole['steps'] as ReadonlyArray<object>).with(1, { action: 'Open it', expected: 'Theirs' });
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Step 1' }).fill('Mine');
  await page.getByLabel('Estimate').fill('5');
  await page.getByText('Write a time such as 5 m or 1 h 30 m.').waitFor();
  await page.getByLabel('Estimate').fill('1h 30m');
  await world.must('update-test', { testId, steps: theirs });
  await page.keyboard.press('Control+s');
  await page.getByText('You changed nothing of what was changed meanwhile: both changes stay.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Stored now');
  await page.getByRole('button', { name: 'Replace it with mine' }).click();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  await page.getByText('1 h 30 m', { exact: true }).waitFor();
  expect(await stepsOf(testId)).toMatchObject([
    { action: 'Mine' },
    { action: 'Open it', expected: 'Theirs' },
    {},
  ]);
  await page.keyboard.press('e');
  await page.getByLabel('Description').focus();
  await paste(page, 'x'.repeat(20_001));
  await page.getByText('Only 20,000 of 20,001 pasted characters fit into this field.').waitFor();
  await page.getByRole('textbox', { name: 'Step 1' }).fill('After all');
  await world.must('delete-test', { projectId, testId });
  await page.keyboard.press('Control+s');
  await page.getByText(`Test ${testId} is deleted. Restore it to go on.`).waitFor();
  // After a reload there is no form without the test, but the way to have both back.
  await page.reload();
  await page.getByText('This test is deleted').waitFor();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('You typed this before and did not save it.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Step 1' }).inputValue()).toBe('After all');
  await world.must('delete-test', { projectId, testId });
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Restore it and save mine' }).click();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  expect(await stepsOf(testId)).toMatchObject([{ action: 'After all' }, { action: 'Open it' }, {}]);
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete test' }).click();
  await page.getByRole('button', { name: 'Close the test' }).waitFor({ state: 'detached' });
  // Keys go on in the list.
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page
    .getByRole('link', { name: last?.testName ?? '', exact: true })
    .first()
    .click();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  person.expectNoComplaint('status of 404', 'status of 409');
});

test('a test is duplicated with its steps and its estimate, and e begins to edit', async () => {
  const { page } = person;
  const { testId } = (await testsNow()).find(({ testName }) => testName === 'Pay by way 10') ?? {};
  await world.must('update-test', { testId, estimateSeconds: 90 });
  await page.reload();
  await page.getByRole('button', { name: 'Actions for Pay by way 10' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { level: 2, name: 'Pay by way 10 (copy)' }).waitFor();
  const copy = (await testsNow()).at(-1);
  expect(copy?.testName).toBe('Pay by way 10 (copy)');
  expect((await stepsOf(copy?.testId ?? 0)).length).toBe(3);
  expect(await world.must('get-test-details', { projectId, testId: copy?.testId })).toMatchObject({
    estimateSeconds: 90,
  });
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Step 1' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  person.expectNoComplaint();
});

/** @see In German the ending is longer: a name of 255 characters was refused with it, and an emoji was cut into halves. */
test('a test of the longest name is duplicated in each language', async () => {
  const testName = '😀'.repeat(127);
  const { testId } = await world.must('create-test', { projectId, testName });
  const german = await newPerson(browser, world.origin, { locale: 'de-DE' });
  await world.signIn(german, `/console/projects/${projectId}/tests/${String(testId)}`);
  await german.page.getByRole('button', { name: `Aktionen für ${testName}` }).click();
  await german.page.getByRole('menuitem', { name: 'Duplizieren' }).click();
  await german.page.getByRole('heading', { level: 2, name: '(Kopie)' }).waitFor();
  expect((await testsNow()).at(-1)?.testName).toBe(`${'😀'.repeat(123)} (Kopie)`);
  const ids = (await testsNow()).slice(-2).map((one) => one.testId);
  await world.must('bulk-delete-tests', { projectId, testIds: ids });
  german.expectNoComplaint();
  await german.context.close();
});

test('lines of prose are pasted into a step as they are', async () => {
  const { page } = person;
  await page.keyboard.press('e');
  const first = page.getByRole('textbox', { name: 'Step 1' });
  await first.focus();
  await paste(page, 'Wait a moment\nand look');
  expect(await page.getByRole('textbox', { name: /^Step \d/ }).count()).toBe(3);
  await page.getByRole('button', { name: 'Cancel' }).click();
  person.expectNoComplaint();
});

/** @see Ctrl Enter stored an estimate that cannot be read as none, and Save forgot a label that was typed and not added. */
test('Ctrl Enter stores nothing that is wrong, and saving adds the label that is typed', async () => {
  const { page } = person;
  const { testId } = await world.must('create-test', { projectId, testName: 'Timed', estimateSeconds: 60 });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests/${String(testId)}`);
  await page.getByRole('heading', { level: 2, name: 'Timed' }).waitFor();
  await page.keyboard.press('e');
  await page.getByLabel('Estimate').fill('5');
  await page.getByText('Write a time such as').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByLabel('Estimate').fill('5 m');
  await page.getByLabel('New label').fill('slow');
  const detail = async () => await world.must('get-test-details', { projectId, testId });
  expect(await detail()).toMatchObject({ estimateSeconds: 60 });
  await page.keyboard.press('Control+s');
  await page.getByText('The test was saved.').last().waitFor();
  expect(await detail()).toMatchObject({ estimateSeconds: 300, labels: [{ labelName: 'slow' }] });
  expect(await page.getByLabel('New label').inputValue()).toBe('');
  await page.getByLabel('New label').fill('weekly');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  expect((await detail())['labels']).toHaveLength(2);
  await world.must('bulk-delete-tests', { projectId, testIds: [testId] });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  person.expectNoComplaint();
});

/** @see Two tests that are one could be deleted, which lost the results of one from sight; joining them was a tool only. */
test('two ticked tests are made one, which has the results of both; not if both ran in one run', async () => {
  const { page } = person;
  const create = async (testName: string) =>
    Number((await world.must('create-test', { projectId, testName }))['testId']);
  const run = async (...testIds: number[]) => {
    const { runId } = await world.must('create-run', { projectId, runName: 'Joined', testIds });
    const testResults = testIds.map((testId) => ({ testId, status: 'passed' }));
    await world.must('run-update-test-status', { projectId, runId: Number(runId), testResults });
  };
  const [kept, twin, other] = [
    await create('Twin one'),
    await create('Twin two'),
    await create('Twin three'),
  ];
  await run(kept, other);
  await run(twin);
  const tick = (ids: readonly number[]) =>
    page.goto(`${world.origin}/console/projects/${projectId}/tests?query=Twin&selected=${ids.join()}`);
  const join = page.getByRole('button', { name: 'Merge…' });
  const dialog = page.getByRole('dialog');

  await tick([kept, twin, other]);
  await page.getByText('3 selected').waitFor();
  expect(await join.count()).toBe(0);

  await tick([other, kept]);
  await join.click();
  await dialog.getByText('both have a result in run').waitFor();
  expect(await dialog.getByRole('button', { name: 'Merge tests' }).isDisabled()).toBe(true);
  await person.expectAccessible();

  await tick([twin, kept]);
  await join.click();
  await dialog.getByRole('button', { name: 'Merge tests' }).click();
  await page.getByText(`${twin} Twin two was merged into ${kept} Twin one.`).first().waitFor();
  await page.getByRole('link', { name: 'Twin two' }).waitFor({ state: 'detached' });
  const { total } = await world.must('get-test-status-history', { projectId, testId: kept });
  expect(total).toBe(2);
  person.expectNoComplaint('409');
});

/** @see The session ended first, and the browser asked afterwards: what was typed could no longer be saved. */
test('signing out with unsaved text asks before the session ends', async () => {
  const leaver = await newPerson(browser, world.origin);
  await world.signIn(leaver, `/console/projects/${projectId}/tests`);
  const { page } = leaver;
  await page.getByRole('button', { name: 'New section', exact: true }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Typed');
  await page.keyboard.press('Escape');
  const signOut = async () => {
    await page.getByRole('button', { name: 'account and commands' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  const session = async () => {
    const headers = { 'x-trivet-console': '1' };
    return (await leaver.context.request.get(`${world.origin}/console/me`, { headers })).status();
  };
  const question = page.getByRole('dialog', { name: 'Sign out with unsaved text?' });
  // Also of what was typed before the page was loaded again.
  await Bun.sleep(800);
  await page.reload();
  await signOut();
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await session()).toBe(200);
  await signOut();
  await question.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/console/sign-in*');
  expect(await session()).toBe(401);
  await leaver.context.close();
});
