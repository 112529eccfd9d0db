import { newPerson, openChromium } from '../../test/console/browser.ts';
import { openWorld } from '../../test/console/world.ts';
import { at, marksOf, spread, watchPage } from './paint-marks.ts';

/*
 * `npm run bench:console`: the run page with 5,000 tests in a real Chromium. Targets: interactive within 1.5 s of the navigation, 50 ms
 * from a status key to the paint that shows it. Each attempt opens the page with an empty cache.
 */

const testsCount = 5_000;
const tries = 9;
const keys = 40;

const [browser, world] = await Promise.all([openChromium(), openWorld()]);
const projectId = Number(
  (await world.must('create-project', { orgId: 1, projectName: 'Large' }))['projectId'],
);
const { tests } = await world.must('bulk-add-tests', {
  projectId,
  tests: Array.from({ length: testsCount }, (_, index) => ({ testName: `Test ${index}` })),
});
const testIds = (tests as Array<{ testId: number }>).map(({ testId }) => testId);
const { runId } = await world.must('create-run', { projectId, runName: 'Large', testIds });
const person = await newPerson(browser, world.origin);
await world.signIn(person);
await person.context.addInitScript(watchPage);

const interactive: number[] = [];
const paints: number[] = [];
let bytes = 0;
for (let attempt = 0; attempt < tries; attempt++) {
  const page = await person.context.newPage();
  const session = await person.context.newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Network.enable');
  bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength));
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${String(runId)}`);
  await page.waitForFunction(() => globalThis.marks.interactiveMs !== undefined);
  // Like a person: not in the very moment in which the page appears.
  await Bun.sleep(500);
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press(key % 2 === 0 ? 'p' : 'j');
    await Bun.sleep(60);
  }
  const { interactiveMs = Number.NaN, paints: seen } = await marksOf(page);
  interactive.push(interactiveMs);
  paints.push(...seen);
  await page.close();
}
const shown = {
  tests: testsCount,
  interactiveMs: {
    median: Math.round(at(interactive, 0.5)),
    worst: Math.round(Math.max(...interactive)),
    aim: 1_500,
  },
  keyToPaintMs: spread(paints, 50),
  kilobytesOfOneOpening: Math.round(bytes / 1024),
};
process.stdout.write(`${JSON.stringify(shown)}\n`);
await browser.close();
await world.stop();
