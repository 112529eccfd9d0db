import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { newPerson, nextFrames, openChromium, type Person } from './browser.ts';
import { writeHostileData } from './hostile-data.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * Checks every page, with the data of the example and with hostile data: one h1, no complaint of the browser, no finding of axe in either
 * scheme, and no sideways scroll on a telephone. `TRIVET_WRITE_SCREENSHOTS=1` writes docs/screenshots.
 */

const screenshots =
  process.env['TRIVET_WRITE_SCREENSHOTS'] === '1'
    ? join(import.meta.dir, '..', '..', 'docs', 'screenshots')
    : undefined;

interface Ids {
  readonly projectId: unknown;
  readonly testId: unknown;
  readonly runId: unknown;
  readonly reportedRunId: unknown;
  readonly planId: unknown;
  readonly ctaId: unknown;
  readonly reviewId: unknown;
}

/** The name of a page's picture, and its address. */
const pages: ReadonlyArray<readonly [name: string, address: (ids: Ids) => string]> = [
  ['home', () => ''],
  ['overview', ({ projectId }) => `projects/${String(projectId)}/overview`],
  ['tests', ({ projectId }) => `projects/${String(projectId)}/tests`],
  ['test', ({ projectId, testId }) => `projects/${String(projectId)}/tests/${String(testId)}`],
  ['runs', ({ projectId }) => `projects/${String(projectId)}/runs`],
  ['run', ({ projectId, runId }) => `projects/${String(projectId)}/runs/${String(runId)}`],
  [
    'run-sections',
    ({ projectId, runId }) => `projects/${String(projectId)}/runs/${String(runId)}?view=summary`,
  ],
  [
    'run-compared',
    ({ projectId, reportedRunId }) =>
      `projects/${String(projectId)}/runs/${String(reportedRunId)}?view=compare`,
  ],
  [
    'run-of-a-pipeline',
    ({ projectId, reportedRunId }) => `projects/${String(projectId)}/runs/${String(reportedRunId)}`,
  ],
  ['milestones', ({ projectId }) => `projects/${String(projectId)}/milestones`],
  ['plans', ({ projectId }) => `projects/${String(projectId)}/plans`],
  ['plan', ({ projectId, planId }) => `projects/${String(projectId)}/plans/${String(planId)}`],
  ['workload', ({ projectId }) => `projects/${String(projectId)}/plans?view=workload`],
  ['configurations', ({ projectId }) => `projects/${String(projectId)}/plans?view=configurations`],
  ['my-work', ({ projectId }) => `projects/${String(projectId)}/my-work`],
  ['insights', ({ projectId }) => `projects/${String(projectId)}/insights`],
  ['coverage', ({ projectId }) => `projects/${String(projectId)}/coverage`],
  [
    'run-failures',
    ({ projectId, runId }) => `projects/${String(projectId)}/runs/${String(runId)}?view=failures`,
  ],
  ['reviews', ({ projectId }) => `projects/${String(projectId)}/reviews`],
  ['review', ({ projectId, reviewId }) => `projects/${String(projectId)}/reviews/${String(reviewId)}`],
  ['project-settings', ({ projectId }) => `projects/${String(projectId)}/settings`],
  ['ctas', () => 'ctas'],
  ['cta', ({ ctaId }) => `ctas/${String(ctaId)}`],
  ['cta-json', ({ ctaId }) => `ctas/${String(ctaId)}?tab=json`],
  ['cta-diagram', ({ ctaId }) => `ctas/${String(ctaId)}?tab=diagram`],
  ['cta-experiment', ({ ctaId }) => `ctas/${String(ctaId)}?tab=experiment`],
  ['cta-versions', ({ ctaId }) => `ctas/${String(ctaId)}?tab=versions`],
  ['cohorts', () => 'cohorts'],
  ['behaviour-tags', () => 'behaviour-tags'],
  ['previews', () => 'previews'],
  ['simulate', () => 'try'],
  ['explain', () => 'try?tab=explain&user=1'],
  ['people', () => 'people'],
  ['accounts', () => 'people?tab=accounts&user=1'],
  ['tokens', () => 'tokens'],
  ['sessions', () => 'sessions'],
  ['letters', () => 'letters'],
  ['audit', () => 'audit'],
  ['settings', () => 'settings'],
  ['health', () => 'health'],
  ['design', () => 'design'],
];

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
  if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true });
}, 60_000);
afterAll(() => browser.close());

/** Opens a page and waits until nothing is loading. */
async function open({ page }: Person, world: ConsoleWorld, address: string): Promise<void> {
  await page.goto(`${world.origin}/console/${address}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // The design page shows the loading state itself.
  if (address !== 'design')
    await page.waitForFunction(() => document.querySelector('[aria-label="Loading"], .skeleton') === null);
  await nextFrames(page);
}

const worlds: ReadonlyArray<readonly [string, readonly string[], (world: ConsoleWorld) => Promise<Ids>]> = [
  [
    'the example',
    ['--dev', '--demo'],
    async (world) => {
      const runs = (await world.must('get-runs', { projectId: 1, query: 'sort:created-desc', limit: 2 }))[
        'runs'
      ];
      const [first, second] = runs as Array<{ runId: number }>;
      const { ctas } = await world.must('list-ctas', { status: 'LIVE' });
      const ctaId = (ctas as Array<{ ctaId: string }>)[0]?.ctaId;
      const { plans } = await world.must('get-plans', { projectId: 1 });
      const planId = (plans as Array<{ planId: number }>)[0]?.planId;
      const { steps } = await world.must('get-test-details', { projectId: 1, testId: 4 });
      const { reviewId } = await world.must('propose-test-change', {
        projectId: 1,
        testId: 4,
        set: {
          testDescription: 'Without an account of the shop.',
          steps: [...(steps as object[]), { action: 'Close the tab', expected: 'The basket is kept' }],
        },
        comment: 'The basket was lost in production last week.',
      });
      return {
        projectId: 1,
        testId: 4,
        runId: first?.runId,
        reportedRunId: second?.runId,
        planId,
        ctaId,
        reviewId,
      };
    },
  ],
  ['hostile data', ['--dev'], writeHostileData],
];

describe.each(worlds)('%s', (name, args, fill) => {
  let world: ConsoleWorld;
  let ids: Ids;
  let person: Person;
  const dialogs: string[] = [];
  /** No page may show a tool name. */
  let toolNames: readonly string[];
  beforeAll(async () => {
    world = await openWorld(args);
    ids = await fill(world);
    const listed = await fetch(`${world.origin}/api/tools`, {
      headers: { authorization: `Bearer ${world.token}` },
    });
    const { tools } = (await listed.json()) as { readonly tools: ReadonlyArray<{ readonly name: string }> };
    toolNames = tools.map(({ name: tool }) => tool);
    expect(toolNames.length).toBeGreaterThan(90);
    person = await newPerson(browser, world.origin);
    person.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await world.signIn(person);
  }, 120_000);
  afterAll(() => world.stop());

  test.each(pages)('%s', async (picture, address) => {
    const { page } = person;
    await open(person, world, address(ids));
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.title()).toEndWith('– Trivet');
    if (name === 'the example') await person.expectAccessible();
    if (name === 'the example') {
      // Numbers are aligned with their column head, and all rows with one line have the same height.
      const tables = await page.evaluate(() =>
        [...document.querySelectorAll('table.table')].flatMap((table) => {
          const heads = [...table.querySelectorAll('thead th')];
          const aligned = [...table.querySelectorAll('tbody tr:not(.table-detail)')].flatMap((row) =>
            [...row.children].flatMap((cell, index) => {
              const head = heads[index];
              if (!head || cell.classList.contains('number') === head.classList.contains('number')) return [];
              return [`${head.textContent}: ${cell.textContent}`];
            }),
          );
          const low = [...table.querySelectorAll('tr')]
            .map((row) => Math.round(row.getBoundingClientRect().height))
            .filter((height) => height < 32);
          return [...aligned.slice(0, 3), ...low.slice(0, 3)];
        }),
      );
      expect(tables).toEqual([]);
      const text = await page.evaluate(() => document.body.innerText);
      expect(toolNames.filter((tool) => new RegExp(`(?<![\\w-])${tool}(?![\\w-])`).test(text))).toEqual([]);
    }
    if (screenshots !== undefined && name === 'the example')
      await page.screenshot({ path: join(screenshots, `${picture}.png`) });
    await page.setViewportSize({ width: 360, height: 740 });
    try {
      await nextFrames(page);
      const sideways = await page.evaluate(() => {
        const main = document.querySelector('main');
        const inMain = main === null ? 0 : main.scrollWidth - main.clientWidth;
        return { window: document.documentElement.scrollWidth - innerWidth, inMain };
      });
      expect(sideways).toEqual({ window: 0, inMain: 0 });
    } finally {
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    person.expectNoComplaint();
    expect(dialogs).toEqual([]);
  });
});
