import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { guarded, unguarded } from '../import-files/text/formula-guard.ts';

describe('cells that a spreadsheet would run', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\r=1"],
    ["'=1", "''=1"],
    ["''=1", "'''=1"],
    ['\n=1', "'\n=1"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['a;=1+1', "a;'=1+1"],
    ['a;＝1;@b;c', "a;'＝1;'@b;c"],
    ["a;'=1+1", "a;''=1+1"],
    [';-1', ";'-1"],
    ['=a;=b', "'=a;'=b"],
    ['first;\n- second', 'first;\n- second'],
    ['list:\n- one\n- two', 'list:\n- one\n- two'],
    ["'tis", "'tis"],
    ['a=1', 'a=1'],
    ['', ''],
  ])('%j is written %j and read back', (cell, written) => {
    expect(guarded(cell)).toBe(written);
    expect(unguarded(written)).toBe(cell);
  });

  test('come back as they were', () => {
    const cell = fc.string({
      unit: fc.constantFrom("'", '=', '+', '-', '@', '＝', '＠', ';', '\t', '\r', '\n', 'a'),
    });
    fc.assert(
      fc.property(cell, (text) => {
        expect(unguarded(guarded(text))).toBe(text);
        expect(guarded(text)).not.toMatch(/^[=+\-@＝＋－＠\t\r\n]|;[=+\-@＝＋－＠]/);
      }),
      { numRuns: 10_000 },
    );
  });
});
