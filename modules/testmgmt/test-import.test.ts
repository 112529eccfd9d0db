import { describe, expect, test } from 'bun:test';
import { maximumRows, readTests, type ImportedTest, type ReadFile } from './test-import.ts';
import { cellsOf, testColumns, type TestRecord } from './test-table.ts';
import { csvLine } from './csv.ts';

const read = (content: string, format: 'csv' | 'json' = 'csv'): ReadFile => {
  const found = readTests(content, format);
  if ('unreadable' in found) throw new Error(found.unreadable);
  return found;
};

const record: TestRecord = {
  testId: 7,
  projectId: 1,
  testName: '=SUM(A1) "quoted", and\nmore',
  testDescription: "'=not a formula",
  preconditions: '-',
  steps: [{ action: 'Open > close', data: 'a,b', expected: 'ü 🙂' }, { action: 'Again' }],
  sectionId: 3,
  sectionPath: ['A > B', 'C\\'],
  priorityId: 1,
  priority: 'High',
  typeId: null,
  type: null,
  automationStatusId: 4,
  automationStatus: 'Automated',
  platformId: null,
  platform: null,
  testCoveredById: null,
  testCoveredBy: null,
  squadId: 2,
  squad: '@home',
  labels: [
    { labelId: 1, labelName: 'a, b' },
    { labelId: 2, labelName: 'c' },
  ],
  createdBy: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const imported: ImportedTest = {
  testName: '=SUM(A1) "quoted", and\nmore',
  testDescription: "'=not a formula",
  preconditions: '-',
  steps: [{ action: 'Open > close', data: 'a,b', expected: 'ü 🙂' }, { action: 'Again' }],
  sectionPath: ['A > B', 'C\\'],
  priority: 'High',
  automationStatus: 'Automated',
  squad: '@home',
  labels: ['a, b', 'c'],
};

describe('what was exported', () => {
  test('as CSV comes back', () => {
    const csv = [testColumns, cellsOf(record)].map(csvLine).join('');
    expect(read(csv)).toEqual({ tests: [imported], faults: [], ignored: [] });
    expect(read(`\ufeff${csv}`).tests).toEqual([imported]);
  });
  test('as JSON comes back, also as a bare list', () => {
    const tests = [record];
    const whole = { tests: [{ ...imported }], faults: [], ignored: [] };
    expect(read(JSON.stringify({ projectId: 1, tests }), 'json')).toEqual(whole);
    expect(read(JSON.stringify(tests), 'json')).toEqual(whole);
  });
});

describe('CSV files of others', () => {
  const cases: ReadonlyArray<readonly [string, string, ImportedTest[], string[]]> = [
    [
      'Checkmate',
      'Title,Section,Squad,Priority,Platform,Test Covered By,Steps,Preconditions,Expected Result,Description,Additional Groups,Automation Id,Automation Status,Section Description,Label\n' +
        '"Sign in","Account > Sign in",Core,High,Only iOS,E2E,"Step 1: open\nStep 2: go","A user",It works,About,Group-D,TC-1,Automatable,Text,"iOS, smoke"\n',
      [
        {
          testName: 'Sign in',
          sectionPath: ['Account', 'Sign in'],
          squad: 'Core',
          priority: 'High',
          platform: 'Only iOS',
          testCoveredBy: 'E2E',
          steps: [{ action: 'Step 1: open\nStep 2: go', expected: 'It works' }],
          preconditions: 'A user',
          testDescription: 'About',
          automationStatus: 'Automatable',
          labels: ['iOS', 'smoke'],
        },
      ],
      ['Additional Groups', 'Automation Id', 'Section Description'],
    ],
    [
      'TestRail, text steps',
      'ID,Title,Created By,Expected Result,Priority,Section,Section Depth,Section Hierarchy,Steps,Type\n' +
        'C1,Sign in,Ann,It works,Medium,Login,1,Account > Login,Open it,Functional\n',
      [
        {
          testName: 'Sign in',
          priority: 'Medium',
          type: 'Functional',
          sectionPath: ['Account', 'Login'],
          steps: [{ action: 'Open it', expected: 'It works' }],
        },
      ],
      ['ID', 'Section', 'Section Depth'],
    ],
    [
      'TestRail, a row for each step',
      'ID,Title,Section Hierarchy,Steps (Step),Steps (Expected Result),Steps (Additional Info)\n' +
        'C1,Sign in,Account,Open it,It is open,as Ann\n,,,Close it,It is closed,\n,,,,It stays closed,\nC2,Sign out,Account,,,\n',
      [
        {
          testName: 'Sign in',
          sectionPath: ['Account'],
          steps: [
            { action: 'Open it', data: 'as Ann', expected: 'It is open' },
            { action: 'Close it', expected: 'It is closed' },
            { action: '–', expected: 'It stays closed' },
          ],
        },
        { testName: 'Sign out', sectionPath: ['Account'] },
      ],
      ['ID'],
    ],
    ['only titles', 'title\r\na\r\n\r\nb', [{ testName: 'a' }, { testName: 'b' }], []],
    [
      'short and long rows',
      'Title,Priority\na\nb,High,more\n',
      [{ testName: 'a' }, { testName: 'b', priority: 'High' }],
      [],
    ],
  ];
  test.each(cases)('%s', (_title, csv, tests, ignored) => {
    expect(read(csv)).toEqual({ tests, faults: [], ignored });
  });
});

describe('each faulty row is named', () => {
  test('of CSV', () => {
    const { tests, faults } = read(
      `Title,Priority\na,High\n\n,Low\n${'x'.repeat(256)},\nb,${'y'.repeat(300)}\n`,
    );
    expect(tests).toEqual([{ testName: 'a', priority: 'High' }]);
    expect(faults).toEqual([
      { row: 4, message: 'testName is required' },
      { row: 5, message: 'testName must have at most 255 characters' },
      { row: 6, message: 'priority must have at most 255 characters' },
    ]);
  });
  test('of JSON', () => {
    const { tests, faults, ignored } = read(
      JSON.stringify([
        { testName: 'a', color: 'red' },
        7,
        { testName: 1 },
        { testName: 'b', steps: [{}], labels: [3] },
      ]),
      'json',
    );
    expect(tests).toEqual([{ testName: 'a' }]);
    expect(faults.map(({ row }) => row)).toEqual([2, 3, 4]);
    expect(faults[2]?.message).toContain('steps[0].action is required');
    expect(ignored).toEqual(['color']);
  });
});

test.each<[string, string, 'csv' | 'json', RegExp]>([
  ['an open quote', 'Title\n"a', 'csv', /^It is not CSV \(CSV_QUOTE_NOT_CLOSED\)/],
  ['no title', 'Name of it,b\n1,2', 'csv', /names no column/],
  ['nothing', '', 'csv', /empty/],
  ['no JSON', '{', 'json', /not JSON/],
  ['another document', '{"tests":7}', 'json', /neither a list/],
  ['null', 'null', 'json', /neither a list/],
  ['too many', `Title\n${'a\n'.repeat(maximumRows + 1)}`, 'csv', /more than 100000/],
])('%s is no file to import', (_title, content, format, sentence) => {
  const found = readTests(content, format);
  expect('unreadable' in found ? found.unreadable : '').toMatch(sentence);
});
