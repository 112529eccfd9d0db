import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { fromSource, compiled, serveTrivet, type Executable, type Running } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';
import { newPerson, openChromium, type Person } from './browser.ts';
import { tabTo } from './keyboard.ts';

/*
 * The first minutes of a newcomer: start, open the link, create a project, a section, five tests, a run and its results. Without --dev and
 * without any configuration.
 */

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
}, 60_000);
afterAll(() => browser.close());

interface Started {
  readonly running: Running;
  readonly person: Person;
  /** The link of the first start. A service reads it from a file; a person sees it on the terminal. */
  readonly link: string;
}

async function start(executable: Executable): Promise<Started> {
  const data = temporaryDirectory('first-start');
  const running = await serveTrivet(executable, ['--port', '0', '--data', data]);
  const link = readFileSync(join(data, 'setup-code'), 'utf8').trim();
  return { running, link, person: await newPerson(browser, running.origin) };
}

/** The server's data, read with the page's own session. */
const toolAnswer = (page: Page, tool: string, input: object) =>
  page.evaluate(
    async ([name, given]) => {
      const answer = await fetch(`/api/tools/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-trivet-console': '1' },
        body: given,
      });
      return (await answer.json()) as Record<string, unknown>;
    },
    [tool, JSON.stringify(input)] as const,
  );

describe.each([fromSource, compiled])('$name', (executable) => {
  test('by mouse', async () => {
    const { running, link, person } = await start(executable);
    const { page } = person;
    await page.goto(link);
    // One page, and nothing to type: the link contains the code.
    const owner = page.getByRole('button', { name: 'Continue as owner' });
    await owner.waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await owner.click();
    await page.getByRole('button', { name: 'Create project' }).first().click();
    await page.getByLabel('Name').fill('Shop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
    await page.getByRole('button', { name: 'New section' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Checkout');
    await page.getByRole('button', { name: 'Create section' }).click();
    await page.getByRole('row', { name: 'Checkout' }).click();
    for (const number of [1, 2, 3, 4, 5]) {
      await page.getByLabel('Name of a new test').fill(`Test ${number}`);
      await page.getByRole('button', { name: 'Create test' }).click();
      await page.getByRole('grid', { name: 'Tests' }).getByText(`Test ${number}`).waitFor();
    }
    await page.getByRole('button', { name: 'Create run' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Release 1');
    await page.getByRole('dialog').getByRole('button', { name: 'Create run' }).click();
    await page.getByRole('heading', { level: 1, name: 'Release 1' }).waitFor();
    const panel = page.getByRole('region', { name: 'Selected test' });
    for (const number of [1, 2, 3]) {
      await page.getByRole('grid').getByText(`Test ${number}`).click();
      await panel.getByRole('heading', { name: `Test ${number}` }).waitFor();
      await panel.getByRole('button', { name: number === 3 ? 'Failed' : 'Passed' }).click();
    }
    await page.getByText('2 of 5 are open').waitFor();
    // The link has been used.
    const again = await newPerson(browser, running.origin);
    await again.page.goto(link);
    await again.page.getByText('not valid, or no longer').waitFor();
    await again.context.close();
    person.expectNoComplaint();
    await person.context.close();
    await running.stop();
  });
});

test('by keyboard alone', async () => {
  const { running, link, person } = await start(compiled);
  const { page } = person;
  const { keyboard } = page;
  await page.goto(link);
  await page.getByRole('heading', { name: 'Use this link?' }).waitFor();
  await tabTo(page, 'Continue as owner');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.getByText('No project yet').waitFor();
  await tabTo(page, 'Create project');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keyboard.type('Shop');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Tests' }).waitFor();
  await tabTo(page, 'New section');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keyboard.type('Checkout');
  await keyboard.press('Enter');
  await page.getByRole('row', { name: 'Checkout' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await tabTo(page, /^Checkout/);
  await keyboard.press('Enter');
  await page.waitForURL(/section=\d+/);
  await tabTo(page, 'Name of a new test');
  for (const number of [1, 2, 3, 4, 5]) {
    await keyboard.type(`Test ${number}`);
    await keyboard.press('Enter');
    await page.getByRole('grid', { name: 'Tests' }).getByText(`Test ${number}`).waitFor();
  }
  await tabTo(page, 'Create run');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keyboard.type('Release 1');
  // The button says for how many tests; before that, Enter does nothing.
  await page.getByRole('button', { name: 'Create run of 5 tests' }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Release 1' }).waitFor();
  await page.locator('[aria-current="true"][data-test-id]').waitFor();
  for (const key of ['p', 'f', 'b', 'p', 'p']) await keyboard.press(key);
  await page.getByText('100 % done').waitFor();
  const wanted = ['passed', 'failed', 'blocked', 'passed', 'passed'];
  let stored: string[] = [];
  // The page shows a status before it is stored.
  for (let tries = 0; tries < 50 && !Bun.deepEquals(stored, wanted); tries++) {
    const { tests } = await toolAnswer(page, 'get-run-tests-list', { projectId: 1, runId: 1 });
    stored = (tests as Array<{ status: string }>).map(({ status }) => status);
  }
  expect(stored).toEqual(wanted);
  await keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to' }).waitFor();
  await keyboard.type('sessions');
  await keyboard.press('Enter');
  await page.waitForURL(/\/console\/sessions/);
  person.expectNoComplaint();
  await person.context.close();
  await running.stop();
});
