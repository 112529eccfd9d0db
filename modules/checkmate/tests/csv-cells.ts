import { csvLine, guarded } from '../../testmgmt/index.ts';

/** A line of a CSV file. A text that a spreadsheet would run as a formula is guarded. */
export const lineOfCells = (cells: ReadonlyArray<string | number | null | undefined>): string =>
  csvLine(cells.map((cell) => (typeof cell === 'string' ? guarded(cell) : String(cell ?? ''))));
