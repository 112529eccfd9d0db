import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { guarded, unguarded } from '../import-files/text/formula-guard.ts';
import { fieldValueOfText, textOfFieldValue } from '../rules/field-value.ts';

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

/** @see Finding: an export with a number of 16 digits or more, e.g. 0.1 + 0.2, could not be imported. */
describe('numbers of own fields', () => {
  const field = { key: 'n', kind: 'number', options: [], required: false } as const;

  test.each([
    0,
    -1,
    0.1 + 0.2,
    1e-7,
    5e-324,
    1e20,
    1e21,
    -2e300,
    Number.MAX_SAFE_INTEGER,
    0.000_001_234_567_890_123_456_7,
  ])('%d is read as it was written', (number) => {
    expect(fieldValueOfText(field, textOfFieldValue(number))).toBe(number);
  });

  test.each(['12345678901234567890', '0.12345678901234567890', '1e999x', '0x10', 'Infinity', '1,5'])(
    '%s is none, and is not rounded to one',
    (text) => {
      expect(fieldValueOfText(field, text)).toBe(text);
    },
  );
});
