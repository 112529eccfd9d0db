import { plainHeader } from './table-fields.ts';
import type { FileHead, ImportFormat } from './import-format.ts';
import { csvRows, separatorOf, type CsvLimits } from '../text/csv.ts';
import { testsOfTable, type TableShape } from './table-reader.ts';

/** Checked while a file is read. A project of 100,000 tests with some steps on separate rows stays below the limit of rows. */
const csvLimits: CsvLimits = { columns: 1_000, cellLength: 1_048_576, rows: 1_000_000 };

interface CsvTable extends TableShape {
  readonly title: string;
  readonly source: string | null;
  /** Headers that together only this product writes; one of the lists is enough. */
  readonly marks: readonly (readonly string[])[];
}

/** The format of a product that writes CSV. */
export function csvTable({ title, source, marks, ...shape }: CsvTable): ImportFormat {
  const wanted = marks.map((list) => list.map(plainHeader));
  return {
    title,
    source,
    isTable: true,
    recognizes: (head: FileHead) =>
      head.kind === 'table' && wanted.some((list) => list.every((name) => head.header.has(name))),
    read: (reading) =>
      testsOfTable(csvRows(reading.content, csvLimits, separatorOf(reading.content)), shape, reading),
  };
}
