import { testsOfTable } from '../tables/table-reader.ts';
import { xlsxRows } from '../tables/xlsx-rows.ts';
import type { ImportFormat } from '../tables/import-format.ts';
import { usualHeaders } from './table.ts';

/** The first sheet of a workbook, read like a table. */
export const xlsx: ImportFormat = {
  title: 'XLSX, the first sheet, with a mapping',
  source: 'table',
  isTable: true,
  recognizes: (head) => head.kind === 'zip',
  read: (reading) =>
    testsOfTable(xlsxRows(reading.content), { columns: usualHeaders, isNumbered: true }, reading),
};
