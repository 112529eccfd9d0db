import { describe, expect, test } from 'bun:test';
import { workbook } from '../testing/made-workbook.ts';
import { xlsxRows } from './xlsx-rows.ts';

/** A style for each format code; numFmtId 164 and above are those of the workbook (ECMA-376, 18.8.30). */
const stylesOf = (code: number | string) => {
  const id = typeof code === 'number' ? code : 164;
  const own =
    typeof code === 'number' ? '' : `<numFmt numFmtId="164" formatCode="${code.replaceAll('"', '&quot;')}"/>`;
  return `<styleSheet><numFmts>${own}</numFmts><cellStyleXfs><xf numFmtId="14"/><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="${id}"/></cellXfs></styleSheet>`;
};

function valueOf(
  stored: string,
  code: number | string,
  { style = '1', is1904 = false } = {},
): string | undefined {
  const rows = [`<row r="1"><c r="A1" s="${style}"><v>${stored}</v></c></row>`];
  const read = xlsxRows(workbook(rows, [], { styles: stylesOf(code), is1904 }));
  for (const row of read) if (row) return row.cells[0];
  return undefined;
}

/** @see A date was imported as its number: a field of dates refused it, and a text had 45231 instead of 2023-11-01. */
describe('a cell with the format of a date or a time', () => {
  test.each<[string, number | string, string]>([
    ['45231', 14, '2023-11-01'],
    ['45231.75', 14, '2023-11-01'],
    ['45231.75', 22, '2023-11-01 18:00'],
    ['45231.999999', 22, '2023-11-02 00:00'],
    ['0.5', 20, '12:00'],
    ['0.500011574', 21, '12:00:01'],
    ['1.5', 46, '36:00:00'],
    ['45231', 'yyyy\\-mm\\-dd', '2023-11-01'],
    ['45231', '[$-407]d/ mmmm yyyy;@', '2023-11-01'],
    ['45231.25', 'dd.mm.yyyy hh:mm', '2023-11-01 06:00'],
    ['45231.25', 'm/d/yy h:mm AM/PM', '2023-11-01 06:00'],
    ['45231', 'mmm', '2023-11-01'],
    ['1', 14, '1900-01-01'],
    ['61', 14, '1900-03-01'],
    ['2958465', 14, '9999-12-31'],
  ])('%s with the format %s is %p', (stored, code, shown) => {
    expect(valueOf(stored, code)).toBe(shown);
  });

  test('in a workbook that counts from 1904', () => {
    expect(valueOf('43769', 14, { is1904: true })).toBe('2023-11-01');
  });
});

describe('any other number stays one', () => {
  test.each<[string, number | string]>([
    ['45231', 0],
    ['45231', 2],
    ['45231', '0.00'],
    ['45231', '#,##0 "days"'],
    ['45231', '[Red]0'],
    ['45231', '0\\d'],
    ['45231', '0_d'],
    ['45231', 'General'],
    ['45231', '0.00E+00'],
    ['45231', '@'],
    ['-1', 14],
    ['2958466', 14],
    ['1E+99', 14],
  ])('%s with the format %s', (stored, code) => {
    expect(valueOf(stored, code)).toBe(String(Number(stored)));
  });

  test.each(['0', '2', '-1', 'x', ''])('with the style %j', (style) => {
    expect(valueOf('45231', 14, { style })).toBe('45231');
  });
});
