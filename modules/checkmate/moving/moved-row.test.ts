import { expect, test } from 'bun:test';
import { cellOf, checkmateTables, timeOfMysql, type CheckmateRow } from './checkmate-table.ts';
import {
  isMovedDeleted,
  movedName,
  movedRole,
  movedRunState,
  movedRunTexts,
  movedStatus,
  movedTest,
} from './moved-row.ts';

/** A row with these cells, the others null. */
const row = <T extends keyof typeof checkmateTables>(
  table: T,
  cells: Partial<CheckmateRow<T>>,
): CheckmateRow<T> =>
  ({
    ...Object.fromEntries(Object.keys(checkmateTables[table].columns).map((name) => [name, null])),
    ...cells,
  }) as CheckmateRow<T>;

/** The notes of some work. */
function notesOf(work: (note: (what: string) => void) => unknown): string[] {
  const notes: string[] = [];
  work((what) => void notes.push(what));
  return notes;
}

test('statuses of results', () => {
  const cases: ReadonlyArray<
    readonly [status: string | null, comment: string | null, is: string, told: string | null, notes: number]
  > = [
    ['Passed', null, 'passed', null, 0],
    ['Failed', ' why ', 'failed', 'why', 0],
    ['Retest', '', 'retest', null, 0],
    ['blocked', null, 'blocked', null, 0],
    ['Untested', null, 'untested', null, 0],
    ['Skipped', null, 'untested', 'Skipped', 1],
    ['InProgress', 'half', 'untested', 'InProgress: half', 1],
    ['Archived', null, 'untested', 'Archived', 1],
    ['Odd', 'x', 'untested', 'Odd: x', 1],
    [null, null, 'untested', '(none)', 1],
    ['Passed', 'c'.repeat(10_001), 'passed', 'c'.repeat(10_001), 1],
  ];
  for (const [status, comment, is, told, count] of cases) {
    const notes = notesOf((note) =>
      expect(movedStatus(status, comment, note)).toEqual({ status: is as 'passed', comment: told }),
    );
    expect([status, notes.length]).toEqual([status, count]);
  }
});

test('states of runs, tests and people', () => {
  for (const [status, state, count] of [
    ['Active', 'active', 0],
    [null, 'active', 0],
    ['Locked', 'locked', 0],
    ['Archived', 'locked', 1],
    ['Deleted', 'left out', 1],
  ] as const) {
    const notes = notesOf((note) => expect(movedRunState(row('runs', { status }), note)).toBe(state));
    expect([status, notes.length]).toEqual([status, count]);
  }
  for (const [status, isDeleted] of [
    ['Active', false],
    [null, false],
    ['Archived', true],
    ['Deleted', true],
  ] as const)
    expect([status, isMovedDeleted(row('tests', { status }), () => {})]).toEqual([status, isDeleted]);
  for (const [role, status, is] of [
    ['admin', 'active', 'member'],
    ['user', null, 'member'],
    ['reader', 'active', 'reader'],
    ['admin', 'archive', null],
    ['reader', 'delete', null],
  ] as const)
    expect([role, status, movedRole(row('users', { role, status }))]).toEqual([role, status, is]);
});

test('texts of tests and runs', () => {
  const cases: ReadonlyArray<readonly [cells: Partial<CheckmateRow<'tests'>>, is: object, notes: number]> = [
    [{ title: ' Pay ' }, { name: 'Pay', description: '', preconditions: '', steps: [] }, 0],
    [{ title: ' ', testId: 7 }, { name: 'Test 7' }, 0],
    [
      { title: 'a', description: ' b ', reference: 'r', custom4: 'c', defects: 'D-1' },
      { description: 'b\n\nReference: r\n\nCustom 4: c\n\nDefects: D-1' },
      0,
    ],
    [
      { title: 'a', steps: '1. x\n2. y', expectedResult: 'z' },
      { steps: [{ action: 'x' }, { action: 'y', expected: 'z' }] },
      0,
    ],
    [{ title: 'a', assignedTo: 3, attachments: 'https://a' }, { description: 'Attachments: https://a' }, 2],
    [
      { title: 'T'.repeat(700) },
      { name: `${'T'.repeat(254)}…`, description: `Full title: ${'T'.repeat(700)}` },
      1,
    ],
    [{ title: 'a', preConditions: 'p'.repeat(20_001) }, { preconditions: 'p'.repeat(20_001) }, 1],
  ];
  for (const [cells, is, count] of cases) {
    const notes = notesOf((note) => expect(movedTest(row('tests', cells), note)).toMatchObject(is));
    expect([cells.title, notes.length]).toEqual([cells.title, count]);
  }
  expect(
    movedRunTexts(row('runs', { runId: 3, runName: '', runDescription: ' d ', refrence: 'v1' })),
  ).toEqual({
    name: 'Run 3',
    description: 'd\n\nReference: v1',
  });
  for (const [name, is] of [
    [null, '-'],
    ['  ', '-'],
    [' a ', 'a'],
    ['n'.repeat(300), 'n'.repeat(255)],
    [`${'n'.repeat(254)}🙂`, 'n'.repeat(254)],
  ] as const)
    expect(movedName(name, '-')).toBe(is);
});

test('cells of rows', () => {
  const at = Date.UTC(2024, 2, 1, 12, 0, 5);
  const cases: ReadonlyArray<
    readonly [kind: 'int' | 'text' | 'time', value: unknown, is: string | number | null]
  > = [
    ['int', '7', 7],
    ['int', 7n, 7],
    ['int', true, 1],
    ['int', 'x', null],
    ['int', '', null],
    ['int', 1.5, null],
    ['int', undefined, null],
    ['text', 'a\0b\ud800', 'ab\ufffd'],
    ['text', 5, '5'],
    ['time', '2024-03-01 12:00:05', at],
    ['time', '2024-03-01 12:00:05.123456', at],
    ['time', at, at],
    ['time', String(at), at],
    ['time', '0000-00-00 00:00:00', null],
    ['time', 'now', null],
    ['time', null, null],
  ];
  for (const [kind, value, is] of cases)
    expect([kind, value, cellOf(kind, value)]).toEqual([kind, value, is]);
  expect(timeOfMysql('2024-13-01 00:00:00')).toBe(Date.UTC(2025, 0, 1));
});
