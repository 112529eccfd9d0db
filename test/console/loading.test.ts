import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { newPerson, nextFrames, openChromium, phone } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * The loading placeholder of a page begins where the page will begin, not in the corner of the window. Mutation note: seen to fail with
 * `Loading` instead of `PageLoading` at each of its three places.
 */

let browser: Browser;
let world: ConsoleWorld;
let projectId: number;
let runId: number;
let testId: number;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  testId = Number((await world.must('create-test', { projectId, testName: 'Pays' }))['testId']);
  const run = await world.must('create-run', { projectId, runName: 'Nightly', testIds: [testId] });
  runId = Number(run['runId']);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

/** Holds back requests of a page until released; for files, only those that contain `part`. `asked`: the page waits for one. */
async function hold(page: Page, pattern: string | RegExp, part?: string) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    const file = part === undefined ? undefined : await route.fetch();
    if (file === undefined || (await file.text()).includes(part ?? '')) {
      asked.resolve();
      await released.promise;
    }
    await (file === undefined ? route.continue() : route.fulfill({ response: file }));
  });
  return { asked: asked.promise, letGo: released.resolve };
}

/** The distances of an element from the left, right and top of the area that contains the page. */
async function distances(page: Page, selector: string): Promise<readonly number[]> {
  const shown = page.locator(selector).first();
  await shown.waitFor();
  return shown.evaluate((element) => {
    const frame = (document.querySelector('main') ?? document.documentElement).getBoundingClientRect();
    const place = element.getBoundingClientRect();
    return [place.left - frame.left, frame.right - place.right, place.top - frame.top];
  });
}

const insights = () => `projects/${projectId}/insights`;
/** The request for which a page waits. */
const waits: ReadonlyArray<{
  readonly what: string;
  readonly address: () => string;
  readonly heading: string;
  readonly held: string | RegExp;
  readonly part?: string;
}> = [
  { what: 'who it is for', address: insights, heading: 'Insights', held: '**/console/me' },
  {
    what: 'its code',
    address: insights,
    heading: 'Insights',
    held: '**/console/assets/*.js',
    part: 'Tests that never ran',
  },
  {
    what: 'its run',
    address: () => `projects/${projectId}/runs/${runId}`,
    heading: 'Nightly',
    // The stream of changes starts with the run, too.
    held: /\/run-detail$|\/run-changes\?/,
  },
];

test.each([
  ['a desk', { width: 1280, height: 800 }],
  ['a telephone', phone],
])(
  'on %s',
  async (_name, size) => {
    const person = await newPerson(browser, world.origin, size);
    const { page } = person;
    await world.signIn(person, `/console/${insights()}`);
    const standing = await distances(page, '.page > *');
    expect(Math.min(...standing)).toBeGreaterThanOrEqual(12);
    for (const { what, address, heading, held, part } of waits) {
      const { asked, letGo } = await hold(page, held, part);
      await page.goto(`${world.origin}/console/${address()}`);
      await asked;
      await nextFrames(page);
      expect([what, await distances(page, '[aria-label="Loading"]')]).toEqual([what, standing]);
      letGo();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.unroute(held);
    }
    person.expectNoComplaint();
    await person.context.close();
  },
  30_000,
);

/** @see A run out of reach of the server said of each test that was not looked at before that it had no links and no results. */
test('what is not loaded yet is not said to be missing', async () => {
  const person = await newPerson(browser, world.origin);
  const { page } = person;
  const links = [{ kind: 'requirement', key: 'SHOP-12' }];
  await world.must('add-links', { projectId, testIds: [testId], links });
  await world.must('run-update-test-status', {
    projectId,
    runId,
    testResults: [{ testId, status: 'failed' }],
  });
  await world.signIn(person, `/console/${insights()}`);
  for (const { address, there, said } of [
    { address: `tests/${testId}`, there: 'SHOP-12', said: /^No (?:requirement|results|run has)/ },
    { address: `runs/${runId}?test=${testId}`, there: 'SHOP-12', said: /^No (?:requirement|results)/ },
    { address: 'overview', there: 'none yet', said: /^none yet/ },
  ]) {
    const held = /\/(?:list-links|get-test-status-history)$/;
    const { asked, letGo } = await hold(page, held);
    await page.goto(`${world.origin}/console/projects/${projectId}/${address}`);
    await asked;
    await page.getByText('Pays').first().waitFor();
    await nextFrames(page);
    expect([address, await page.getByText(said).allInnerTexts()]).toEqual([address, []]);
    letGo();
    await page.getByText(there).waitFor();
    await page.unroute(held);
  }
  person.expectNoComplaint();
  await person.context.close();
});
