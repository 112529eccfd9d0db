import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomFrom } from '../../../test/verify/scale.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';

/* Compares counts of results in a window of time with a plain count of everything that was sent. @see issue 13, 46 */

const hour = 3_600_000;
const statuses = ['passed', 'failed', 'failed', 'passed', 'blocked', 'retest'] as const;

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;
let ids: readonly number[];
let lastRun = 0;
const sent: Array<{ runId: number; testId: number; status: string; at: number }> = [];

beforeAll(async () => {
  const random = randomFrom(46);
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  ids = await trivet.makeTests(projectId, 30);
  for (let run = 0; run < 20; run++) {
    const runId = await trivet.makeRun(projectId, ids.slice(0, 25));
    lastRun = runId;
    const standing = new Map<number, string>();
    for (let part = 0; part < 3; part++) {
      trivet.clock.advance(4 * hour);
      const testResults = ids
        .slice(0, 25)
        .filter(() => random.below(3) > 0)
        .map((testId) => ({ testId, status: random.pick(statuses), comment: `${random.below(9)}` }));
      await trivet.call('run-update-test-status', { projectId, runId, testResults });
      for (const { testId, status } of testResults) {
        if (standing.get(testId) === status) continue;
        standing.set(testId, status);
        sent.push({ runId, testId, status, at: trivet.clock.now() });
      }
    }
  }
  trivet.clock.advance(hour);
});
afterAll(() => trivet.stop());

const day = 24 * hour;
const found = async (query: string, tool = 'get-tests', input: object = {}) => {
  const { tests, total } = (await trivet.call(tool, { projectId, query, limit: 500, ...input })) as {
    tests: Array<{ testId: number }>;
    total: number;
  };
  expect(total).toBe(tests.length);
  return tests.map(({ testId }) => testId);
};
type Window = (at: number) => boolean;
const within = (testId: number, is: Window) => sent.filter((one) => one.testId === testId && is(one.at));
const count = {
  failed: (testId: number, is: Window) =>
    within(testId, is).filter(({ status }) => status === 'failed').length,
  passed: (testId: number, is: Window) =>
    within(testId, is).filter(({ status }) => status === 'passed').length,
  runs: (testId: number, is: Window) =>
    new Set(within(testId, is).flatMap(({ status, runId }) => (status === 'retest' ? [] : [runId]))).size,
};
const compare: Readonly<Record<string, (value: number) => boolean>> = {
  ':>=2': (value) => value >= 2,
  ':0': (value) => value === 0,
  ':1..3': (value) => value >= 1 && value <= 3,
  ':<2': (value) => value < 2,
  ':1,4': (value) => value === 1 || value === 4,
};
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const startOf = (at: number) => Date.parse(dayOf(at));
const windows = (): ReadonlyArray<readonly [string, Window]> => {
  const now = trivet.clock.now();
  const [from, to] = [now - 6 * day, now - 3 * day];
  return [
    ['since:7d', (at) => at >= now - 7 * day],
    ['since:36h', (at) => at >= now - 36 * hour],
    [`since:${dayOf(from)}`, (at) => at >= startOf(from)],
    [`since:${dayOf(from)}..${dayOf(to)}`, (at) => at >= startOf(from) && at < startOf(to) + day],
    ['since:1m', () => false],
    ['since:99w', () => true],
  ];
};

describe.each(['failed', 'passed', 'runs'] as const)('%s:', (field) => {
  test.each(Object.keys(compare))('%s in every window, alone and negated', async (operator) => {
    const fits = compare[operator] ?? (() => false);
    for (const [since, is] of windows()) {
      const wanted = ids.filter((testId) => fits(count[field](testId, is)));
      expect(await found(`${field}${operator} ${since}`)).toEqual(wanted);
      expect(await found(`-${field}${operator} ${since}`)).toEqual(
        ids.filter((testId) => !wanted.includes(testId)),
      );
      const inRun = { runId: lastRun };
      expect(await found(`${field}${operator} ${since}`, 'get-run-tests-list', inRun)).toEqual(
        wanted.filter((testId) => ids.indexOf(testId) < 25),
      );
    }
  });
});

test('since bounds every count of the query, wherever it stands, and beside a condition with an index', async () => {
  const is: Window = (at) => at >= trivet.clock.now() - 3 * day;
  const wanted = ids.filter((testId) => count.failed(testId, is) >= 2 || count.passed(testId, is) >= 3);
  expect(await found('since:3d (failed:>=2 OR passed:>=3)')).toEqual(wanted);
  expect(await found(`(failed:>=2 OR passed:>=3) in-run:${lastRun} since:3d`)).toEqual(wanted);
});

test('passed: without since is among the last 20 results', async () => {
  const recent = (testId: number) =>
    within(testId, () => true)
      .filter(({ status }) => status !== 'retest')
      .slice(-20)
      .filter(({ status }) => status === 'passed').length;
  expect(await found('passed:>=7')).toEqual(ids.filter((testId) => recent(testId) >= 7));
  expect(await found('passed:0')).toEqual(ids.filter((testId) => recent(testId) === 0));
});

test.each([
  ['since:7d', 'last-run:7d'],
  ['label:none since:2026-11-01', 'last-run:>=2026-11-01'],
  ['failed:>=2 since:yesterday', 'since:>=2026-11-01'],
  ['failed:>=2 -since:7d', 'since:A..B'],
  ['failed:>=2 since:7d since:8d', 'since:A..B'],
  ['(failed:>=2 since:7d)', 'once, at the end'],
  ['failed:>=2 since:1d,2d', 'since:7d'],
])('%s is refused', async (query, remedy) => {
  expect(await trivet.refusal('get-tests', { projectId, query })).toMatchObject({
    code: 'INVALID_QUERY',
    tip: expect.stringContaining(remedy),
  });
});
