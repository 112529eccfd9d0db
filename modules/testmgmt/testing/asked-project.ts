import type { Actor } from '../../../core/base/actor.ts';
import { randomFrom } from '../../../test/verify/scale.ts';
import type { TestmgmtKernel } from './testmgmt-kernel.ts';

/** A test as it was sent, with the summary of its results, counted from everything that was sent. */
export interface AskedCase {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly steps: readonly string[];
  readonly path: readonly string[];
  readonly priority: string | null;
  readonly automation: string | null;
  readonly squad: string | null;
  readonly labels: readonly string[];
  readonly createdBy: number;
  updatedBy: number;
  updatedAt: number;
  lastStatus: string | null;
  lastAt: number | null;
  runs: number;
  failed: number;
  flips: number;
  failingSince: number | null;
  longestFix: number;
}

export interface AskedRun {
  readonly id: number;
  readonly createdAt: number;
  locked: boolean;
  readonly standing: Map<number, { status: string; by: number | null }>;
}

interface SentResult {
  readonly testId: number;
  readonly runId: number;
  readonly status: string;
  readonly at: number;
}

/** Everything that was sent to a project of 5,000 tests and 40 runs. */
export interface AskedProject {
  readonly projectId: number;
  readonly me: number;
  readonly now: number;
  /** In id order. */
  readonly all: readonly AskedCase[];
  /** Without the deleted tests. */
  readonly live: readonly AskedCase[];
  readonly runs: readonly AskedRun[];
  /** The run and the test of some questions. */
  readonly talkedOf: AskedRun;
  readonly talkedOfTest: number;
  readonly sent: readonly SentResult[];
  /** The paths of all sections, in tree order. */
  readonly paths: ReadonlyArray<readonly string[]>;
}

const hour = 3_600_000;
const [testCount, runCount] = [5_000, 40];
const tops = ['Account', 'Basket', 'Checkout', 'Search', 'Shipping'];
const subs = ['Errors', 'Limits', 'Payment'];
const words = 'login refund voucher invoice address coupon cancel order price tax receipt parcel'.split(' ');
const priorities = ['Critical', 'High', 'Medium', 'Low'];
const automations = ['Automated', 'Automatable', 'Not automatable', 'Manual'];
const squadNames = ['Core', 'Payments', 'Web'];
const labelNames = ['smoke', 'regression', 'mobile'];

/** Builds the project through its tools, and keeps the sent data as arrays. */
export async function makeAskedProject(trivet: TestmgmtKernel): Promise<AskedProject> {
  const random = randomFrom(20_261_122);
  const { clock, call, owner } = trivet;
  const ann: Actor = { ...owner, userId: owner.userId + 1_000 };
  clock.set(Date.parse('2026-09-20T06:00:00Z'));
  const projectId = await trivet.makeProject();
  const sections = new Map<string, number>();
  const paths: string[][] = [];
  for (const top of tops) {
    const id = await trivet.makeSection(projectId, top);
    sections.set(top, id);
    paths.push([top]);
    for (const sub of subs) {
      sections.set(`${top}/${sub}`, await trivet.makeSection(projectId, sub, id));
      paths.push([top, sub]);
    }
  }
  const idsOf = async (tool: string, names: readonly string[], list: 'labels' | 'squads', key: string) => {
    const answer = await call(tool, { projectId, [list]: names });
    return (answer[list] as ReadonlyArray<Record<string, number>>).map((row) => Number(row[key]));
  };
  const labelIds = await idsOf('add-labels', labelNames, 'labels', 'labelId');
  const squadIds = await idsOf('add-squads', squadNames, 'squads', 'squadId');
  const priorityIds = await trivet.optionIds(projectId, 'priority');
  const automationIds = await trivet.optionIds(projectId, 'automationStatus');

  const some = (from: readonly unknown[]): number | null =>
    random.below(5) === 0 ? null : random.below(from.length);
  const sentence = (length: number) => Array.from({ length }, () => random.pick(words)).join(' ');
  const drafts = Array.from({ length: testCount }, (_, n) => {
    const [path, priority, automation, squad] = [
      some(paths),
      some(priorities),
      some(automations),
      some(squadNames),
    ];
    const labels = labelNames.map((_name, at) => at).filter(() => random.below(6) === 0);
    const steps = Array.from({ length: random.below(3) }, () => sentence(4));
    const gift = random.below(40) === 0 ? ' pays with a Gift Card' : '';
    return {
      name: `${sentence(2)}${gift} ${n}`,
      description: sentence(5),
      steps,
      path,
      priority,
      automation,
      squad,
      labels,
    };
  });
  const all: AskedCase[] = [];
  for (const [actor, part] of [
    [owner, drafts.slice(0, 3_000)],
    [ann, drafts.slice(3_000)],
  ] as const) {
    const items = part.map((draft) => ({
      testName: draft.name,
      testDescription: draft.description,
      steps: draft.steps.map((action) => ({ action })),
      labels: draft.labels.map((at) => labelIds[at]),
      ...(draft.path === null ? {} : { sectionId: sections.get(paths[draft.path]?.join('/') ?? '') }),
      ...(draft.priority === null ? {} : { priorityId: priorityIds[draft.priority] }),
      ...(draft.automation === null ? {} : { automationStatusId: automationIds[draft.automation] }),
      ...(draft.squad === null ? {} : { squadId: squadIds[draft.squad] }),
    }));
    const made = await call('bulk-add-tests', { projectId, tests: items }, actor);
    for (const [at, { testId }] of (made['tests'] as Array<{ testId: number }>).entries()) {
      const draft = part[at];
      if (!draft) throw new Error('more tests than were sent');
      all.push({
        id: testId,
        name: draft.name,
        description: draft.description,
        steps: draft.steps,
        path: draft.path === null ? [] : (paths[draft.path] ?? []),
        priority: draft.priority === null ? null : (priorities[draft.priority] ?? null),
        automation: draft.automation === null ? null : (automations[draft.automation] ?? null),
        squad: draft.squad === null ? null : (squadNames[draft.squad] ?? null),
        labels: draft.labels.map((label) => labelNames[label] ?? ''),
        createdBy: actor.userId,
        updatedBy: actor.userId,
        updatedAt: clock.now(),
        lastStatus: null,
        lastAt: null,
        runs: 0,
        failed: 0,
        flips: 0,
        failingSince: null,
        longestFix: 0,
      });
    }
  }

  const runs: AskedRun[] = [];
  const sent: SentResult[] = [];
  /** The runs cover only a part of the project's tests, so that tests have several results. */
  const pool = all.filter(({ id }) => id % 5 !== 0);
  for (let n = 0; n < runCount; n++) {
    clock.advance(36 * hour);
    const start = random.below(3) * 900;
    const chosen = pool.slice(start, start + 900).filter(() => random.below(3) > 0);
    const actor = n % 3 === 0 ? ann : owner;
    const input = { projectId, runName: `Release ${n}`, testIds: chosen.map(({ id }) => id) };
    const runId = Number((await call('create-run', input, actor))['runId']);
    const standing = new Map(chosen.map(({ id }) => [id, { status: 'untested', by: null as number | null }]));
    const run: AskedRun = { id: runId, createdAt: clock.now(), locked: n % 4 === 1, standing };
    for (const [round, by] of [ann, owner].entries()) {
      clock.advance(hour);
      const reported = chosen.filter(
        () => random.below(round === 0 ? 4 : 3) === 0 || (round === 0 && n % 5 > 0),
      );
      const testResults = reported.map(({ id }) => ({
        testId: id,
        status: statusOf(id, n, random.below(12)),
      }));
      if (testResults.length === 0) continue;
      await call('run-update-test-status', { projectId, runId, testResults }, by);
      for (const { testId, status } of testResults) {
        // The same status again is not a new result.
        if (standing.get(testId)?.status === status) continue;
        standing.set(testId, { status, by: by.userId });
        sent.push({ testId, runId, status, at: clock.now() });
      }
    }
    if (run.locked) await call('run-lock', { projectId, runId });
    runs.push(run);
  }

  clock.advance(hour);
  // Squads are not part of what a test checks, so its flips stay.
  for (const [actor, found] of [
    [ann, all.filter(({ id }) => id % 50 === 1)],
    [owner, all.filter(({ id }) => id % 50 === 2)],
  ] as const) {
    const platformId = (await trivet.optionIds(projectId, 'platform'))[0];
    const tests = found.map(({ id }) => ({ testId: id, platformId }));
    await call('bulk-update-tests', { tests }, actor);
    for (const test of found) Object.assign(test, { updatedBy: actor.userId, updatedAt: clock.now() });
  }
  const deleted = new Set(all.filter(({ id }) => id % 60 === 7).map(({ id }) => id));
  await call('bulk-delete-tests', { projectId, testIds: [...deleted] });
  clock.advance(hour);

  const byTest = Map.groupBy(sent, ({ testId }) => testId);
  for (const test of all) count(test, byTest.get(test.id) ?? []);
  const live = all.filter(({ id }) => !deleted.has(id));
  const talkedOf = runs.at(-2);
  const talkedOfTest = live.find(({ runs: inRuns }) => inRuns >= 5)?.id;
  if (!talkedOf || talkedOfTest === undefined) throw new Error('there is nothing to talk about');
  return {
    projectId,
    me: owner.userId,
    now: clock.now(),
    all,
    live,
    runs,
    talkedOf,
    talkedOfTest,
    sent,
    paths,
  };
}

/** Some tests always pass, some break for a while, some vary randomly. */
function statusOf(testId: number, run: number, chance: number): string {
  if (testId % 3 === 0) return chance === 0 ? 'blocked' : 'passed';
  if (testId % 3 === 1) return run % 17 > 12 ? 'failed' : chance === 0 ? 'retest' : 'passed';
  return ['failed', 'passed', 'passed', 'blocked'][chance % 4] ?? 'passed';
}

/** Updates the summary of a test from all its results. */
function count(test: AskedCase, results: readonly SentResult[]): void {
  const newest = results.at(-1);
  if (!newest) return;
  const outcomes = results.filter(({ status }) => status !== 'retest' && status !== 'untested');
  const flips: number[] = [];
  let verdict: string | undefined;
  for (const [at, { status }] of outcomes.entries()) {
    if (status === 'blocked') continue;
    if (verdict !== undefined && verdict !== status) flips.push(at);
    verdict = status;
  }
  const streak = outcomes.length - 1 - outcomes.findLastIndex(({ status }) => status !== 'failed');
  let since: number | undefined;
  for (const { status, at } of results) {
    if (status === 'failed') since ??= at;
    if (status !== 'passed' || since === undefined) continue;
    test.longestFix = Math.max(test.longestFix, at - since);
    since = undefined;
  }
  Object.assign(test, {
    lastStatus: newest.status,
    lastAt: newest.at,
    runs: new Set(outcomes.map(({ runId }) => runId)).size,
    failed: outcomes.slice(-20).filter(({ status }) => status === 'failed').length,
    flips: flips.filter((at) => at >= outcomes.length - 20).length,
    failingSince: streak > 0 ? (outcomes[outcomes.length - streak]?.at ?? null) : null,
  });
}
