import { describe, expect, test } from 'bun:test';
import { readTests, UnreadableFile, type ReadFile } from './import-file.ts';
import type { ImportFormatName } from './import-formats.ts';
import { workbook } from './testing/made-workbook.ts';

const read = (content: string, format: ImportFormatName): ReadFile => {
  const reading = readTests({ content, format });
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
};
const xlsx = workbook(['<row><c t="str"><v>Name</v></c></row>']);
const testlinkXml = '<testcases><testcase internalid="1" name="x"/></testcases>';
const qaseJson = '{"suites":[{"title":"A","cases":[{"id":1,"title":"a"},{"id":2,"title":"b"}]}]}';

const message = (content: string, format: ImportFormatName): string => {
  try {
    const { tests, faultsCount } = read(content, format);
    return `read ${tests.length} tests, ${faultsCount} faults`;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message;
    throw error;
  }
};

const bomb = () =>
  workbook(
    ['<row/>'],
    Array.from({ length: 80 }, () => `<t>${'a'.repeat(1_000_000)}</t>`),
  );

describe('hostile and broken files are refused with a sentence', () => {
  test.each<[string, ImportFormatName, () => string, string]>([
    [
      'a DTD',
      'testrail-xml',
      () => '<!DOCTYPE a [<!ENTITY x "y">]><suite/>',
      'document type with content (DTD)',
    ],
    [
      'an external DTD',
      'testlink-xml',
      () => '<!DOCTYPE a SYSTEM "file:///etc/passwd"><testcases/>',
      'external document type',
    ],
    ['an entity', 'testrail-xml', () => '<suite><name>&lol;</name></suite>', 'The entity "&lol;" is refused'],
    ['a report of JUnit', 'testrail-xml', () => '<testsuites/>', 'not <suite> or <sections>'],
    ['XML that is cut off', 'testlink-xml', () => '<testcases><testcase name="x">', 'was cut off'],
    ['nesting', 'testrail-xml', () => `<suite>${'<a>'.repeat(100)}`, 'deeper than 64 levels'],
    ['no Qase', 'qase-json', () => '{"tests":[]}', 'no "suites"'],
    ['broken JSON', 'qase-json', () => '{"suites":[', 'JSON'],
    ['no workbook', 'xlsx', () => 'Title\nx', 'no XLSX workbook in base64'],
    ['a workbook that is cut off', 'xlsx', () => xlsx.slice(0, 400), 'workbook'],
    ['a bomb', 'xlsx', bomb, 'more than 64 MiB unpacked'],
    [
      'a million rows',
      'xlsx',
      () => workbook(Array.from({ length: 1_000_000 }, () => '<row/>')),
      'more than 500000 rows',
    ],
    [
      'a wide row',
      'xlsx',
      () => workbook(['<row><c r="ZZZ1" t="str"><v>x</v></c></row>']),
      'more than 1000 columns',
    ],
    ['a DTD in a workbook', 'xlsx', () => workbook(['<!DOCTYPE a [<!ENTITY x "y">]>']), 'doctype'],
    [
      'UTF-16 read as UTF-8',
      'testrail-csv',
      () => Buffer.from('ID,Title\n1,x', 'utf16le').toString('utf8'),
      'UTF-16',
    ],
    ['a table without names', 'zephyr-csv', () => 'Key,Folder\n1,x', 'no column "testName" or "Title"'],
    ['nothing', 'testmo-csv', () => '', 'It is empty.'],
    ['an empty XML', 'testlink-xml', () => ' ', 'It is empty.'],
    ['a mapping of no table', 'testrail-xml', () => '<suite/>', 'read 0 tests, 0 faults'],
  ])('%s', (_title, format, content, words) => expect(message(content(), format)).toContain(words), 30_000);

  test('a million empty rows of CSV are nothing, and formulas are text', () => {
    expect(message(`ID,Title\n${'\n'.repeat(1_000_000)}1,=1+1\n`, 'testrail-csv')).toBe(
      'read 1 tests, 0 faults',
    );
    expect(
      read('ID,Title\n1,=HYPERLINK("x")\n'.replace('=HYPERLINK("x")', '"=HYPERLINK(""x"")"'), 'testrail-csv')
        .tests,
    ).toEqual([{ testName: '=HYPERLINK("x")' }]);
  });

  test('a byte order mark and tabs', () => {
    expect(read('\ufeffID\tTitle\n1\ta, b\n', 'testrail-csv').tests).toEqual([{ testName: 'a, b' }]);
    expect(read(`\ufeff${testlinkXml}`, 'testlink-xml').tests.length).toBe(1);
    expect(read(`\ufeff${qaseJson}`, 'qase-json').tests.length).toBe(2);
  });
});

/** @see A file was refused, as not well-formed, where a pause was between the two halves of an emoji. */
test.each<[ImportFormatName, (description: string) => string]>([
  [
    'testlink-xml',
    (text) => `<testcases><testcase name="a"><summary><![CDATA[${text}]]></summary></testcase></testcases>`,
  ],
  ['qase-json', (text) => JSON.stringify({ cases: [{ title: 'a', description: text }] })],
  ['json', (text) => JSON.stringify([{ testName: 'a', testDescription: text }])],
  ['csv', (text) => `testName,testDescription\r\na,"${text}"\r\n`],
  [
    'xlsx',
    (text) => {
      const texts = ['testName', 'testDescription', 'a', text];
      const cells = texts.map((_text, index) => `<c t="s"><v>${index}</v></c>`);
      return workbook(
        [`<row>${cells.slice(0, 2).join('')}</row><row>${cells.slice(2).join('')}</row>`],
        texts.map((each) => `<t>${each}</t>`),
      );
    },
  ],
])('a pause of the reader of %s changes no letter', (format, fileOf) => {
  const step = 16 * 1024;
  for (let before = step - 250; before < step; before++) {
    const text = `${'a'.repeat(before)}🙂\r\n🙂`;
    const { tests } = read(fileOf(text), format);
    // XML has LF for the end of a line.
    expect(tests.map((test) => test.testDescription?.replace('\r\n', '\n'))).toEqual([
      text.replace('\r\n', '\n'),
    ]);
  }
});
