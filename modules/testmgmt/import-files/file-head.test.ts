import { describe, expect, test } from 'bun:test';
import { formatOfContent } from './file-head.ts';
import { contentOfBytes } from './text/file-content.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the format of a file', () => {
  test.each([
    ['testId,testName,testDescription,preconditions,steps,sectionPath', 'csv'],
    ['Title,Section,Squad,Test Covered By', 'csv'],
    ['[{"testName":"x"}]', 'json'],
    ['{"projectId":1,"tests":[]}', 'json'],
    ['ID,Title,Section Hierarchy', 'testrail-csv'],
    ['<?xml version="1.0"?>\n<suite><id>S1</id>', 'testrail-xml'],
    ['<!-- a <b> -->\n<sections>', 'testrail-xml'],
    ['v2.id,title,description', 'qase-csv'],
    ['id,title,steps_actions,suite_id', 'qase-csv'],
    ['{"suites":[]}', 'qase-json'],
    ['Issue key,Issue id,Summary', 'xray-csv'],
    ['TCID;Test Summary;Action;Data', 'xray-csv'],
    ['Key,Name,Status,Precondition,Objective,Folder', 'zephyr-csv'],
    ['"Case ID","Case","Folder"', 'testmo-csv'],
    ['<?xml version="1.0"?><testsuite id="" name=""><node_order>', 'testlink-xml'],
    ['<testcases><testcase internalid="4"', 'testlink-xml'],
    ['Name,What,Who', 'table'],
  ])('%s', (text, format) => expect(formatOfContent(contentOfBytes(bytes(text)))).toBe(format as 'csv'));

  test.each([
    ['<testsuite name="x" tests="1"><testcase name="y"/></testsuite>', 'in no format that is known here'],
    ['', 'It is empty.'],
  ])('%s is refused', (text, words) =>
    expect(() => formatOfContent(contentOfBytes(bytes(text)))).toThrow(words),
  );
});

describe('the encoding of a file', () => {
  test('UTF-16 with a byte order mark is read', () => {
    const text = Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from('ID,Title,Section Hierarchy\n1,ü,A', 'utf16le'),
    ]);
    expect(contentOfBytes(text)).toBe('ID,Title,Section Hierarchy\n1,ü,A');
  });
  test('Latin-1 is refused', () =>
    expect(() => contentOfBytes(Buffer.from('ID,Title\n1,für', 'latin1'))).toThrow('not UTF-8'));
  test('a workbook is base64', () =>
    expect(formatOfContent(contentOfBytes(new Uint8Array([0x50, 0x4b, 3, 4])))).toBe('xlsx'));
});
