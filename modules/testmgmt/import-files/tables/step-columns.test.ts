import { describe, expect, test } from 'bun:test';
import { readTests, type ReadFile } from '../import-file.ts';
import type { ImportedTest } from '../text/imported-test.ts';

const read = (content: string, mapping: Readonly<Record<string, unknown>> = {}): ReadFile => {
  const reading = readTests({ content, format: 'table', mapping });
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
};

const twoSteps = [
  { action: 'a', data: 'd', expected: 'x' },
  { action: 'b', expected: 'y' },
];

/** @see docs/moving.md, "Nothing is dropped without a word": what stood in a column of the other kind was lost, in some files the actions. */
describe('columns for a step in each row and for all steps in one cell are read as the actions are', () => {
  test.each<[string, ImportedTest['steps']]>([
    ['Title,Step,Data,Expected Result\nA,a,d,x\n,b,,y\n', twoSteps],
    ['Title,Action,Test data,Expected\nA,a,d,x\n,b,,y\n', twoSteps],
    ['Title,Step,Data,Test Result\nA,a,d,x\n,b,,y\n', twoSteps],
    ['Title,Steps,Test data,Expected\nA,"1. a\n2. b","1. d","1. x\n2. y"\n', twoSteps],
    ['Title,Steps,Test Result\nA,a,x\n', [{ action: 'a', expected: 'x' }]],
    ['Title,Data,Expected\nA,d,x\n', [{ action: '–', data: 'd', expected: 'x' }]],
    ['Title,Action,Expected\nA,a,\n,,y\n', [{ action: 'a' }, { action: '–', expected: 'y' }]],
  ])('%j', (content, steps) => {
    const { tests, faults } = read(content);
    expect([tests.map((one) => one.steps), faults]).toEqual([[steps], []]);
  });

  test('also where a mapping names the other kind', () => {
    const { tests, columns } = read('Title,Do,See\nA,a,x\n,b,y\n', { Do: 'stepAction', See: 'expected' });
    expect(columns.map(({ to }) => to)).toEqual(['testName', 'stepAction', 'stepExpected']);
    expect(tests.map(({ steps }) => steps)).toEqual([
      [
        { action: 'a', expected: 'x' },
        { action: 'b', expected: 'y' },
      ],
    ]);
  });
});
