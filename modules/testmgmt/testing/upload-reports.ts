import * as fc from 'fast-check';
import type { ReportedTest, UploadReport } from '../pipelines/rows/upload-report.ts';

/** A report of an upload without any problem. */
export const greenReport: UploadReport = {
  runId: 17,
  runKey: 'github:acme/shop:CI:1658821493:1a2b3c4:1',
  url: 'https://trivet.example.com/console/projects/1/runs/17',
  dryRun: false,
  totals: { cases: 240, passed: 234, failed: 0, skipped: 6, flaky: 0 },
  files: [{ file: 'reports/junit.xml', format: 'junit', cases: 240, passed: 234, failed: 0, skipped: 6 }],
  matched: 240,
  created: 0,
  unmatched: 0,
  unmatchedTests: [],
  renamed: [],
  renamedCount: 0,
  missing: 0,
  missingTests: [],
  flakyTests: [],
  comparedWith: { runId: 16, runName: 'CI #122 · main @ 0f1e2d3' },
  failing: [],
  newlyFailing: [],
  newlyFailingCount: 0,
  fixed: [],
  fixedCount: 0,
  duplicates: [],
  warnings: [],
};

const adds: ReportedTest = {
  testId: 3,
  name: 'Cart > adds an item',
  message: 'expected 2 to be 3\n    at src/cart.test.ts:14:5',
  file: '/home/runner/work/shop/shop/src/cart.test.ts',
  line: 12,
};
const pays: ReportedTest = {
  testId: 4,
  name: 'Checkout > pays, with 100 %',
  message: '',
  file: 'src/pay.test.ts',
};

/** A report with an entry in every list. */
export const redReport: UploadReport = {
  ...greenReport,
  totals: { cases: 240, passed: 231, failed: 3, skipped: 6, flaky: 1 },
  created: 1,
  unmatched: 1,
  unmatchedTests: [{ testId: 9, name: 'Cart > empties' }],
  renamed: [
    {
      from: 'Cart > add',
      to: 'Cart > adds',
      testId: 5,
      createdTestId: 10,
      file: 'src/cart.test.ts',
      similarity: 0.925,
      accepted: false,
    },
    { from: 'Pay', to: 'Pays', testId: 6, createdTestId: null, similarity: 1, accepted: true },
  ],
  renamedCount: 2,
  missing: 130,
  missingTests: [{ testId: 7, name: 'Cart > old', file: 'src/old.test.ts' }],
  flakyTests: [
    { testId: 8, name: 'Search > finds', message: 'timeout', file: 'src/search.test.ts', line: 3 },
  ],
  failing: [adds, pays, { testId: 11, name: 'Checkout > ships' }],
  newlyFailing: [adds, pays],
  newlyFailingCount: 2,
  fixed: [{ testId: 12, name: 'Search > sorts' }],
  fixedCount: 1,
  duplicates: [{ name: 'Cart > sums', count: 3, file: 'src/cart.test.ts' }],
  warnings: ['reports/junit.xml: 2 files of tests could not be loaded.'],
};

const letters = ['a', 'Cart', ' ', ' > ', '\n', '\r', '\t', '😀', '漢', '\ud83d', 'e\u0301'];
const markdown = ['|', '`', '```', '\\', '*', '_', '[x](y)', '!', '#', '- ', '@everyone', 'www.evil.example'];
const html = ['<', '>', '</details>', '<img src=x>', '<!--', '&lt;', 'https://evil.example'];
const github = ['::error::', '::add-mask::a', '##[error]', '##[add-mask]a', '##', '[', '%0A', '%', ':', ','];
const logs = [
  '##vso[task.complete]',
  'section_start:1:x\r\u001b[0K',
  'section_end:1:trivet_flaky\r\u001b[0K',
];
const controls = ['\u001b[31m', '\u001b]0;x\u0007', '\u009b2J', '\u202e', '\u0000', '\u2028'];

/** Text that an attacker might choose as the name of a test. */
const hostileText = fc
  .array(fc.constantFrom(...letters, ...markdown, ...html, ...github, ...logs, ...controls), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

const hostileTest: fc.Arbitrary<ReportedTest> = fc.record(
  {
    testId: fc.constant(1),
    name: hostileText,
    message: hostileText,
    file: hostileText,
    line: fc.nat({ max: 9 }),
  },
  { requiredKeys: ['testId', 'name'] },
);
const hostileTests = fc.array(hostileTest, { maxLength: 4 });

/** Reports in which all foreign text is hostile. */
export const hostileReport: fc.Arbitrary<UploadReport> = fc
  .record({
    newly: hostileTests,
    failing: hostileTests,
    other: hostileTests,
    names: fc.array(hostileText, { minLength: 4, maxLength: 4 }),
    text: hostileText,
  })
  .map(({ newly, failing, other, names, text }) => ({
    ...redReport,
    runKey: text,
    comparedWith: { runId: 1, runName: text },
    files: [{ file: text, format: text, cases: 1, passed: 1, failed: 0, skipped: 0 }],
    totals: { cases: 9, passed: 1, failed: newly.length + failing.length, skipped: 0, flaky: other.length },
    newlyFailing: newly,
    newlyFailingCount: newly.length,
    failing: [...newly, ...failing],
    flakyTests: other,
    fixed: other,
    fixedCount: other.length,
    missingTests: other,
    missing: other.length,
    renamed: redReport.renamed.map((one) => ({
      ...one,
      from: names[0] ?? '',
      to: names[1] ?? '',
      file: text,
    })),
    duplicates: [{ name: names[2] ?? '', count: 2, file: text }],
    warnings: [names[3] ?? ''],
  }));
