import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Locator } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1)) ${7*7}';

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let projectId: number;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  person = await newPerson(browser, world.origin);
  await world.signIn(person, `/console/projects/${projectId}/tests`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const testsNow = async (query = '') => {
  const { tests } = await world.must('get-tests', { projectId, limit: 500, ...(query && { query }) });
  return tests as ReadonlyArray<{ readonly testId: number; readonly testName: string }>;
};

/** Fails unless it gets within the window. */
async function expectInView(place: Locator) {
  const { page } = person;
  const bottom = async () => (await place.boundingBox())?.y ?? Infinity;
  for (let tries = 0; tries < 20 && (await bottom()) > 780; tries++) await page.waitForTimeout(50);
  expect(await bottom()).toBeLessThan(780);
}

test('sections are created, renamed, moved and deleted with what is in them', async () => {
  const { page } = person;
  for (const name of ['Checkout', 'Basket']) {
    await page.getByRole('button', { name: 'New section' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create section' }).click();
    await page.getByRole('row', { name }).waitFor();
  }
  await page.getByRole('button', { name: 'Actions for Basket' }).click();
  await page.getByRole('menuitem', { name: 'Move to…' }).click();
  await page.getByRole('button', { name: /Below/ }).click();
  await page.getByRole('option', { name: 'Checkout' }).click();
  await page.getByRole('button', { name: 'Move section' }).click();
  await page.getByRole('button', { name: 'Open Checkout' }).click();
  await page.getByRole('row', { name: 'Basket' }).waitFor();
  await person.expectAccessible();
  const { sections } = await world.must('get-sections', { projectId });
  expect((sections as Array<{ sectionPath: string[] }>).map(({ sectionPath }) => sectionPath)).toEqual([
    ['Checkout'],
    ['Checkout', 'Basket'],
  ]);
  person.expectNoComplaint();
});

test('tests are created by name and Enter, in the chosen section', async () => {
  const { page } = person;
  await page.getByRole('row', { name: 'Basket' }).click();
  const line = page.getByLabel('Name of a new test');
  for (const name of ['Pay with a card', 'Pay with a voucher', hostile]) {
    await line.fill(name);
    await line.press('Enter');
    await page.getByRole('grid', { name: 'Tests' }).getByText(name).waitFor();
  }
  expect((await testsNow('section:Basket')).map(({ testName }) => testName)).toEqual([
    'Pay with a card',
    'Pay with a voucher',
    hostile,
  ]);
  await person.expectAccessible();
  person.expectNoComplaint();
});

test('the back button returns to the section that was chosen before', async () => {
  const { page } = person;
  const chosen = (name: string) => page.locator('.tree-item[aria-selected=true]', { hasText: name });
  await page.getByRole('button', { name: 'All tests' }).click();
  for (const name of ['Basket', 'Checkout']) {
    await page.getByRole('row', { name, exact: true }).click();
    await chosen(name).waitFor();
  }
  await page.goBack();
  await chosen('Basket').waitFor();
  person.expectNoComplaint();
});

test('the search box completes the query language, and the address keeps what was searched', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'All tests' }).click();
  const box = page.getByRole('combobox', { name: 'Search tests' });
  await box.fill('last:un');
  await page.getByRole('option', { name: 'last:untested' }).waitFor();
  await box.fill('voucher');
  await box.press('Enter');
  await page.waitForURL(/query=voucher/);
  await page.getByRole('status').getByText('1 test', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('status').getByText('1 test', { exact: true }).waitFor();
  await box.fill('nosuchfield:1');
  await box.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('nosuchfield');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('status').getByText('3 tests').waitFor();
  person.expectNoComplaint('status of 400');
});

test('a test is edited beside the table; what another person stored meanwhile is not lost', async () => {
  const { page } = person;
  const [first] = await testsNow('card');
  if (!first) throw new Error('no test');
  await page.getByRole('grid', { name: 'Tests' }).getByText('Pay with a card').click();
  await page.waitForURL(new RegExp(`/tests/${first.testId}`));
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Description').fill(`**Bold** ${hostile}`);
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('textbox', { name: 'Step 1' }).fill('Open the basket');
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('textbox', { name: 'Step 2' }).fill('Pay');
  await page.getByRole('button', { name: 'Move step 2 up' }).click();
  await page.getByLabel('New label').fill('smoke');
  await page.getByRole('button', { name: 'Add label' }).click();
  await page.getByRole('checkbox', { name: 'smoke' }).waitFor();
  await world.must('update-test', { testId: first.testId, preconditions: 'A basket' });
  await page.getByRole('button', { name: 'Save test' }).click();
  await page.getByText('A basket').first().waitFor();
  // A second attempt without a decision is refused again.
  await page.getByRole('button', { name: 'Save test' }).click();
  await page.getByRole('button', { name: 'Replace it with mine' }).waitFor();
  expect((await world.must('get-test-details', { testId: first.testId, projectId }))['preconditions']).toBe(
    'A basket',
  );
  await page.getByRole('button', { name: 'Replace it with mine' }).click();
  await page.getByText('The test was saved.').waitFor();
  expect((await world.must('get-test-details', { testId: first.testId, projectId }))['preconditions']).toBe(
    'A basket',
  );
  await page.locator('strong', { hasText: 'Bold' }).waitFor();
  await person.expectAccessible();
  const stored = await world.must('get-test-details', { testId: first.testId, projectId });
  expect(stored['steps']).toEqual([{ action: 'Pay' }, { action: 'Open the basket' }]);
  expect(stored['labels']).toMatchObject([{ labelName: 'smoke' }]);
  await page.getByRole('tab', { name: 'Activity' }).click();
  await page.getByText('changed a test').first().waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await world.must('update-test', { testId: first.testId, preconditions: 'Two baskets' });
  await page.getByLabel('Description').fill('By a key');
  await page.keyboard.press('Control+s');
  // A key saves from the top of a long form: the refusal comes to the person.
  const refusal = page.getByText('was changed after you read it');
  await refusal.waitFor();
  await expectInView(refusal);
  await page.getByRole('button', { name: 'Cancel' }).click();
  // Nothing was changed: nothing is sent, and nothing is refused.
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Save test' }).click();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  await page.getByRole('button', { name: 'Close the test' }).click();
  person.expectNoComplaint('status of 409');
});

test('Enter goes on in the steps, and the focus stays where the hands are', async () => {
  const { page } = person;
  const focused = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      return activeElement instanceof HTMLTextAreaElement || activeElement instanceof HTMLInputElement
        ? (activeElement.labels?.[0]?.textContent ?? '')
        : (activeElement?.getAttribute('aria-label') ?? activeElement?.textContent);
    });
  const expectFocus = async (label: string) => {
    for (let tries = 0; tries < 40 && (await focused()) !== label; tries++) await Bun.sleep(25);
    expect(await focused()).toBe(label);
  };
  await page.getByRole('link', { name: 'Pay with a voucher' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Add step' }).click();
  await expectFocus('Step 1');
  await page.keyboard.type('Open the basket');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expectFocus('Expected');
  await page.keyboard.type('It is shown');
  await page.keyboard.press('Enter');
  await expectFocus('Step 2');
  await page.keyboard.type('Pay');
  await page.getByRole('button', { name: 'Move step 2 up' }).press('Enter');
  // It is first now, so only the other direction is left.
  await expectFocus('Move step 1 down');
  await page.keyboard.press('Enter');
  await expectFocus('Move step 2 up');
  await page.getByRole('button', { name: 'Remove step 2' }).press('Enter');
  await expectFocus('Step 1');
  const saved = page.getByText('The test was saved.');
  // The message of the test before is shown for 6 s, and a fast machine is here earlier.
  await saved.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+Enter');
  await saved.waitFor();
  await expectFocus('Edit');
  const [test] = await testsNow('voucher');
  const { steps } = await world.must('get-test-details', { testId: test?.testId, projectId });
  expect(steps).toEqual([{ action: 'Open the basket', expected: 'It is shown' }]);
  await page.getByRole('button', { name: 'Close the test' }).click();
  person.expectNoComplaint();
});

test('typed text of a test is there again, and the browser asks before the tab closes', async () => {
  const { page } = person;
  await page.getByRole('link', { name: 'Pay with a voucher' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Description').fill('Half a sentence');
  // A different test, and a different page.
  await page.getByRole('link', { name: 'Pay with a card' }).click();
  await page.getByRole('heading', { level: 2, name: 'Pay with a card' }).waitFor();
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.getByRole('link', { name: 'Tests', exact: true }).click();
  await page.getByRole('link', { name: 'Pay with a voucher' }).click();
  await page.getByText('You typed this before and did not save it.').waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('Half a sentence');
  await person.expectAccessible();
  const asked = new Promise<string>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.type());
      void dialog.dismiss();
    });
  });
  await page.close({ runBeforeUnload: true });
  expect(await asked).toBe('beforeunload');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await page.getByLabel('Description').inputValue()).toBe('');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Close the test' }).click();
  person.expectNoComplaint();
});

/** @see An ended session led to a page without any way to sign in, and what was typed was lost on the way. */
test('what is typed is there after a reload, and after signing in again', async () => {
  const { page } = person;
  const title = page.getByRole('heading', { level: 2, name: 'Pay with a voucher' });
  const typed = async () => {
    await page.getByText('You typed this before and did not save it.').waitFor();
    return page.getByLabel('Description').inputValue();
  };
  await page.getByRole('link', { name: 'Pay with a voucher' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Description').fill('Before the reload');
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await title.waitFor();
  expect(await typed()).toBe('Before the reload');
  await page.getByLabel('Description').fill('Before the sign-in');
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save test' }).click();
  await page.getByText('You are signed out. What you typed is kept in this tab.').waitFor();
  await person.expectAccessible();
  const address = new URL(page.url()).pathname;
  await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toBe(address);
  await page.context().addCookies(cookies);
  await page.goto(`${world.origin}${address}`);
  expect(await typed()).toBe('Before the sign-in');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.reload();
  await title.waitFor();
  expect(await page.getByLabel('Description').count()).toBe(0);
  await page.getByRole('button', { name: 'Close the test' }).click();
  // Whoever signs in to the same tab next does not see it.
  await page.evaluate(() => sessionStorage.setItem('trivet-drafts-of', '999'));
  await page.evaluate(() => sessionStorage.setItem('trivet-draft:test:1', '{"base":{},"typed":{}}'));
  await page.reload();
  await page.getByRole('grid', { name: 'Tests' }).waitFor();
  expect(
    await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('draft:'))),
  ).toEqual([]);
  person.expectNoComplaint('status of 401');
});

test('a dialog that was left by Escape has its text when it is opened again; Cancel gives it up', async () => {
  const { page } = person;
  const name = page.getByRole('dialog').getByLabel('Name');
  const open = async () => {
    await page.getByRole('button', { name: 'Create run' }).click();
    await name.waitFor();
  };
  await open();
  await name.fill('Half a name');
  await page.keyboard.press('Escape');
  await name.waitFor({ state: 'detached' });
  await open();
  await page.getByText('You typed this before and did not save it.').waitFor();
  expect(await name.inputValue()).toBe('Half a name');
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await open();
  expect(await name.inputValue()).toBe('');
  await name.fill('Before the sign-in');
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole('dialog').getByRole('button', { name: 'Create run' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.context().addCookies(cookies);
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  await open();
  expect(await name.inputValue()).toBe('Before the sign-in');
  await page.getByRole('button', { name: 'Cancel' }).click();
  person.expectNoComplaint('status of 401');
});

test('the activity of a test is never old: after a bulk change, a deletion and a restore', async () => {
  const { page } = person;
  await page.getByRole('link', { name: 'Pay with a card' }).click();
  await page.getByRole('tab', { name: 'Activity' }).click();
  const entries = page.getByRole('tabpanel', { name: 'Activity' }).getByRole('listitem');
  // Not what the list shows first: that may be what it was before another client changed the test.
  const [{ testId = 0 } = {}] = await testsNow('name:"Pay with a card"');
  const { activities } = await world.must('list-activity', { projectId, testId });
  const before = (activities as readonly unknown[]).length;
  const expectMore = async (more: number) => {
    for (let tries = 0; tries < 80 && (await entries.count()) !== before + more; tries++) {
      await Bun.sleep(50);
      // The panel hears of the deletion and of the restoration one after the other, and then opens anew with its first tab.
      await page.getByRole('tab', { name: 'Activity' }).click();
    }
    expect(await entries.count()).toBe(before + more);
  };
  await expectMore(0);
  await page.getByLabel('Select Pay with a card').check();
  await page.getByRole('button', { name: /Set field/ }).click();
  await page.getByRole('option', { name: 'Type', exact: true }).click();
  await page.getByRole('button', { name: /Value of Type/ }).click();
  await page.getByRole('option', { name: 'Smoke' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await expectMore(1);
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.getByRole('button', { name: 'Actions for Pay with a card' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete test' }).click();
  await page.getByText('Pay with a card was deleted.').waitFor();
  await page.getByRole('button', { name: 'Restore' }).click();
  // By key: the row comes back and moves the others, and a click on its place may meet its neighbour.
  await page.getByRole('link', { name: 'Pay with a card' }).press('Enter');
  await page.getByRole('tab', { name: 'Activity' }).click();
  await expectMore(3);
  await page.getByRole('button', { name: 'Close the test' }).click();
  // The panel may ask for the test between its deletion and its restoration.
  person.expectNoComplaint('404');
});

test('several tests are changed at once, and deleted', async () => {
  const { page } = person;
  await page.getByLabel('Select Pay with a card').check();
  await page.getByLabel('Select Pay with a voucher').check();
  await page.getByRole('button', { name: /Set field/ }).click();
  await page.getByRole('option', { name: 'Priority' }).click();
  await page.getByRole('button', { name: /Value of Priority/ }).click();
  await page.getByRole('option', { name: 'High' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('2 tests were changed.').waitFor();
  await person.expectAccessible();
  expect((await testsNow('priority:High')).length).toBe(2);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete tests' }).click();
  await page.getByText('2 tests were deleted.').waitFor();
  expect((await testsNow()).length).toBe(1);
  expect((await testsNow('is:deleted')).length).toBe(2);
  person.expectNoComplaint();
});

test('deleted tests are found and restored, one in its panel and several by the boxes', async () => {
  const { page } = person;
  await page.goto(`${world.origin}/console/projects/${projectId}/tests?query=is:deleted`);
  await page.getByRole('link', { name: 'Pay with a card' }).press('Enter');
  const panel = page.getByRole('region', { name: 'Test', exact: true });
  await panel.getByText('This test is deleted').waitFor();
  expect(await panel.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  await panel.getByRole('button', { name: 'Restore' }).click();
  await panel.getByRole('heading', { name: 'Pay with a card' }).waitFor();
  await panel.getByRole('button', { name: 'Edit' }).waitFor();
  expect((await testsNow('is:deleted')).map(({ testName }) => testName)).toEqual(['Pay with a voucher']);
  await page.getByRole('button', { name: 'Close the test' }).click();
  await page.getByLabel('Select Pay with a voucher').check();
  // What cannot be done to a deleted test is not offered.
  expect(await page.getByRole('button', { name: 'Delete…' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('1 test was restored.').waitFor();
  expect((await testsNow('is:deleted')).length).toBe(0);
  person.expectNoComplaint('404');
  await world.must('bulk-delete-tests', {
    projectId,
    testIds: (await testsNow('priority:High')).map(({ testId }) => testId),
  });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
});

test('a file is imported: first what it would add, with the faults of its rows', async () => {
  const { page } = person;
  await page.getByRole('button', { name: /Actions for tests/i }).click();
  await page.getByRole('menuitem', { name: 'Import…' }).click();
  const csv = (rows: string) => ({ name: 'tests.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
  await page.getByLabel('File').setInputFiles(csv('testName,section\n,A\n'));
  await page.getByText(/Row 2|Row 1/).waitFor();
  // An export of this project would add its tests again.
  await page.getByLabel('File').setInputFiles(csv('testId,testName\n1,Pay with a card\n'));
  await page.getByText('would be there a second time').waitFor();
  await page.getByLabel('File').setInputFiles(csv('testName,section\nFrom a file,New place\n'));
  await page.getByText('1 test would be added, and 1 section.').waitFor();
  expect(await page.getByText('would be there a second time').count()).toBe(0);
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Import 1 test' }).click();
  await page.getByText('1 test was imported.').waitFor();
  expect((await testsNow('"From a file"')).length).toBe(1);
  person.expectNoComplaint();
});
