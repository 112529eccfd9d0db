import { expect, test } from 'bun:test';
import { numberedItems, stepsOfLists } from './numbered-list.ts';

test.each<[string, string[] | undefined]>([
  ['1. a\n2. b', ['a', 'b']],
  ['1) a\r\n   more\r\n2) b\r\n', ['a\n   more', 'b']],
  ['1. a\n3. not the next\n2. b', ['a\n3. not the next', 'b']],
  ['2. starts late', undefined],
  ['text', undefined],
  ['', undefined],
  ['1.5 metres', undefined],
])('%p', (text, items) => expect(numberedItems(text)).toEqual(items));

/** @see docs/moving.md: steps of TestRail and of spreadsheets lost their quotes, and a backslash before n became the end of a line. */
test.each<[string, string[], string[]]>([
  ['1. "a \\"x\\"\\nnext"\n2. ""\n', ['"a \\"x\\"\\nnext"', '""'], ['a "x"\nnext', '']],
  ['1. "C:\\new"', ['"C:\\new"'], ['C:\new']],
  ['1. "Save" or "Cancel"', ['"Save" or "Cancel"'], ['"Save" or "Cancel"']],
  ['1. "', ['"'], ['"']],
])('%p in a file with quotes around items, and in others', (text, plain, quoted) =>
  expect([numberedItems(text), numberedItems(text, true)]).toEqual([plain, quoted]),
);

test.each<[string, string, string, object[]]>([
  [
    '1. a\n2. b',
    '',
    '1. x\n2. y',
    [
      { action: 'a', expected: 'x' },
      { action: 'b', expected: 'y' },
    ],
  ],
  [
    '1. a',
    '',
    '1. x\n2. y',
    [
      { action: 'a', expected: 'x' },
      { action: '–', expected: 'y' },
    ],
  ],
  ['1. a\n2. b', '', 'all is well', [{ action: '1. a\n2. b', expected: 'all is well' }]],
  ['do it', 'with 5', 'ok', [{ action: 'do it', data: 'with 5', expected: 'ok' }]],
  ['', '', ' ', []],
])('%p, %p, %p', (actions, data, expected, steps) =>
  expect(stepsOfLists(actions, data, expected)).toEqual(steps),
);
