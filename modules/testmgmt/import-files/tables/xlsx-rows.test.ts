import { expect, test } from 'bun:test';
import { workbook } from '../testing/made-workbook.ts';
import { xlsxRows } from './xlsx-rows.ts';

const valueOf = (cell: string): string | undefined => {
  for (const read of xlsxRows(workbook([`<row r="1">${cell}</row>`]))) if (read) return read.cells[0];
  return undefined;
};

/** @see ECMA-376, 18.3.1.4: Excel stores 2.3 with 17 digits, Apache POI 60 with a point; a spreadsheet shows 15 digits of a number. */
test.each([
  ['60.0', '60'],
  ['2.2999999999999998', '2.3'],
  ['0.30000000000000004', '0.3'],
  ['-1.5', '-1.5'],
  ['0', '0'],
  ['1E+3', '1000'],
  ['123456789012345', '123456789012345'],
  ['12345678901234567', '12345678901234567'],
  ['text', 'text'],
])('the number %s is %s', (stored, value) => {
  expect(valueOf(`<c r="A1"><v>${stored}</v></c>`)).toBe(value);
  expect(valueOf(`<c r="A1" t="n"><v>${stored}</v></c>`)).toBe(value);
  expect(valueOf(`<c r="A1" t="str"><v>${stored}</v></c>`)).toBe(stored);
});

/** @see The values of a list stood in a hidden sheet before it: they were read as the names of columns. */
test.each([['hidden'], ['veryHidden']] as const)('a sheet that is %s is passed over', (hidden) => {
  const content = workbook(['<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c></row>'], [], {
    hidden,
  });
  expect([...xlsxRows(content)].flatMap((read) => read ?? [])).toEqual([{ row: 1, cells: ['Name'] }]);
});
