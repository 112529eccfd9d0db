import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, nextFrames, openChromium, phone, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* Tables to work in: rows are dragged onto sections, ranges are ticked, and panels keep their width. */

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
  person = await newPerson(browser, world.origin, { width: 1440, height: 900 });
  await world.signIn(person, '/console/projects/1/tests');
  await person.page.getByRole('grid', { name: 'Tests' }).locator('[data-test-id]').first().waitFor();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const sectionOf = async (testId: number) =>
  ((await world.must('get-test-details', { projectId: 1, testId }))['sectionPath'] as readonly string[])[0];

const idAt = async (nth: number) =>
  Number(
    await person.page
      .getByRole('grid', { name: 'Tests' })
      .locator('[data-test-id]')
      .nth(nth)
      .getAttribute('data-test-id'),
  );

test('Shift ticks a range, and the ticked tests are dragged onto a section; Undo takes them back', async () => {
  const { page } = person;
  const grid = page.getByRole('grid', { name: 'Tests' });
  const boxes = grid.getByRole('checkbox');
  await boxes.nth(1).click();
  await boxes.nth(4).click({ modifiers: ['Shift'] });
  await page.getByText('4 selected').waitFor();
  const ids = await Promise.all([1, 2, 3, 4].map(idAt));
  const before = await Promise.all(ids.map(sectionOf));
  await grid
    .locator('[data-test-id]')
    .nth(2)
    .dragTo(page.getByRole('row', { name: 'Platform' }));
  await page.getByText('4 tests were moved.').waitFor();
  expect(await Promise.all(ids.map(sectionOf))).toEqual(ids.map(() => 'Platform'));
  await page.getByRole('button', { name: 'Undo' }).click();
  for (let tries = 0; tries < 40 && (await sectionOf(ids[0] ?? 0)) === 'Platform'; tries++)
    await Bun.sleep(50);
  expect(await Promise.all(ids.map(sectionOf))).toEqual(before);
  person.expectNoComplaint();
});

test('a row that is not ticked moves alone', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'Clear' }).first().click();
  const id = await idAt(0);
  await page
    .getByRole('grid', { name: 'Tests' })
    .locator('[data-test-id]')
    .first()
    .dragTo(page.getByRole('row', { name: 'Account' }));
  await page.getByText('1 test was moved.').waitFor();
  expect(await sectionOf(id)).toBe('Account');
  person.expectNoComplaint();
});

test('the panel has the width that a person gave it, by pointer or by keys, also after a reload', async () => {
  const { page } = person;
  await page.goto(`${world.origin}/console/projects/1/tests/4`);
  const panel = page.getByRole('region', { name: 'Test', exact: true });
  const width = async () => Math.round((await panel.boundingBox())?.width ?? 0);
  await panel.waitFor();
  const line = page.getByRole('separator', { name: 'Width of the test' });
  const box = await line.boundingBox();
  if (!box) throw new Error('no line');
  await page.mouse.move(box.x + 4, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x - 96, box.y + 200, { steps: 4 });
  await page.mouse.up();
  await nextFrames(page);
  const drawn = await width();
  expect(Math.abs(drawn - (1440 - box.x - 4 + 100))).toBeLessThan(12);
  await line.focus();
  await page.keyboard.press('ArrowRight');
  await nextFrames(page);
  expect(await width()).toBe(drawn - 16);
  await page.reload();
  await panel.waitFor();
  expect(await width()).toBe(drawn - 16);
  await person.expectAccessible();
  await line.dblclick();
  await nextFrames(page);
  expect(await width()).not.toBe(drawn - 16);
  person.expectNoComplaint();
});

test('a column has the width that a person gave it, by pointer or by keys, also after a reload', async () => {
  const { page } = person;
  await page.goto(`${world.origin}/console/projects/1/tests`);
  const head = page.getByRole('columnheader', { name: 'Name', exact: true });
  const width = async () => Math.round((await head.boundingBox())?.width ?? 0);
  await head.waitFor();
  const box = await head.boundingBox();
  if (!box) throw new Error('no column');
  const edge = { x: box.x + box.width - 3, y: box.y + box.height / 2 };
  await page.mouse.move(edge.x, edge.y);
  await page.mouse.down();
  await page.mouse.move(edge.x - 100, edge.y, { steps: 4 });
  await page.mouse.up();
  await nextFrames(page);
  const drawn = await width();
  expect(Math.abs(drawn - (box.width - 103))).toBeLessThan(3);
  // A click on the edge sorts nothing.
  expect(new URL(page.url()).search).toBe('');
  await head.getByRole('button').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await nextFrames(page);
  expect(await width()).toBe(drawn + 16);
  await page.reload();
  await head.waitFor();
  expect(await width()).toBe(drawn + 16);
  await person.expectAccessible();
  const now = await head.boundingBox();
  if (now) await page.mouse.dblclick(now.x + now.width - 3, edge.y);
  await nextFrames(page);
  expect(await width()).toBe(Math.round(box.width));
  person.expectNoComplaint();
});

/** Chooses a field and a value in the bar above the ticked tests. */
async function chooseInBar(field: string, value: string): Promise<void> {
  const { page } = person;
  await page.getByRole('button', { name: 'Set field…' }).click();
  await page.getByRole('option', { name: field, exact: true }).click();
  await page.getByRole('button', { name: `Value of ${field}` }).click();
  await page.getByRole('option', { name: value, exact: true }).click();
}

test('a change of all that are shown says how many it changed, and then means those that are ticked', async () => {
  const { page } = person;
  const query = 'priority:critical';
  await page.goto(`${world.origin}/console/projects/1/tests?query=${encodeURIComponent(query)}`);
  const boxes = page.getByRole('grid', { name: 'Tests' }).getByRole('checkbox');
  await boxes.nth(0).click();
  await boxes.nth(1).click();
  const critical = Number((await world.must('get-tests-count', { projectId: 1, query }))['total']);
  await page.getByText(`All ${critical} that are shown`).click();
  await chooseInBar('Priority', 'Low');
  const { priorities } = await world.must('get-priority', { projectId: 1 });
  const most = (priorities as Array<{ priorityId: number; priorityName: string }>).find(
    ({ priorityName }) => priorityName === 'Critical',
  );
  await world.must('create-test', {
    projectId: 1,
    testName: 'Of somebody else',
    priorityId: most?.priorityId,
  });
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText(`${critical + 1} tests were changed.`).waitFor();
  await page.getByText('No test is found').waitFor();
  await page.getByRole('region', { name: 'Selected tests' }).getByText('2 selected').waitFor();
  person.expectNoComplaint();
});

test('a ticked test that somebody deletes is told in words, and leaves the list', async () => {
  const { page } = person;
  await page.goto(`${world.origin}/console/projects/1/tests`);
  const grid = page.getByRole('grid', { name: 'Tests' });
  await grid.getByRole('checkbox').nth(0).click();
  await grid.getByRole('checkbox').nth(1).click();
  await chooseInBar('Priority', 'Medium');
  const id = await idAt(1);
  await world.must('bulk-delete-tests', { projectId: 1, testIds: [id] });
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('1 test is deleted by now and no longer selected.').first().waitFor();
  await grid.locator(`[data-test-id="${id}"]`).waitFor({ state: 'detached' });
  person.expectNoComplaint('status of 404');
});

test('Shift ticks no range from a test that another query no longer shows there', async () => {
  const { page } = person;
  await page.goto(`${world.origin}/console/projects/1/tests`);
  const grid = page.getByRole('grid', { name: 'Tests' });
  await grid.getByRole('checkbox').nth(6).click();
  const before = await idAt(1);
  await page.getByRole('combobox', { name: 'Search tests' }).fill('label:smoke');
  await grid.locator(`[data-test-id="${before}"]`).waitFor({ state: 'detached' });
  await grid
    .getByRole('checkbox')
    .nth(1)
    .click({ modifiers: ['Shift'] });
  await page.getByRole('region', { name: 'Selected tests' }).getByText('1 selected').waitFor();
  person.expectNoComplaint();
});

/** @see On a telephone the column of actions lay over the roles, and the tables of Home scrolled sideways. */
test.each(['', 'people'])('on a telephone the tables of /console/%s fit', async (path) => {
  const one = await newPerson(browser, world.origin, { ...phone, locale: 'de-DE' });
  const { page } = one;
  // Its words are German.
  const url = new URL(await world.link());
  url.searchParams.set('next', `/console/${path}`);
  await page.goto(url.href);
  await page.getByRole('button').first().click();
  await page.locator('.table-frame').last().waitFor();
  await page.waitForLoadState('networkidle');
  const wide = await page
    .locator('.table-frame')
    .evaluateAll((frames) =>
      frames
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
        .map((frame) => [frame.getAttribute('aria-label'), frame.scrollWidth, frame.clientWidth]),
    );
  expect(wide).toEqual([]);
  one.expectNoComplaint();
  await one.context.close();
});

/** @see On a telephone a shared project was wider than the screen: the bars of its twenty runs have one width each. */
test('on a telephone the page of a shared project fits', async () => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const { url } = await world.must('create-share-link', { projectId: 1, expiresAt });
  const one = await newPerson(browser, world.origin, phone);
  await one.page.goto(String(url));
  await one.page.getByRole('heading', { level: 1 }).waitFor();
  const over = await one.page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(over).toBe(0);
  one.expectNoComplaint();
  await one.context.close();
});

/** @see "No test is found" stood below what was wrong with the query, as if it had been searched for. */
test.each([
  ['tests', 'tests'],
  ['a run', 'runs/1'],
])('a query of %s with a mistake finds nothing and says why', async (_, part) => {
  const { page } = person;
  await page.goto(`${world.origin}/console/projects/1/${part}?query=nonsense%3A1`);
  await page.getByText('There is no field "nonsense" here').first().waitFor();
  expect(await page.getByText('No test is found').count()).toBe(0);
  await page.goto(`${world.origin}/console/projects/1/${part}?query=name%3Ano-test-has-this`);
  await page.getByText('No test is found').waitFor();
  person.expectNoComplaint('status of 400');
});

/** @see After the rows of the last page were deleted, an empty table said "52–52 of 52 runs", and Previous led to a page that began in its middle. */
test('a page of a list whose rows are gone is the last one that there is, and no step of the history', async () => {
  const { page } = person;
  const list = `${world.origin}/console/projects/1/runs`;
  await page.goto(list);
  await page.getByText('1–50 of 52 runs').waitFor();
  await page.goto(`${list}?offset=100`);
  await page.getByText('51–52 of 52 runs').waitFor();
  const rows = page.getByRole('region', { name: 'Runs' }).getByRole('row');
  await rows.nth(2).waitFor();
  expect(await rows.count()).toBe(3);
  await page.goBack();
  await page.getByText('1–50 of 52 runs').waitFor();
  person.expectNoComplaint();
});
