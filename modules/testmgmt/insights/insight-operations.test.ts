import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomFrom } from '../../../test/verify/scale.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';

/*
 * Compares insights with a plain evaluation of everything that was sent: 60 tests, 12 runs, occasional results, an hour between two calls.
 */
const hour = 3_600_000;
const statuses = ['passed', 'failed', 'failed', 'passed', 'passed', 'blocked', 'retest'] as const;

interface Sent {
  readonly runId: number;
  readonly testId: number;
  readonly status: string;
  readonly at: number;
}

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;
let ids: readonly number[];
let checkout: number;
const runIds: number[] = [];
const sent: Sent[] = [];
/** The last status of each test by run. */
const standing = new Map<number, Map<number, string>>();

beforeAll(async () => {
  const random = randomFrom(20_261_122);
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  checkout = await trivet.makeSection(projectId, 'Checkout');
  const payment = await trivet.makeSection(projectId, 'Payment', checkout);
  const [automated = 0, automatable = 0] = await trivet.optionIds(projectId, 'automationStatus');
  ids = [
    ...(await trivet.makeTests(projectId, 20, { sectionId: checkout, automationStatusId: automated })),
    ...(await trivet.makeTests(projectId, 20, { sectionId: payment, automationStatusId: automatable })),
    ...(await trivet.makeTests(projectId, 20)),
  ];
  for (let n = 0; n < 12; n++) {
    trivet.clock.advance(20 * hour);
    const chosen = ids.slice(0, 50).filter(() => random.below(4) > 0);
    const runId = await trivet.makeRun(projectId, chosen);
    runIds.push(runId);
    standing.set(runId, new Map(chosen.map((testId) => [testId, 'untested'])));
    for (const part of [0, 1]) {
      trivet.clock.advance(hour);
      const reported = chosen.filter(() => random.below(5) > 0);
      // Some tests always fail, some always pass, the rest vary randomly.
      const testResults = reported.map((testId) => ({
        testId,
        status: testId % 7 === 0 ? 'failed' : testId % 5 === 0 ? 'passed' : random.pick(statuses),
      }));
      if (testResults.length === 0 || (part === 1 && n % 3 > 0)) continue;
      await trivet.call('run-update-test-status', { projectId, runId, testResults });
      for (const { testId, status } of testResults) {
        // The same status again is not a new result.
        if (standing.get(runId)?.get(testId) === status) continue;
        standing.get(runId)?.set(testId, status);
        sent.push({ runId, testId, status, at: trivet.clock.now() });
      }
    }
  }
  trivet.clock.advance(hour);
});
afterAll(() => trivet.stop());

type Row = Record<string, unknown> & { readonly testId: number };
const listed = async (tool: string, given: object = {}) => {
  const answer = await trivet.call(tool, { projectId, limit: 500, ...given });
  return { total: Number(answer['total']), rows: answer['tests'] as readonly Row[] };
};
const historyOf = (testId: number) => sent.filter((one) => one.testId === testId);
const outcomesOf = (testId: number) =>
  historyOf(testId).filter(({ status }) => ['passed', 'failed', 'blocked'].includes(status));
const iso = (time: number) => new Date(time).toISOString();
const idsOf = (rows: readonly Row[]) => rows.map(({ testId }) => testId);

test('never run: no run has an outcome of it', async () => {
  const expected = ids.filter((testId) => outcomesOf(testId).length === 0);
  const { total, rows } = await listed('get-never-run');
  expect(idsOf(rows)).toEqual(expected);
  expect(total).toBe(expected.length);
  expect(expected.length).toBeGreaterThan(9);
});

test('flaky: three flips among the last twenty outcomes, most flips first', async () => {
  const flipsOf = (testId: number) => {
    const verdicts = outcomesOf(testId).map(({ status }) => status);
    let last: string | undefined;
    const flips: number[] = [];
    for (const [n, status] of verdicts.entries()) {
      if (status === 'blocked') continue;
      if (last !== undefined && last !== status) flips.push(n);
      last = status;
    }
    return flips.filter((n) => n >= verdicts.length - 20).length;
  };
  const expected = ids.filter((testId) => flipsOf(testId) >= 3);
  const { rows } = await listed('get-flaky-tests');
  expect(new Set(idsOf(rows))).toEqual(new Set(expected));
  expect(expected.length).toBeGreaterThan(3);
  expect(rows.map((row) => row['flips'])).toEqual(expected.map(flipsOf).toSorted((a, b) => b - a));
  for (const row of rows) expect(row['flips']).toBe(flipsOf(row.testId));
  const inCheckout = await listed('get-flaky-tests', { query: 'section:="Checkout"' });
  expect(new Set(idsOf(inCheckout.rows))).toEqual(new Set(expected.filter((id) => ids.indexOf(id) < 20)));
  const sorted = await listed('get-flaky-tests', { query: 'sort:id-desc' });
  expect(idsOf(sorted.rows)).toEqual(expected.toReversed());
});

test('longest failing: since the first of the failures that nothing else followed', async () => {
  const failing = ids.flatMap((testId) => {
    const outcomes = outcomesOf(testId);
    const streak = outcomes.length - 1 - outcomes.findLastIndex(({ status }) => status !== 'failed');
    const [first] = outcomes.slice(outcomes.length - streak);
    return first ? [{ testId, failingSince: iso(first.at), failuresInARow: streak, at: first.at }] : [];
  });
  const { rows } = await listed('get-longest-failing');
  const expected = failing.toSorted((a, b) => a.at - b.at || a.testId - b.testId);
  expect(
    rows.map(({ testId, failingSince, failuresInARow }) => ({ testId, failingSince, failuresInARow })),
  ).toEqual(
    expected.map(({ testId, failingSince, failuresInARow }) => ({ testId, failingSince, failuresInARow })),
  );
  expect(expected.length).toBeGreaterThan(4);
});

test('slowest to be fixed: from the first failure to the next pass', async () => {
  const expected = ids.flatMap((testId) => {
    let since: number | undefined;
    let longest = 0;
    let fixes = 0;
    for (const { status, at } of historyOf(testId)) {
      if (status === 'failed') since ??= at;
      if (status !== 'passed' || since === undefined) continue;
      longest = Math.max(longest, at - since);
      fixes++;
      since = undefined;
    }
    return fixes > 0 ? [{ testId, fixes, longestFixHours: longest / hour }] : [];
  });
  const { rows, total } = await listed('get-slowest-fixes');
  expect(total).toBe(expected.length);
  expect(expected.length).toBeGreaterThan(5);
  expect(rows.map(({ testId, fixes, longestFixHours }) => ({ testId, fixes, longestFixHours }))).toEqual(
    expected.toSorted((a, b) => b.longestFixHours - a.longestFixHours || a.testId - b.testId),
  );
  const page = await listed('get-slowest-fixes', { limit: 2, offset: 1 });
  expect(idsOf(page.rows)).toEqual(idsOf(rows).slice(1, 3));
  expect((await listed('get-slowest-fixes', { days: 1 })).total).toBeLessThan(total);
  const sorted = await listed('get-slowest-fixes', { query: 'sort:id-desc', limit: 4 });
  expect([sorted.total, ...idsOf(sorted.rows)]).toEqual([
    total,
    ...idsOf(rows)
      .toSorted((a, b) => b - a)
      .slice(0, 4),
  ]);
});

test('automation: a status named "none" and tests without one are counted together', async () => {
  const own = await trivet.makeProject();
  const named = { projectId: own, kind: 'automationStatus', names: ['none'] };
  const added = await trivet.call('add-classification', named);
  const [{ id: automationStatusId } = { id: 0 }] = added['values'] as Array<{ id: number }>;
  await trivet.makeTests(own, 2, { automationStatusId });
  await trivet.makeTests(own, 3);
  const answer = await trivet.call('get-automation-coverage', { projectId: own, automationStatusId });
  expect(answer['sections']).toMatchObject([{ tests: 5, automated: 2, byAutomationStatus: { none: 5 } }]);
});

test('the pass rate: every run at the day of its creation', async () => {
  const answer = await trivet.call('get-pass-rate', { projectId, days: 30 });
  const points = answer['points'] as ReadonlyArray<Record<string, unknown>>;
  expect(points).toHaveLength(30);
  const sum = (name: string) => points.reduce((all, point) => all + Number(point[name]), 0);
  const counted = (status: string) =>
    [...standing.values()].flatMap((run) => [...run.values()]).filter((one) => one === status).length;
  expect([sum('runs'), sum('passed'), sum('failed'), sum('blocked')]).toEqual([
    runIds.length,
    counted('passed'),
    counted('failed'),
    counted('blocked'),
  ]);
  const weeks = (await trivet.call('get-pass-rate', { projectId, days: 30, by: 'week' }))[
    'points'
  ] as object[];
  expect(weeks.length).toBeLessThanOrEqual(6);
});

test('automation by section, with the sections below', async () => {
  const answer = await trivet.call('get-automation-coverage', { projectId });
  expect(answer['sections']).toMatchObject([
    {
      sectionId: checkout,
      tests: 40,
      automated: 20,
      coverage: 50,
      byAutomationStatus: { Automated: 20, Automatable: 20 },
    },
    { sectionPath: ['Checkout', 'Payment'], tests: 20, automated: 0, coverage: 0 },
    { sectionId: null, tests: 20, automated: 0, coverage: 0, byAutomationStatus: { none: 20 } },
  ]);
  // In the order of the statuses: PostgreSQL gave another one than SQLite, and the rows of a page differed.
  const [first] = answer['sections'] as Array<{ byAutomationStatus: object }>;
  expect(Object.keys(first?.byAutomationStatus ?? {})).toEqual(['Automated', 'Automatable']);
  const [, automationStatusId] = await trivet.optionIds(projectId, 'automationStatus');
  const other = await trivet.call('get-automation-coverage', {
    projectId,
    automationStatusId,
    query: 'section:Payment',
  });
  expect(other['sections']).toMatchObject([
    { sectionId: checkout, tests: 20, automated: 20 },
    { sectionPath: ['Checkout', 'Payment'], tests: 20, automated: 20, coverage: 100 },
  ]);
});

describe('two runs', () => {
  const changes = (before: Map<number, string>, now: Map<number, string>) => {
    const names = ['newly-failing', 'fixed', 'still-failing', 'added', 'removed'] as const;
    const of = (testId: number) => {
      const [old, status] = [before.get(testId), now.get(testId)];
      if (old === undefined) return 'added';
      if (status === undefined) return 'removed';
      if (status === 'failed') return old === 'failed' ? 'still-failing' : 'newly-failing';
      return old === 'failed' && status === 'passed' ? 'fixed' : null;
    };
    const all = [...new Set([...before.keys(), ...now.keys()])].map((testId) => ({
      testId,
      change: of(testId),
    }));
    return names.flatMap((name) =>
      all.filter(({ change }) => change === name).toSorted((a, b) => a.testId - b.testId),
    );
  };
  test('each against the one before: as read by hand', async () => {
    for (const [n, runId] of runIds.entries()) {
      if (n === 0) continue;
      const expected = changes(
        standing.get(runIds[n - 1] ?? 0) ?? new Map(),
        standing.get(runId) ?? new Map(),
      );
      const answer = await trivet.call('compare-runs', { projectId, runId, limit: 500 });
      expect(answer['againstRunId']).toBe(runIds[n - 1]);
      expect((answer['tests'] as readonly Row[]).map(({ testId, change }) => ({ testId, change }))).toEqual(
        expected as never,
      );
      const fixed = await trivet.call('compare-runs', { projectId, runId, change: 'fixed', limit: 1 });
      expect(fixed['total']).toBe(expected.filter(({ change }) => change === 'fixed').length);
      expect((fixed['counts'] as Record<string, number>)['fixed']).toBe(Number(fixed['total']));
    }
  });
  test('the first of a project has none before', async () => {
    expect(await trivet.refusal('compare-runs', { projectId, runId: runIds[0] })).toMatchObject({
      code: 'RUN_NOT_FOUND',
      causeWord: 'againstRunId',
    });
  });
});

describe('an insight is refused', () => {
  const cases: ReadonlyArray<readonly [string, object, object]> = [
    ['get-flaky-tests', { query: 'nonsense:1' }, { code: 'INVALID_QUERY' }],
    ['get-never-run', { query: 'label:nothing' }, { code: 'INVALID_QUERY' }],
    ['get-longest-failing', { projectId: 999 }, { code: 'PROJECT_NOT_FOUND' }],
    ['get-slowest-fixes', { days: 0 }, { code: 'INVALID_REQUEST' }],
    ['get-pass-rate', { by: 'month' }, { code: 'INVALID_REQUEST' }],
    ['get-automation-coverage', { automationStatusId: 1 }, { code: 'NOT_IN_PROJECT' }],
    ['compare-runs', { runId: 999 }, { code: 'RUN_NOT_FOUND' }],
    ['compare-runs', { runId: 2, againstRunId: 999 }, { code: 'RUN_NOT_FOUND' }],
  ];
  test.each(cases)('%s %j', async (tool, given, expected) => {
    expect(await trivet.refusal(tool, { projectId, ...given })).toMatchObject(expected);
  });
});
