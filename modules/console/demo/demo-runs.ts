import type { DemoStage } from '../../../core/module/module.ts';
import type { DemoChoice } from './demo-choice.ts';
import { day, hour, numberIn, type DemoEvent } from './demo-event.ts';
import { demoOutcomes, isAutomated, type DemoOutcome } from './demo-outcomes.ts';
import { people, testerOf } from './demo-people.ts';
import type { DemoWorld } from './demo-project.ts';
import { demoKey, type DemoTest } from './demo-tests.ts';

const weeks = 13;

interface ManualRun {
  readonly runName: string;
  readonly runDescription: string;
  readonly tests: readonly DemoTest[];
  readonly at: number;
  /** The share of the tests that has a result; 1 when it was completed and locked. */
  readonly done: number;
  /** How long it takes (ms). */
  readonly over: number;
}

/** The runs of a quarter: a pipeline twice a week, a regression each week, a release every other week, and two that go on. */
export function runEvents(
  tests: readonly DemoTest[],
  world: DemoWorld,
  { start, now, choice }: { readonly start: number; readonly now: number; readonly choice: DemoChoice },
): readonly DemoEvent[] {
  const outcomeOf = demoOutcomes(tests, choice);
  const outcomesAt = (at: number) => (test: DemoTest) => outcomeOf(test, (at - start) / day);
  const automated = tests.filter((test) => isAutomated(test));
  const manual = tests.filter((test) => !isAutomated(test) && !test.sectionPath.includes('Offline'));
  const smoke = tests.filter(({ priority }) => priority === 'Critical');
  const events: DemoEvent[] = [];
  for (let week = 0; week < weeks; week++) {
    const monday = start + week * 7 * day;
    for (const [n, after] of [3, 6.9].entries()) {
      const at = monday + after * day - 4 * hour;
      events.push(
        ...pipelineEvents(world, automated, {
          at,
          build: 400 + week * 2 + n,
          outcomeOf: outcomesAt(at),
          choice,
        }),
      );
    }
    const release = `5.${Math.floor(week / 4)}.${week % 4}`;
    const planned = manual.filter((_, index) => (index + week) % 2 === 0);
    // The last one is still going on.
    if (week < weeks - 1) {
      const regression = {
        runName: `Regression ${release}`,
        runDescription: `Manual regression before release ${release}.`,
        tests: planned,
        at: monday + 3 * day,
        done: 1,
        over: 30 * hour,
      };
      events.push(...manualEvents(world, regression, outcomesAt));
    }
    if (week % 2 === 1)
      events.push(
        ...manualEvents(
          world,
          {
            runName: `Release ${release}`,
            runDescription: `Smoke tests on production after the release of ${release}.`,
            tests: smoke,
            at: monday + 6 * day,
            done: 1,
            over: 2 * hour,
          },
          outcomesAt,
        ),
      );
  }
  const open: readonly ManualRun[] = [
    {
      runName: 'Regression 5.3.1',
      runDescription: 'Manual regression before release 5.3.1.',
      tests: manual.filter((_, index) => index % 2 === 1),
      at: now - 26 * hour,
      done: 0.6,
      over: 24 * hour,
    },
    {
      runName: 'Acceptance of the new checkout',
      runDescription: 'With the product owner, on staging.',
      tests: tests.filter(({ squad }) => squad === 'Checkout'),
      at: now - 3 * hour,
      done: 0.15,
      over: 2 * hour,
    },
  ];
  return [...events, ...open.flatMap((run) => manualEvents(world, run, outcomesAt))];
}

/** How often results are entered. */
const batches = 6;

function manualEvents(
  world: DemoWorld,
  { runName, runDescription, tests, at, done, over }: ManualRun,
  outcomesAt: (at: number) => (test: DemoTest) => DemoOutcome,
): readonly DemoEvent[] {
  let runId = 0;
  const testIds = () => tests.flatMap((test) => world.ids.get(demoKey(test)) ?? []);
  const create: DemoEvent = {
    at,
    what: runName,
    run: async ({ call }) => {
      const given = { projectId: world.projectId, runName, runDescription, testIds: testIds() };
      runId = numberIn(await call('create-run', given, people.nadia), 'runId');
    },
  };
  const tested = tests.slice(0, Math.round(tests.length * done));
  const size = Math.ceil(tested.length / batches);
  const results = Array.from({ length: batches }, (_, n): DemoEvent => {
    const then = at + ((n + 1) * over) / batches;
    const part = tested.slice(n * size, (n + 1) * size);
    return { at: then, what: runName, run: (stage) => report(stage, world, runId, part, outcomesAt(then)) };
  });
  return [
    create,
    ...results,
    ...(done === 1 ? [lockEvent(world, runName, at + over + hour, () => runId)] : []),
  ];
}

/** Enters results: each tester those of their squads. */
async function report(
  { call }: DemoStage,
  { projectId, ids }: DemoWorld,
  runId: number,
  tests: readonly DemoTest[],
  outcomeOf: (test: DemoTest) => DemoOutcome,
): Promise<void> {
  for (const [tester, own] of Map.groupBy(tests, ({ squad }) => testerOf(squad))) {
    const testResults = own.map((test) => {
      const { status, comment } = outcomeOf(test);
      return { testId: ids.get(demoKey(test)), status, ...(comment !== undefined && { comment }) };
    });
    await call('run-update-test-status', { projectId, runId, testResults }, tester);
  }
}

interface Pipeline {
  readonly at: number;
  readonly build: number;
  readonly outcomeOf: (test: DemoTest) => DemoOutcome;
  readonly choice: DemoChoice;
}

/** The results of a build, as a pipeline uploads them (CTRF, ctrf.io). */
function pipelineEvents(
  world: DemoWorld,
  tests: readonly DemoTest[],
  { at, build, outcomeOf, choice }: Pipeline,
): readonly DemoEvent[] {
  let runId = 0;
  const commit = Array.from({ length: 40 }, () => Math.floor(choice.next() * 16).toString(16)).join('');
  const upload: DemoEvent = {
    at,
    what: `build ${build}`,
    run: async ({ call }) => {
      const cases = tests.map((test, index) => {
        const { status, comment, repeated } = outcomeOf(test);
        const duration = Math.round(800 + choice.next() * 9_000 + (index % 17 === 0 ? 25_000 : 0));
        return {
          name: `[T${world.ids.get(demoKey(test))}] ${test.testName}`,
          suite: test.sectionPath.join(' > '),
          status,
          duration,
          start: at - 600_000 + index * 3_000,
          ...(repeated && { flaky: true, retries: 1 }),
          ...(status === 'failed' && comment !== undefined && { message: comment }),
        };
      });
      const content = JSON.stringify({
        reportFormat: 'CTRF',
        specVersion: '0.0.0',
        results: { tool: { name: 'playwright' }, tests: cases },
      });
      const answer = await call(
        'ingest-results',
        {
          projectId: world.projectId,
          files: [{ name: 'ctrf-report.json', content }],
          runKey: `build ${build}`,
          branch: 'main',
          commit,
          provider: 'github',
          repository: 'shop/web',
          workflow: 'Nightly',
          buildNumber: String(build),
          jobUrl: `https://ci.shop.example/web/actions/runs/${90_000 + build}`,
        },
        people.pipeline,
      );
      runId = numberIn(answer, 'runId');
    },
  };
  return [upload, lockEvent(world, `build ${build}`, at + 3 * hour, () => runId)];
}

const lockEvent = (world: DemoWorld, what: string, at: number, runId: () => number): DemoEvent => ({
  at,
  what,
  run: ({ call }) => call('run-lock', { projectId: world.projectId, runId: runId() }, people.nadia),
});
