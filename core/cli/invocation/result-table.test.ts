import { describe, expect, test } from 'bun:test';
import { recordsOf, tableOf } from './result-table.ts';

const note = (noteId: number, text: string | null, more: object = {}) => ({ noteId, text, ...more });
const list = (notes: readonly object[], more: object = {}) => ({
  total: notes.length,
  limit: 50,
  offset: 0,
  notes,
  ...more,
});

const cases: ReadonlyArray<readonly [string, unknown, string, number?]> = [
  [
    'a list: numbers to the right',
    list([note(1, 'a'), note(20, 'long')]),
    'noteId  text\n──────  ────\n     1  a\n    20  long\n\n2 in all\n',
  ],
  ['an empty list', list([]), 'Nothing.\n\n0 in all\n'],
  [
    'a part of a list',
    list([note(3, 'c')], { total: 9, offset: 2, nextOffset: 3 }),
    'noteId  text\n──────  ────\n     3  c\n\n1 of 9, from 3; go on with offset 3\n',
  ],
  [
    'ids beside their names, the project, and what is empty are left out',
    list([
      note(1, 'a', {
        projectId: 7,
        priorityId: 2,
        priority: 'High',
        squadId: null,
        squad: null,
        folderId: 4,
      }),
    ]),
    'noteId  text  priority  folderId\n──────  ────  ────────  ────────\n     1  a     High             4\n\n1 in all\n',
  ],
  [
    'columns that do not fit are left out',
    list([note(1, 'x'.repeat(30), { other: 'y'.repeat(30), short: 'z' })]),
    `noteId  text${' '.repeat(26)}  short\n──────  ${'─'.repeat(30)}  ─────\n     1  ${'x'.repeat(30)}  z\n\n1 in all\n`,
    50,
  ],
  [
    'a cell is cut, and is one line',
    list([note(1, `a\n b ${'c'.repeat(80)}`)]),
    `noteId  text\n──────  ${'─'.repeat(60)}\n     1  a b ${'c'.repeat(55)}…\n\n1 in all\n`,
  ],
  [
    'wide characters take two places',
    list([note(1, '日本'), note(2, 'ab')]),
    'noteId  text\n──────  ────\n     1  日本\n     2  ab\n\n2 in all\n',
  ],
  [
    'what a terminal would obey is escaped',
    list([note(1, '\u001b[31mred\u0007')]),
    'noteId  text\n──────  ───────────────────\n     1  \\u001b[31mred\\u0007\n\n1 in all\n',
  ],
  [
    'paths, names, counts, times and truth in words',
    list([
      {
        id: 1,
        path: ['A', 'B'],
        labels: [
          { labelId: 1, labelName: 'smoke' },
          { labelId: 2, labelName: 'ui' },
        ],
        counts: { total: 2, passed: 2, failed: 0 },
        at: '2026-11-22T08:33:40.185Z',
        flaky: false,
      },
    ]),
    'id  path   labels     counts             at                flaky\n' +
      '──  ─────  ─────────  ─────────────────  ────────────────  ─────\n' +
      ' 1  A > B  smoke, ui  total 2, passed 2  2026-11-22 08:33  no\n\n1 in all\n',
  ],
  ['a record', { noteId: 1, text: 'a', squad: null }, 'noteId  1\ntext    a\nsquad\n'],
  [
    'a record with a list of records',
    { noteId: 1, steps: [{ action: 'open', expected: 'seen' }] },
    'noteId  1\nsteps:\n  action  expected\n  ──────  ────────\n  open    seen\n',
  ],
  [
    'a list with more than the list',
    { ...list([note(1, 'a')]), runId: 4 },
    'noteId  text\n──────  ────\n     1  a\n\nrunId  4\n1 in all\n',
  ],
  ['a text', 'done', 'done\n'],
];
test.each(cases)('%s', (_title, result, text, width = 120) => {
  expect(tableOf(result, { width })).toBe(text);
});

test('columns that are asked for are all there', () => {
  const wide = list([{ a: 'x'.repeat(50), b: 'y'.repeat(50), c: 1, d: null }]);
  const [head] = tableOf(wide, { width: 20, columns: ['a', 'b', 'd'] }).split('\n');
  expect(head?.split(/\s+/)).toEqual(['a', 'b', 'd']);
});

describe('the records of a result', () => {
  test.each<[string, unknown, unknown]>([
    ['a list', list([note(1, 'a')]), [note(1, 'a')]],
    ['an empty list', list([]), []],
    ['two lists', { total: 0, a: [], b: [] }, undefined],
    ['a record with a list', { noteId: 1, steps: [] }, undefined],
    ['a list of texts', { total: 1, names: ['a'] }, undefined],
    ['no list', { a: 1 }, undefined],
    ['no object', 7, undefined],
  ])('%s', (_title, result, expected) => expect(recordsOf(result)).toEqual(expected as never));
  test('two lists, of which the total counts one', () => {
    const [unmatched, tests] = [[{ key: 'a' }], [{ testId: 1 }, { testId: 2 }]];
    expect(recordsOf({ total: 2, unmatched, tests }, 'tests')).toEqual(tests);
  });
});
