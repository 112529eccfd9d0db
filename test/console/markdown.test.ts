import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* Texts of a test as Markdown: what was typed is read as it was meant, within the width of the panel, and by everybody. */

const word = 'x'.repeat(120);
const testDescription = [
  '# main',
  '',
  '- one',
  '- two',
  '',
  'A paragraph.',
  '',
  '- [ ] open box',
  '- [x] ticked box',
  '',
  `A long word ${word}`,
  '',
  '| a | b |',
  '| - | - |',
  `| ${'y'.repeat(70)} | 2 |`,
  '',
  '```',
  `trivet --data ${word} --> ${word}`,
  '```',
].join('\n');

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let address: string;
let runAddress: string;

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  const projectId = Number(
    (await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId'],
  );
  const added = await world.must('create-test', {
    projectId,
    testName: 'Pay',
    testDescription,
    preconditions: 'Log in as admin\nOpen the cart\nRemove all lines',
    steps: [
      {
        action: '**bold** step\nsecond line',
        data: '| key | value |\n| - | - |\n| 1 | `2` |',
        expected: '**shown** [ticket](https://example.org) a --> b',
      },
    ],
  });
  const testId = Number(added['testId']);
  const run = await world.must('create-run', { projectId, runName: 'CI', testIds: [testId] });
  address = `/console/projects/${projectId}/tests/${testId}`;
  runAddress = `/console/projects/${projectId}/runs/${Number(run['runId'])}?test=${testId}`;
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, address);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const panel = () => ada.page.locator('.tests-panel, .run-panel');

test('typed lines stay lines, and blocks have room between them', async () => {
  // Until its reader is loaded, a text is shown as it is.
  const preconditions = panel().locator('.markdown').filter({ hasText: 'Log in as admin' });
  expect(await preconditions.innerText()).toBe('Log in as admin\nOpen the cart\nRemove all lines');
  const [top, below] = await Promise.all(
    ['Log in as admin', 'A paragraph.'].map((text) => panel().getByText(text).boundingBox()),
  );
  expect(top?.height).toBeGreaterThan(50);
  const list = await panel().getByText('two', { exact: true }).boundingBox();
  expect((below?.y ?? 0) - (list?.y ?? 0) - (list?.height ?? 0)).toBeGreaterThanOrEqual(6);
});

test.each([() => address, () => runAddress])(
  'data and expected are Markdown as the action is',
  async (of) => {
    await ada.page.goto(world.origin + of());
    const step = panel().locator('.steps-shown > li');
    await step.locator('strong').first().waitFor();
    expect(await step.locator('strong').allInnerTexts()).toEqual(['bold', 'shown']);
    expect(await step.locator('td').allInnerTexts()).toEqual(['1', '2']);
    expect(await step.getByRole('link', { name: 'ticket' }).getAttribute('href')).toBe('https://example.org');
    expect(await step.innerText()).toMatch(/Data:[^]*Expected:/);
    await ada.expectAccessible();
  },
);

test('the panel does not scroll sideways; a wide table does', async () => {
  for (const of of [runAddress, address]) {
    await ada.page.goto(world.origin + of);
    await panel().locator('.markdown').nth(1).waitFor();
    expect(await panel().evaluate((part) => part.scrollWidth - part.clientWidth)).toBe(0);
    const table = panel().getByRole('group', { name: 'Table' }).first();
    expect(await table.evaluate((part) => part.scrollWidth - part.clientWidth)).toBeGreaterThan(100);
  }
});

test('a task is ticked or not, for eye and ear, and is nothing to press', async () => {
  expect(await panel().locator('.markdown input').count()).toBe(0);
  const tasks = panel().locator('.markdown').first().getByRole('img');
  expect(await tasks.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
    'Not done',
    'Done',
  ]);
  expect(await tasks.nth(1).locator('svg').count()).toBe(1);
  expect(await tasks.first().locator('svg').count()).toBe(0);
});

test('a heading has no id of the page, and an arrow stays as it was typed', async () => {
  expect(await ada.page.locator('[id="main"]').count()).toBe(1);
  expect(await panel().locator('.markdown [id]').count()).toBe(0);
  for (const part of ['.markdown', '.markdown code'])
    expect(
      await panel()
        .locator(part)
        .first()
        .evaluate((one) => getComputedStyle(one).fontVariantLigatures),
    ).toBe('none');
  ada.expectNoComplaint();
});

test('the form says where Markdown is read', async () => {
  await panel().getByRole('button', { name: 'Edit' }).click();
  await ada.page.getByLabel('Preconditions').waitFor();
  expect(await ada.page.locator('.field', { hasText: 'Preconditions' }).innerText()).toContain('Markdown');
});
