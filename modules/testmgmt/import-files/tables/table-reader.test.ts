import { describe, expect, test } from 'bun:test';
import { readTests, type ReadFile } from '../import-file.ts';
import type { ImportFormatName } from '../import-formats.ts';

const read = (content: string, format: ImportFormatName, mapping?: Record<string, string>): ReadFile => {
  const reading = readTests({ content, format, ...(mapping && { mapping }) });
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
};
const namesIn = (file: ReadFile): readonly string[] => file.tests.map(({ testName }) => testName);

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
])('a name in %s is no HTML', (format, content) => expect(namesIn(read(content, format))).toEqual([name]));

/** @see docs/moving.md, "Nothing is dropped without a word": what a further row of a test said beside its step was lost. */
describe('a further row of a test says nothing but its step', () => {
  test.each<[string, string, ReadonlyArray<readonly [row: number, message: string]>]>([
    ['Title,Section,Step\nA,S,a\n,S,b\n,,c\n', 'A: a b c', []],
    ['Title,Preconditions,Step\nA,one,a\n,two,b\n', 'A: a', [[3, 'testName is required']]],
    ['Title,Labels,Step\nA,x,a\n,y,b\nB,x,c\n', 'A: a; B: c', [[3, 'testName is required']]],
    ['No,Title,Step\n1,A,a\n1,,b\n1,A,c\n1,B,d\n2,C,e\n', 'A: a b c; B: d; C: e', []],
  ])('%j', (content, tests, faults) => {
    const file = read(content, 'table', content.startsWith('No') ? { No: 'group' } : undefined);
    const shown = file.tests.map(
      ({ testName, steps = [] }) => `${testName}: ${steps.map(({ action }) => action).join(' ')}`,
    );
    expect(shown.join('; ')).toBe(tests);
    expect(file.faults).toEqual(faults.map(([row, message]) => ({ row, message })));
  });
});
