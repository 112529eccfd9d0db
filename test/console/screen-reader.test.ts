import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* The page of a run as a screen reader gets it: the names of Chromium's accessibility tree, what is announced, and the way to the list. */

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let address: string;
let run: { readonly projectId: number; readonly runId: number };
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  const { projectId } = await world.must('create-project', { orgId: 1, projectName: 'Shop' });
  const section = await world.must('add-section', { projectId, sectionName: 'Checkout' });
  const names = ['Pay with a card', 'Pay with PayPal', 'Pay later', 'Cancel'];
  const items = names.map((testName) => ({ testName, sectionId: section['sectionId'] }));
  const { tests } = await world.must('bulk-add-tests', { projectId, tests: items });
  const testIds = (tests as Array<{ testId: number }>).map(({ testId }) => testId);
  const runOf = async (runName: string, status: string) => {
    const { runId } = await world.must('create-run', { projectId, runName, testIds });
    const testResults = [{ testId: testIds[0], status, comment: 'The bank answered 503' }];
    await world.must('run-update-test-status', { projectId, runId, testResults });
    return Number(runId);
  };
  await runOf('Release 1', 'passed');
  run = { projectId: Number(projectId), runId: await runOf('Release 2', 'failed') };
  address = `/console/projects/${run.projectId}/runs/${run.runId}`;
  person = await newPerson(browser, world.origin, { width: 1440, height: 900 });
  await world.signIn(person, address);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

interface AxNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role?: { readonly value?: unknown };
  readonly name?: { readonly value?: unknown };
  readonly childIds?: readonly string[];
}

/** What may have a name, in the order in which it is read: "role: name". */
async function heard(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as {
    readonly nodes: readonly AxNode[];
  };
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const said: string[] = [];
  const read = (id: string): void => {
    const node = byId.get(id);
    if (!node) return;
    const name = String(node.name?.value ?? '');
    if (!node.ignored && name !== '') said.push(`${String(node.role?.value)}: ${name}`);
    for (const child of node.childIds ?? []) read(child);
  };
  read(nodes[0]?.nodeId ?? '');
  return said;
}

const rows = (lines: readonly string[]) => lines.filter((line) => line.startsWith('row: ')).slice(1);

test('the tree of a run reads as sentences, in the order of the page', async () => {
  const { page } = person;
  await page.getByRole('link', { name: '1 failing: 1 new since Release 1' }).waitFor();
  await page.getByRole('region', { name: 'Comments' }).getByText('The bank answered 503').waitFor();
  await page.getByRole('list', { name: 'Last results, the oldest first' }).first().waitFor();
  const lines = await heard(page);
  const expected = [
    'RootWebArea: Release 2 – Trivet',
    'link: Skip to the page',
    'button: Skip to the list',
    'heading: Release 2',
    'link: 1 failing: 1 new since Release 1',
    'image: 0 passed, 1 failed, 0 blocked, 0 retest, 3 untested',
    'list: Tests by status',
    'button: Passed 0',
    'button: Failed 1',
    'tablist: About the run',
    'combobox: Search tests of the run',
    'grid: Tests of the run',
    'row: Pay with a card: failed. Section Checkout.',
    'row: Pay with PayPal: untested. Section Checkout.',
    'region: Selected test',
    'heading: Pay with a card',
    'group: Set the status',
    'heading: Comments',
    'list: Last results, the oldest first',
  ];
  let from = 0;
  for (const line of expected) {
    const at = lines.indexOf(line, from);
    expect([line, at >= 0]).toEqual([line, true]);
    from = at;
  }
  expect(lines.filter((line) => /^link: (?:Passed|Failed) in Release \d, /.test(line)).length).toBe(2);
  // Nothing to press is without words, or an icon or a letter alone.
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as {
    readonly nodes: readonly AxNode[];
  };
  const nameless = nodes.filter(
    ({ ignored, role, name }) =>
      !ignored &&
      ['button', 'link', 'tab', 'textbox', 'combobox', 'checkbox'].includes(String(role?.value)) &&
      !/\p{L}{2}/u.test(String(name?.value ?? '')),
  );
  expect(nameless.map(({ role }) => role?.value)).toEqual([]);
  person.expectNoComplaint();
});

test('a key says what it has done, and the row says it afterwards', async () => {
  const { page } = person;
  const said = page.getByRole('status', { name: 'What was done' });
  expect(await said.getAttribute('aria-live')).toBe('polite');
  await page.keyboard.press('j');
  await said.getByText('Pay with PayPal, untested, 2 of 4').waitFor();
  await page.keyboard.press('F');
  await said.getByText('Failed: Pay with PayPal, 2 of 4', { exact: true }).waitFor();
  await page.getByRole('link', { name: '2 failing: 2 new since Release 1' }).waitFor();
  expect(rows(await heard(page))[1]).toBe('row: Pay with PayPal: failed. Section Checkout.');
  await page.keyboard.press('p');
  await said
    .getByText('Passed: Pay with PayPal. Next: Pay later, untested, 3 of 4')
    .or(said.getByText('Passed: Pay with PayPal. Next: Pay later, 3 of 4'))
    .waitFor();
  await page.keyboard.press('z');
  await said.getByText('Undone, failed: Pay with PayPal').waitFor();
  // The page shows it at once. The next test leaves the page, which would drop a request that is on its way.
  const stored = async () => {
    const { tests } = await world.must('get-run-tests-list', run);
    const test = (tests as Array<{ testName: string; testId: number }>).find(
      ({ testName }) => testName === 'Pay with PayPal',
    );
    const of = { runId: run['runId'], testId: test?.testId };
    const { history } = await world.must('get-test-status-history-in-run', of);
    return (history as Array<{ status: string }>).map(({ status }) => status);
  };
  const wanted = ['failed', 'passed', 'failed'];
  const until = Date.now() + 10_000;
  while (!Bun.deepEquals(await stored(), wanted) && Date.now() < until) await Bun.sleep(50);
  expect(await stored()).toEqual(wanted);
  person.expectNoComplaint();
});

test('the list is at most five Tabs away, by a skip link, and its rows are heard by the arrow keys', async () => {
  const { page } = person;
  await page.goto(`${world.origin}${address}`);
  await page.getByRole('grid').locator('[data-test-id]').first().waitFor();
  let tabs = 0;
  const named = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  while ((await named()) !== 'Skip to the list' && tabs < 5) {
    await page.keyboard.press('Tab');
    tabs++;
  }
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid');
  expect(tabs).toBeLessThanOrEqual(5);
  process.stdout.write(`figure: Tabs to the list of a run: ${tabs}\n`);
  await page.keyboard.press('ArrowDown');
  // The grid keeps the focus, and names the row that a screen reader reads.
  const active = () =>
    page.evaluate(() => {
      const id = document.activeElement?.getAttribute('aria-activedescendant') ?? '';
      return document.getElementById(id)?.getAttribute('aria-label') ?? '';
    });
  for (let tries = 0; tries < 50 && !(await active()).startsWith('Pay with PayPal'); tries++)
    await Bun.sleep(50);
  expect(await active()).toBe('Pay with PayPal: failed. Section Checkout.');
  await person.expectAccessible();
  person.expectNoComplaint();
});

/** @see A link changed the page without a word: a screen reader went on as if nothing had happened. */
test('a page that is opened by a link says its name', async () => {
  const { page } = person;
  await page.goto(`${world.origin}${address}`);
  await page.getByRole('heading', { level: 1, name: 'Release 2' }).waitFor();
  const said = page.getByRole('status', { name: 'What was done' });
  // The document was loaded: its title is heard anyway.
  await Bun.sleep(600);
  expect(await said.innerText()).toBe('');
  const open = async (name: string, heard: string) => {
    await page.getByRole('link', { name, exact: true }).first().focus();
    await page.keyboard.press('Enter');
    await said.getByText(heard, { exact: true }).waitFor();
  };
  await open('Runs', 'Runs');
  await open('Release 1', 'Release 1');
  await page.goBack();
  await said.getByText('Runs', { exact: true }).waitFor();
  person.expectNoComplaint();
});

describe('on a telephone', () => {
  let page: Page;
  beforeAll(async () => {
    const caller = await newPerson(browser, world.origin, { width: 390, height: 844 });
    await world.signIn(caller, '/console/');
    page = caller.page;
  });

  test('the page of a test has its one heading', async () => {
    const { tests } = (await world.must('get-tests', { projectId: run.projectId })) as {
      tests: Array<{ testId: number }>;
    };
    await page.goto(`${world.origin}/console/projects/${run.projectId}/tests/${tests[0]?.testId}`);
    await page.getByRole('heading', { level: 2, name: 'Pay with a card' }).waitFor();
    expect((await heard(page)).filter((line) => line === 'heading: Tests')).toHaveLength(1);
    // The list is not to be reached, only its heading is heard.
    expect(await page.getByRole('grid', { name: 'Tests' }).count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('the link with the focus is whole in sight', async () => {
    await page.goto(`${world.origin}/console/`);
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await links.first().waitFor();
    await links.first().focus();
    for (let at = 1; at < (await links.count()); at++) {
      await page.keyboard.press('Tab');
      const seen = await page.evaluate(() => {
        const { left, right } = document.activeElement?.getBoundingClientRect() ?? { left: -1, right: -1 };
        return left >= 0 && right <= window.innerWidth;
      });
      expect([at, seen]).toEqual([at, true]);
    }
  });
});
