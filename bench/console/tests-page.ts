import { newPerson, openChromium } from '../../test/console/browser.ts';
import { openWorld } from '../../test/console/world.ts';
import { marksOf, spread, watchPage } from './paint-marks.ts';

/*
 * `npm run bench:console`, second part: the page of 50,000 tests. From an arrow key to its paint, from page to page with the answers in the
 * cache, and from End to the last row. How many keys, actions and taps a job takes is counted by tests: run-list, writing and many-rows in
 * test/console.
 */

const testsCount = 50_000;
const perCall = 5_000;

const [browser, world] = await Promise.all([openChromium(), openWorld()]);
const projectId = Number(
  (await world.must('create-project', { orgId: 1, projectName: 'Large' }))['projectId'],
);
for (let from = 0; from < testsCount; from += perCall)
  await world.must('bulk-add-tests', {
    projectId,
    tests: Array.from({ length: perCall }, (_, index) => ({ testName: `Test ${from + index}` })),
  });
const person = await newPerson(browser, world.origin, { width: 1440, height: 900 });
await world.signIn(person);
await person.context.addInitScript(watchPage);
const { page } = person;
await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
const grid = page.getByRole('grid', { name: 'Tests' });
await grid.locator('[data-test-id]').first().waitFor();
await grid.focus();
await Bun.sleep(500);
for (let key = 0; key < 200; key++) {
  await page.keyboard.press('ArrowDown');
  await Bun.sleep(40);
}
const { paints } = await marksOf(page);

const jumps: number[] = [];
for (let jump = 0; jump < 20; jump++) {
  await grid.focus();
  const [key, last] = jump % 2 === 0 ? ['End', `Test ${testsCount - 1}`] : ['Home', 'Test 0'];
  const began = performance.now();
  await page.keyboard.press(key);
  await grid.getByText(last, { exact: true }).waitFor();
  jumps.push(performance.now() - began);
}

const moves: number[] = [];
for (let move = 0; move < 20; move++) {
  const name = move % 2 === 0 ? 'Runs' : 'Tests';
  const began = performance.now();
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  // The first two fill the cache.
  if (move >= 2) moves.push(performance.now() - began);
}

process.stdout.write(
  `${JSON.stringify({
    tests: testsCount,
    arrowKeyToPaintMs: spread(paints, 33),
    jumpToTheEndMs: spread(jumps, 300),
    pageToPageMs: spread(moves, 100),
  })}\n`,
);
await browser.close();
await world.stop();
