import { describe, expect, test } from 'bun:test';
import type { TestStatus } from '../rules/test-status.ts';
import { automationCoverage } from './automation-coverage.ts';
import { fixTimesOf } from './fix-time.ts';
import { beginningOf, passRates, type Period } from './pass-rate.ts';
import { changeOf, type Change } from './run-difference.ts';

const day = 86_400_000;
const at = (text: string) => Date.parse(text);

describe('a period begins', () => {
  const cases: ReadonlyArray<readonly [Period, string, string]> = [
    ['day', '2026-11-22T00:00:00Z', '2026-11-22'],
    ['day', '2026-11-22T23:59:59.999Z', '2026-11-22'],
    // A Sunday belongs to the week before.
    ['week', '2026-11-22T12:00:00Z', '2026-11-16'],
    ['week', '2026-11-16T00:00:00Z', '2026-11-16'],
    ['week', '2027-01-01T00:00:00Z', '2026-12-28'],
    ['week', '1970-01-01T00:00:00Z', '1969-12-29'],
  ];
  test.each(cases)('%s of %s on %s', (period, time, expected) => {
    expect(new Date(beginningOf(period, at(time))).toISOString().slice(0, 10)).toBe(expected);
  });
});

describe('the pass rate', () => {
  const run = (time: string, passed: number, failed: number, blocked = 0) => ({
    createdAt: at(time),
    passed,
    failed,
    blocked,
  });
  const range = { from: at('2026-11-20T10:00:00Z'), to: at('2026-11-22T10:00:00Z') };
  test('has a point for each day, also for one without a run', () => {
    const runs = [
      run('2026-11-20T00:00:00Z', 3, 1),
      run('2026-11-20T20:00:00Z', 1, 1),
      run('2026-11-22T00:00:00Z', 1, 0, 2),
    ];
    expect(
      passRates(runs, 'day', range).map(({ at: from, ...point }) => [new Date(from).getUTCDate(), point]),
    ).toEqual([
      [20, { runs: 2, passed: 4, failed: 2, blocked: 0, passRate: 66.7 }],
      [21, { runs: 0, passed: 0, failed: 0, blocked: 0, passRate: null }],
      [22, { runs: 1, passed: 1, failed: 0, blocked: 2, passRate: 33.3 }],
    ]);
  });
  test('leaves out runs before and after', () => {
    const runs = [run('2026-11-19T23:59:59Z', 9, 9), run('2026-11-23T00:00:00Z', 9, 9)];
    expect(passRates(runs, 'day', range).every((point) => point.runs === 0)).toBe(true);
  });
  test('of weeks has one point for three days of one week', () => {
    expect(passRates([run('2026-11-16T00:00:00Z', 1, 0)], 'week', range)).toEqual([
      { at: at('2026-11-16'), runs: 1, passed: 1, failed: 0, blocked: 0, passRate: 100 },
    ]);
  });
});

describe('the time until a test is fixed', () => {
  const letters: Readonly<Record<string, TestStatus>> = {
    p: 'passed',
    f: 'failed',
    b: 'blocked',
    r: 'retest',
    u: 'untested',
  };
  /** One result a day. */
  const of = (text: string) =>
    fixTimesOf([...text].map((letter, n) => ({ status: letters[letter] ?? 'untested', at: n * day })));
  const cases: ReadonlyArray<readonly [string, readonly [number, number, number, number] | null]> = [
    ['', null],
    ['ppp', null],
    ['ff', null],
    ['fp', [1, 1, 1, 1]],
    ['fffp', [1, 3, 3, 3]],
    ['pfbrufp', [1, 5, 5, 6]],
    ['fpffp', [2, 2, 3, 4]],
    ['fpf', [1, 1, 1, 1]],
    ['bp', null],
  ];
  test.each(cases)('%p', (text, expected) => {
    const [fixes = 0, longest = 0, total = 0, last = 0] = expected ?? [];
    expect(of(text)).toEqual(
      expected && { fixes, longestMs: longest * day, totalMs: total * day, lastFixedAt: last * day },
    );
  });
  test('is never negative, also when a clock was set back', () => {
    expect(
      fixTimesOf([
        { status: 'failed', at: 10 },
        { status: 'passed', at: 5 },
      ])?.longestMs,
    ).toBe(0);
  });
});

describe('what changed from one run to another', () => {
  const cases: ReadonlyArray<readonly [TestStatus | undefined, TestStatus | undefined, Change | null]> = [
    ['passed', 'failed', 'newly-failing'],
    ['untested', 'failed', 'newly-failing'],
    ['blocked', 'failed', 'newly-failing'],
    ['failed', 'failed', 'still-failing'],
    ['failed', 'passed', 'fixed'],
    ['failed', 'untested', null],
    ['failed', 'blocked', null],
    ['passed', 'passed', null],
    [undefined, 'failed', 'added'],
    [undefined, 'untested', 'added'],
    ['failed', undefined, 'removed'],
    [undefined, undefined, null],
  ];
  test.each(cases)('%p → %p: %p', (before, status, expected) => {
    expect(changeOf(before, status)).toBe(expected);
  });
});

test('the automation of a section includes the sections below it', () => {
  const tree = new Map([
    [1, { name: 'a', parentId: null }],
    [2, { name: 'b', parentId: 1 }],
    [3, { name: 'c', parentId: 3 }],
  ]);
  const counts = [
    { sectionId: 1, automationStatusId: 7, count: 1 },
    { sectionId: 2, automationStatusId: 7, count: 2 },
    { sectionId: 2, automationStatusId: null, count: 1 },
    { sectionId: null, automationStatusId: 8, count: 4 },
  ];
  const found = automationCoverage(counts, tree, new Set([7]));
  expect([...found.values()]).toEqual([
    {
      sectionId: 1,
      tests: 4,
      automated: 3,
      coverage: 75,
      byStatus: new Map([
        [7, 3],
        [null, 1],
      ]),
    },
    {
      sectionId: 2,
      tests: 3,
      automated: 2,
      coverage: 66.7,
      byStatus: new Map([
        [7, 2],
        [null, 1],
      ]),
    },
    { sectionId: null, tests: 4, automated: 0, coverage: 0, byStatus: new Map([[8, 4]]) },
  ]);
  // A cycle in damaged data must not loop endlessly.
  expect(
    automationCoverage([{ sectionId: 3, automationStatusId: 7, count: 1 }], tree, new Set([7])).size,
  ).toBe(1);
});
