import { expect, test } from 'bun:test';
import { failedFiles } from './failed-files.ts';

test.each([
  ['nothing failed', ['', 'a.test.ts:', '(pass) one [1.00ms]', '', ' 1 pass', ' 0 fail'], {}],
  [
    'files at the same time, and the repetition at the end',
    [
      'test/a.test.ts:',
      '(fail) one [12.50ms]',
      '',
      'test/b.test.tsx:',
      '(fail) of b > two',
      '',
      'test/a.test.ts:',
      '(pass) three [1.00ms]',
      '(fail) four [0.10ms]',
      '',
      'test/b.test.tsx:',
      '(pass) five',
      '',
      '3 tests failed:',
      '(fail) one [12.50ms]',
      '(fail) of b > two',
      '(fail) four [0.10ms]',
    ],
    { 'test/a.test.ts': ['one', 'four'], 'test/b.test.tsx': ['of b > two'] },
  ],
  [
    'a text of a test that looks like a heading',
    ['a.test.ts:', 'see b.test.ts:', '(fail) one'],
    { 'a.test.ts': ['one'] },
  ],
])('%s', (_, lines, failed) => expect(Object.fromEntries(failedFiles(lines.join('\n')))).toEqual(failed));
