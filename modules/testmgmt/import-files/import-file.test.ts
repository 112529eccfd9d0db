import { describe, expect, test } from 'bun:test';
import { quickest } from '../../../test/measure.ts';
import type { TestRecord } from '../cases/case-record.ts';
import { cellsOf, testColumns } from '../transfer/case-cells.ts';
import { csvLine } from './text/csv.ts';
import { readTests, UnreadableFile, type ReadFile } from './import-file.ts';
import type { ImportedTest } from './text/imported-test.ts';

const read = (content: string, format: 'csv' | 'json' = 'csv'): ReadFile => {
  const reading = readTests({ content, format });
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
};

/** The error message for a file. */
const unreadable = (content: string, format: 'csv' | 'json' = 'csv'): string => {
  try {
    read(content, format);
    return '';
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message;
    throw error;
  }
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
  estimateSeconds: 90,
  fields: null,
  labels: [
    { labelId: 1, labelName: 'a, b' },
    { labelId: 2, labelName: 'c' },
  ],
  refs: ['SHOP-1', 'a, b'],
  defects: ['=BUG-1'],
  otherLinks: [
    { kind: 'reference', key: 'wiki' },
    { kind: 'requirement', key: 'SHOP-1', url: 'https://issues.example.org/SHOP-1' },
  ],
  createdBy: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedBy: 1,
  updatedAt: '2026-01-01T00:00:00.000Z',
  deletedAt: null,
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
  estimateSeconds: 90,
  labels: ['a, b', 'c'],
  refs: ['SHOP-1', 'a, b'],
  defects: ['=BUG-1'],
  otherLinks: [
    { kind: 'reference', key: 'wiki' },
    { kind: 'requirement', key: 'SHOP-1', url: 'https://issues.example.org/SHOP-1' },
  ],
};

describe('what was exported', () => {
  test('as CSV comes back', () => {
    const csv = [testColumns, cellsOf(record)].map(csvLine).join('');
    expect(read(csv)).toMatchObject({ tests: [imported], faults: [], faultsCount: 0, ignored: [] });
    expect(read(`\ufeff${csv}`).tests).toEqual([imported]);
  });
  test('as JSON comes back, also as a bare list', () => {
    const tests = [record];
    const whole = { tests: [{ ...imported }], faults: [], faultsCount: 0, ignored: [] };
    expect(read(JSON.stringify({ projectId: 1, tests }), 'json')).toMatchObject(whole);
    expect(read(JSON.stringify(tests), 'json')).toMatchObject(whole);
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
      ['column 3'],
    ],
  ];
  test.each(cases)('%s', (_title, csv, tests, ignored) => {
    expect(read(csv)).toMatchObject({ tests, faults: [], faultsCount: 0, ignored });
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
  ['an open quote', 'Title\n"a', 'csv', /^It is not CSV that can be read: A quote in row 2 is not closed/],
  ['no title', 'Name of it,b\n1,2', 'csv', /names no column/],
  ['nothing', '', 'csv', /empty/],
  ['no JSON', '{', 'json', /not JSON/],
  ['another document', '{"tests":7}', 'json', /neither a list/],
  ['null', 'null', 'json', /neither a list/],
  ['broken JSON of a test', '[{"testName":"a"},{"testName":}]', 'json', /not JSON/],
  ['two values', '[] []', 'json', /not JSON/],
  ['a list that does not end', '[{"testName":"a"}', 'json', /not JSON/],
  ['a comma too many', '[{"testName":"a"},]', 'json', /not JSON/],
  ['space', `[${' '.repeat(1_000_002)}]`, 'json', /spaces in a row/],
  ['a number', '7', 'json', /neither a list/],
  ['two lists', '{"tests":[],"tests":[]}', 'json', /neither a list/],
  ['brackets', '['.repeat(1_000_000), 'json', /deeper than 16/],
  [
    'a test of many values',
    `[{"testName":"a","x":[${'1,'.repeat(20_000)}1]}]`,
    'json',
    /more than 12000 values/,
  ],
  ['too many of JSON', `[${'{},'.repeat(100_000)}{}]`, 'json', /more than 100000/],
  [
    'too many labels',
    `Title,Labels\n${`a,"${'x,'.repeat(100)}"\n`.repeat(5_001)}`,
    'csv',
    /more than 500000 labels/,
  ],
  ['too many columns', `Title${','.repeat(1_000)}\n`, 'csv', /more than 1000 columns/],
  ['a huge cell', `Title\n${'a'.repeat(1_100_000)}\n`, 'csv', /A cell of row 2/],
  ['too many', `Title\n${'a\n'.repeat(100_000 + 1)}`, 'csv', /more than 100000/],
])('%s is no file to import', (_title, content, format, sentence) => {
  expect(unreadable(content, format)).toMatch(sentence);
});

describe('limits of one test', () => {
  const steps = (count: number) =>
    `Title,Steps (Step),Steps (Expected Result)\nLong,first,ok\n${',next,ok\n'.repeat(count - 1)}`;
  test('500 steps on rows of their own are read, one more is one fault', () => {
    expect(read(steps(500)).tests[0]?.steps?.length).toBe(500);
    expect(read(steps(40_000))).toMatchObject({
      tests: [],
      faultsCount: 1,
      faults: [{ row: 2, message: 'steps must have at most 500 items' }],
    });
  });
  test('a cell of names that is no list of names is one fault', () => {
    expect(read(`Title,Labels\na,"${','.repeat(100_000)}"\n`).faults).toHaveLength(1);
  });
  test('a cell of steps with very many values is text', () => {
    expect(read(`Title,Steps\na,"[{${'},{'.repeat(100_000)}}]"\n`).faults).toHaveLength(1);
  });
  /** @see docs/evidence.md, Links: an export with 26 requirements of one test was refused by the import. */
  test('50 requirements and defects together, as a test may have them', () => {
    const keys = (count: number) => Array.from({ length: count }, (_, at) => `K-${at}`).join();
    const file = (refs: number, defects: number) =>
      `Title,Refs,Defects\na,"${keys(refs)}","${keys(defects)}"\n`;
    for (const [refs, defects] of [
      [50, 0],
      [0, 50],
      [20, 30],
    ] as const)
      expect(read(file(refs, defects)).faults).toEqual([]);
    expect(read(file(51, 0)).faults).toEqual([{ row: 2, message: 'refs must have at most 50 items' }]);
    expect(read(file(30, 21)).faults).toEqual([
      { row: 2, message: 'refs and defects must have at most 50 items together' },
    ]);
  });
  test('an export repeats the keys of links with addresses of their own: each is one link', () => {
    const keys = Array.from({ length: 50 }, (_, at) => `K-${at}`);
    const ofKeys = (others: readonly string[]) =>
      JSON.stringify([
        {
          testName: 'a',
          refs: keys,
          otherLinks: others.map((key) => ({ kind: 'requirement', key, url: 'https://a.example/' })),
        },
      ]);
    expect(read(ofKeys(keys), 'json').faults).toEqual([]);
    expect(read(ofKeys(['K-50']), 'json').faults).toEqual([
      { row: 1, message: 'refs and defects must have at most 50 items together' },
    ]);
  });
  test.each([
    [
      'a script',
      '[{"kind":"defect","key":"a","url":"javascript:alert(1)"}]',
      'must have http or https addresses',
    ],
    ['an unknown kind', '[{"kind":"bug","key":"a"}]', 'otherLinks[0].kind must be one of'],
    ['a text', 'SHOP-1', 'otherLinks must be an array'],
    ['no key', '[{"kind":"defect","key":" "}]', 'otherLinks[0].key'],
  ])('other links with %s are a fault of their row', (_, cell, message) => {
    const { faults } = read(`testName,sectionPath,otherLinks\na,,"${cell.replaceAll('"', '""')}"\n`);
    expect(faults).toEqual([{ row: 2, message: expect.stringContaining(message) }]);
  });
  test('of 1,000 faulty rows 100 are named and all are counted', () => {
    const { faults, faultsCount } = read(`Title,Priority\n${',High\n'.repeat(1_000)}`);
    expect([faults.length, faultsCount]).toEqual([100, 1_000]);
  });
});

test.each<[string, string, 'csv' | 'json']>([
  ['TestRail steps', `Title,Steps (Step)\na,b\n${',s\n'.repeat(900_000)}`, 'csv'],
  ['rows', `Title,Priority\n${'a,High\n'.repeat(100_000)}`, 'csv'],
  ['faulty rows', `Title,Priority\n${',High\n'.repeat(100_000)}`, 'csv'],
  ['labels', `Title,Labels\n${`a,"${'x,'.repeat(99)}x"\n`.repeat(5_000)}`, 'csv'],
  ['quotes', `Title\n"${'""'.repeat(500_000)}"\n`, 'csv'],
  ['commas', `Title${','.repeat(999)}\n${`${','.repeat(999)}\n`.repeat(16_000)}`, 'csv'],
  ['tests of JSON', `[${'{"testName":"a","priority":"High"},'.repeat(99_999)}{"testName":"b"}]`, 'json'],
  ['one test of JSON', `[{"testName":"a","x":"${'x'.repeat(16_000_000)}"}]`, 'json'],
  ['space of JSON', `[${`${' '.repeat(900_000)}{"testName":"a"},`.repeat(16)}{}]`, 'json'],
])(
  '16 MiB at most of %s: no step is long, and the whole is linear',
  (_title, content, format) => {
    const longestStep = () => {
      // Garbage of earlier tests must not be collected during a step.
      Bun.gc(true);
      const began = performance.now();
      let longest = 0;
      let since = began;
      for (const step of readTests({ content, format })) {
        void step;
        const now = performance.now();
        longest = Math.max(longest, now - since);
        since = now;
      }
      // Reading 40,000 rows of steps took 9.9 s when it was quadratic.
      expect(since - began).toBeLessThan(8_000);
      return longest;
    };
    expect(quickest(longestStep, 30)).toBeLessThan(30);
  },
  60_000,
);
