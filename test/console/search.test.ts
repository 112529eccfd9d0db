import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* A search that cannot mislead: it applies while a person types, filters write the query, and the button says what it does. */

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
  person = await newPerson(browser, world.origin, { width: 1440, height: 900 });
  await world.signIn(person, '/console/projects/1/tests');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const counted = async (query: string) =>
  Number((await world.must('get-tests', { projectId: 1, query, limit: 1 }))['total']);
/** By its selector: an open list of suggestions hides the page from roles. */
const shows = (count: number) =>
  person.page.locator('[role=status]').getByText(`${count} tests`, { exact: true }).waitFor();

test('a query applies while it is typed, half a query does not, and the way back is one step', async () => {
  const { page } = person;
  const box = page.getByRole('combobox', { name: 'Search tests' });
  await shows(300);
  await box.pressSequentially('voucher ');
  await shows(await counted('voucher'));
  // The space stays for the next word.
  expect(await box.inputValue()).toBe('voucher ');
  // At once: whoever pauses within a word asks for the half of it.
  await page.keyboard.insertText('priority:');
  await Bun.sleep(400);
  expect(new URL(page.url()).searchParams.get('query')).toBe('voucher');
  await page.keyboard.insertText('High');
  await page.waitForURL(/priority/);
  expect(await page.locator('[role=alert]').count()).toBe(0);
  await page.keyboard.press('Escape');
  await box.fill('');
  await shows(300);
  person.expectNoComplaint();
});

test('filters write the query, and the query shows in the filters', async () => {
  const { page } = person;
  const filters = page.getByRole('group', { name: 'Filters' });
  await filters.getByRole('button', { name: 'Last result, filter' }).click();
  await page.getByRole('menuitem', { name: 'failed' }).click();
  await shows(await counted('last:failed'));
  await filters.getByRole('button', { name: 'Priority, filter' }).click();
  await page.getByRole('menuitem', { name: 'High' }).click();
  await page.waitForURL(/priority/);
  const box = page.getByRole('combobox', { name: 'Search tests' });
  expect(await box.inputValue()).toBe('last:failed priority:High');
  await filters.getByRole('button', { name: 'Last result: failed, change the filter' }).click();
  await page.getByRole('menuitem', { name: 'Any' }).click();
  await shows(await counted('priority:High'));
  await box.fill('label:smoke');
  await page.waitForURL(/label/);
  await page.keyboard.press('Escape');
  await filters.getByRole('button', { name: 'Label: smoke, change the filter' }).waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});

test('in a run, too', async () => {
  const { page } = person;
  const { runs } = await world.must('get-runs', { projectId: 1, query: 'sort:created-desc', limit: 1 });
  await page.goto(`${world.origin}/console/projects/1/runs/${(runs as Array<{ runId: number }>)[0]?.runId}`);
  await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'Status, filter' }).click();
  await page.getByRole('menuitem', { name: 'untested' }).click();
  await page.getByRole('grid').and(page.locator('[aria-rowcount="83"]')).waitFor();
  const box = page.getByRole('combobox', { name: 'Search tests of the run' });
  await box.fill('status:untested voucher');
  await page.waitForURL(/voucher/);
  await page.keyboard.press('Escape');
  await page.getByRole('grid').and(page.locator(':not([aria-rowcount="83"])')).waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});
