import { describe, expect, test } from 'bun:test';
import { nameKey } from '../../../core/text/name-key.ts';
import { inTurns } from '../../../core/base/turns.ts';
import { columnsOf } from '../cases/case-columns.ts';
import { breakdown } from '../cases/case-counts.ts';
import { foreignReferences, idsIn, type References } from '../cases/case-references.ts';
import { firstProblems, requireDistinct } from '../base/id-list.ts';
import { inTreeOrder, namesake, sectionPath } from '../rules/section-tree.ts';
import { percentages, shift, statusCounts, tally, testStatuses } from '../rules/test-status.ts';
import { countsBy, testersOf, type StateGroup } from '../runs/run-state.ts';

describe('run status', () => {
  const of = (passed: number, failed = 0, blocked = 0, retest = 0, untested = 0) =>
    statusCounts({ passed, failed, blocked, retest, untested });

  test('a tally has every status', () => {
    expect(tally([])).toEqual({ passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 });
    expect(
      tally([
        { status: 'failed', count: 2 },
        { status: 'failed', count: 1 },
      ]),
    ).toMatchObject({ failed: 3, passed: 0 });
    expect(of(1, 2, 3, 4, 5).total).toBe(15);
  });

  test.each([
    [of(0), 0, 0],
    [of(1), 100, 0],
    [of(1, 2), 33.3, 66.7],
    [of(1, 7), 12.5, 87.5],
    [of(1, 1999), 0.1, 100],
    [of(1, 99_999), 0, 100],
  ])('%j in percent', (counts, passed, failed) => {
    expect(percentages(counts)).toMatchObject({ passed, failed });
  });

  test('every change of status by every other keeps the total', () => {
    for (const from of testStatuses) {
      for (const to of testStatuses) {
        const change = shift([from], [to]);
        expect(statusCounts(change).total).toBe(0);
        expect(change[to]).toBe(from === to ? 0 : 1);
      }
    }
    expect(shift(['passed', 'failed'], [])).toMatchObject({ passed: -1, failed: -1, untested: 0 });
  });

  test('groups of a run by one key', () => {
    const groups: StateGroup[] = [
      { squadId: 1, sectionId: 5, status: 'passed', by: 7, count: 2 },
      { squadId: 1, sectionId: 6, status: 'failed', by: 8, count: 1 },
      { squadId: null, sectionId: 5, status: 'passed', by: 8, count: 4 },
    ];
    expect(countsBy(groups, 'squadId')).toMatchObject([
      { id: 1, counts: { total: 3, passed: 2, failed: 1 } },
      { id: null, counts: { total: 4 } },
    ]);
    const undecided = [
      { squadId: 1, sectionId: 5, status: 'retest' as const, by: 9, count: 3 },
      { squadId: 1, sectionId: 5, status: 'untested' as const, by: null, count: 3 },
    ];
    expect(testersOf([...groups, ...undecided])).toEqual([
      { userId: 8, tests: 5 },
      { userId: 7, tests: 2 },
    ]);
    expect(countsBy(groups, 'sectionId')).toMatchObject([
      { id: 5, counts: { total: 6 } },
      { id: 6, counts: { total: 1 } },
    ]);
  });
});

test.each([
  ['Smoke', 'smoke'],
  ['  Two  Words ', 'two  words'],
  ['ÄPFEL', 'äpfel'],
  ['A\u0308pfel', 'äpfel'],
  ['ПРИВЕТ', 'привет'],
  ['日本', '日本'],
])('%p and %p are one name', (a, b) => expect(nameKey(a)).toBe(nameKey(b)));

describe('the tree of sections', () => {
  const section = (id: number, name: string, parentId: number | null = null) => ({ id, name, parentId });
  const tree = [
    section(4, 'b', 1),
    section(1, 'Top'),
    section(3, 'A', 1),
    section(2, 'another'),
    section(5, 'deep', 4),
  ];
  const byId = new Map(tree.map((one) => [one.id, one]));

  test('parents before children, siblings by name', async () => {
    expect((await inTurns(inTreeOrder(tree))).map(({ id }) => id)).toEqual([2, 1, 3, 4, 5]);
  });
  test.each([
    [null, []],
    [99, []],
    [1, ['Top']],
    [5, ['Top', 'b', 'deep']],
  ])('the path of %p', (id, path) => expect(sectionPath(byId, id)).toEqual(path));
  test('a circle ends', () => {
    const circle = new Map([
      [1, section(1, 'a', 2)],
      [2, section(2, 'b', 1)],
    ]);
    expect(sectionPath(circle, 1)).toHaveLength(32);
  });
  test.each([
    ['a', 1, undefined, 3],
    ['a', null, undefined, undefined],
    ['a', 1, 3, undefined],
    [' TOP ', null, undefined, 1],
  ])('who has the name %p under %p', (name, parentId, except, id) => {
    const wanted = { name, parentId, ...(except === undefined ? {} : { except }) };
    expect(namesake(tree, wanted)?.id).toBe(id as never);
  });
});

describe('references of a test', () => {
  const known: References = {
    fields: new Map(),
    classifications: new Map([
      [1, { kind: 'priority', name: 'High' }],
      [2, { kind: 'type', name: 'Smoke' }],
    ]),
    sections: new Map([
      [1, { name: 's', parentId: null, deletedAt: null }],
      [2, { name: 'gone', parentId: null, deletedAt: 5 }],
    ]),
    squads: new Map([[1, 'q']]),
    labels: new Map([[1, 'l']]),
  };
  test.each([
    [{}, []],
    [{ priorityId: 1, typeId: 2, sectionId: 1, squadId: 1, labels: [1, 1] }, []],
    [{ sectionId: null, priorityId: null, squadId: null }, []],
    [{ priorityId: 2 }, ['priorityId']],
    [{ typeId: 1 }, ['typeId']],
    [
      { automationStatusId: 9, platformId: 9, testCoveredById: 9 },
      ['automationStatusId', 'platformId', 'testCoveredById'],
    ],
    [{ sectionId: 2 }, ['sectionId']],
    [{ sectionId: 3 }, ['sectionId']],
    [{ squadId: 2, labels: [2, 1, 3] }, ['squadId', 'labels[0]', 'labels[2]']],
  ])('%j', (given, paths) => {
    expect(foreignReferences(given, known).map(({ path }) => path)).toEqual(paths);
  });
  test('each id is looked up once', () => {
    const ids = idsIn([
      { priorityId: 1, typeId: 2, labels: [3, 4] },
      { priorityId: 1, sectionId: null, labels: [4] },
    ]);
    expect(ids).toEqual({
      classifications: new Set([1, 2]),
      sections: new Set(),
      squads: new Set(),
      labels: new Set([3, 4]),
      fields: false,
    });
  });
  test('only given fields become columns', () => {
    expect(columnsOf({})).toEqual({});
    expect(columnsOf({ testName: ' n ', labels: [1], squadId: 2 })).toEqual({ name: 'n', squadId: 2 });
  });
});

test('counts name every option, and who has none only when somebody has none', () => {
  const options = [
    { id: 1, kind: 'priority' as const, name: 'High' },
    { id: 2, kind: 'priority' as const, name: 'Low' },
    { id: 3, kind: 'automationStatus' as const, name: 'Manual' },
  ];
  const groups = [
    { priorityId: 1, automationStatusId: 3, count: 2 },
    { priorityId: 1, automationStatusId: null, count: 1 },
  ];
  expect(breakdown(groups, options)).toEqual({
    total: 3,
    byPriority: [
      { priorityId: 1, priority: 'High', count: 3 },
      { priorityId: 2, priority: 'Low', count: 0 },
    ],
    byAutomationStatus: [
      { automationStatusId: 3, automationStatus: 'Manual', count: 2 },
      { automationStatusId: null, automationStatus: null, count: 1 },
    ],
  });
});

test('twenty faults are named, the rest is counted', () => {
  const faults = (count: number) => firstProblems(Array.from({ length: count }, (_, n) => `f${n}`));
  expect(faults(1)).toBe('f0');
  expect(faults(20)).toEndWith('; f19');
  expect(faults(23)).toEndWith('; f19; and 3 more');
  expect(() => requireDistinct([1, 2, 3], { parameter: 'testIds', inside: '' })).not.toThrow();
  expect(() => requireDistinct([1, 2, 1, 1], { parameter: 'testIds', inside: '' })).toThrow(
    'testIds[2] is 1, as in testIds[0]; testIds[3] is 1, as in testIds[0]. Nothing was written.',
  );
});
