import type { Page } from 'playwright-core';
import { nextFrames, type Person } from './browser.ts';
import type { ConsoleWorld } from './world.ts';

/* Every page of the console, with the records of the example that it shows. */

export interface Ids {
  readonly projectId: unknown;
  readonly testId: unknown;
  readonly runId: unknown;
  readonly reportedRunId: unknown;
  readonly planId: unknown;
  readonly ctaId: unknown;
  readonly reviewId: unknown;
}

/** The name of a page's picture, and its address. */
export const pages: ReadonlyArray<readonly [name: string, address: (ids: Ids) => string]> = [
  ['home', () => ''],
  ['overview', ({ projectId }) => `projects/${String(projectId)}/overview`],
  ['tests', ({ projectId }) => `projects/${String(projectId)}/tests?columns=id,name,last,priority,cf.risk`],
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
    ({ projectId, reportedRunId }) =>
      `projects/${String(projectId)}/runs/${String(reportedRunId)}?view=failures`,
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

/** Goes to an address as a link of the console does, and waits for the heading of what is there. */
async function follow(page: Page, address: string, loading: string): Promise<void> {
  await page.evaluate((url) => {
    // Another page has another heading: the one that is left must not count.
    document.querySelector('main h1')?.setAttribute('data-left', '');
    history.pushState(null, '', url);
  }, address);
  // Asked at each frame: a locator that finds nothing at first asks again after half a second.
  await page.waitForFunction(
    (selector) =>
      document.querySelector('main h1:not([data-left])') !== null &&
      document.querySelector(selector) === null,
    loading,
  );
}

/**
 * Opens a page as its link does, which takes half of the CPU of loading everything anew, and waits until nothing is loading. The first
 * one, after the page of signing in, is loaded.
 */
export async function openPage({ page }: Person, world: ConsoleWorld, address: string): Promise<void> {
  // The design page shows the loading state itself.
  const loading = address === 'design' ? '.nothing' : '[aria-label="Loading"], .skeleton';
  if ((await page.locator('main h1').count()) === 0) await page.goto(`${world.origin}/console/`);
  // By way of an address without a page: two addresses of one page may share their heading.
  await follow(page, '/console/-', loading);
  await follow(page, `/console/${address}`, loading);
  await nextFrames(page);
}

/**
 * What the pages show of a server that was started with `--demo`. The person who looks gets tests and a token, and there is a proposal: the
 * example has no work for whoever opens it.
 */
export async function exampleIds(world: ConsoleWorld): Promise<Ids> {
  const runs = (await world.must('get-runs', { projectId: 1, query: 'sort:created-desc', limit: 2 }))['runs'];
  const [first, second] = runs as Array<{ runId: number }>;
  const { ctas } = await world.must('list-ctas', { status: 'LIVE' });
  const ctaId = (ctas as Array<{ ctaId: string }>)[0]?.ctaId;
  const { plans } = await world.must('get-plans', { projectId: 1 });
  const planId = (plans as Array<{ planId: number }>)[0]?.planId;
  const viewer = 'ada@example.org';
  const scopes = ['--scopes', 'results,project:1'];
  await world.createToken(viewer, '--name', 'Nightly pipeline', '--role', 'admin', ...scopes);
  const { users } = await world.must('get-all-users', { orgId: 1, limit: 100 });
  const me = (users as Array<{ userId: number; email: string }>).find(({ email }) => email === viewer);
  await world.must('assign-tests', {
    projectId: 1,
    runId: first?.runId,
    query: 'status:untested priority:high',
    assignTo: [me?.userId],
  });
  const { steps } = await world.must('get-test-details', { projectId: 1, testId: 4 });
  const { reviewId } = await world.must('propose-test-change', {
    projectId: 1,
    testId: 4,
    set: {
      testDescription: 'Without an account of the shop.',
      steps: [
        ...(steps as object[]),
        { action: 'Go back to the hits', expected: 'They are where they were' },
      ],
    },
    comment: 'Visitors without an account did not find it last week.',
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
}
