import { expect, test } from 'bun:test';
import { readTests } from '../import-file.ts';
import type { ImportFormatName } from '../import-formats.ts';

const namesIn = (content: string, format: ImportFormatName): readonly string[] => {
  const reading = readTests({ content, format });
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value.tests.map(({ testName }) => testName);
  }
};

const name = 'Comment with <img src=x onerror=alert(1)> &amp; <b>';
const escaped = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @see The title of a test of TestRail is plain text: its CSV lost what its XML kept. */
test.each<[ImportFormatName, string]>([
  ['testrail-csv', `ID,Title,Section Hierarchy\nC1,${name},A\n`],
  ['zephyr-csv', `Key,Name,Objective,Precondition,Folder\nT1,${name},,,\n`],
  ['testmo-csv', `Case ID,Case,Folder\n1,${name},A\n`],
  [
    'testrail-xml',
    `<sections><section><name>A</name><cases><case><id>C1</id><title>${escaped}</title></case></cases></section></sections>`,
  ],
])('a name in %s is no HTML', (format, content) => expect(namesIn(content, format)).toEqual([name]));
