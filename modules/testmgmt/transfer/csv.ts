/*
 * CSV as RFC 4180 has it, written and read. Pure. The reader is our own because of its cost: on 16 MiB of commas csv-parse needs
 * 33 s and on 16 MiB of blank lines 1.35 GB (measured), and it asks its limits only after a row is read. What both answer for
 * the same text is compared in csv.test.ts.
 */

/** One row with its end. Every field with a quote, comma, CR or LF is quoted, also when it has an LF alone (RFC 4180 §2.6). */
export const csvLine = (cells: readonly string[]): string => `${cells.map(field).join(',')}\r\n`;

// Space at an end is quoted too: some readers trim what is not.
const special = /[",\r\n]|^\s|\s$/;
const field = (cell: string) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** What a file may have, asked while it is read. */
export interface CsvLimits {
  readonly columns: number;
  readonly cellLength: number;
  /** Rows that are not empty lines. */
  readonly rows: number;
}

interface CsvRow {
  /** Counted as a spreadsheet does: 1 is the first. */
  readonly row: number;
  readonly cells: readonly string[];
}

/** The text is no CSV, or beyond a limit. The message says which. */
export class CsvFault extends Error {}

/** So many characters are looked at between two pauses: some 0.1 ms. */
const stepLength = 64 * 1024;

const [comma, quote, lf, cr, byteOrderMark] = [0x2c, 0x22, 0x0a, 0x0d, 0xfeff];

/**
 * The rows of a file. Between them, and inside long ones, it yields undefined: the reader may pause there. Empty lines are counted
 * and left out. The first line end decides: in a file of CRLF a lone LF or CR outside quotes is text.
 * @throws CsvFault.
 */
export function* csvRows(text: string, limits: CsvLimits): Generator<CsvRow | undefined, void> {
  const end = text.length;
  let at = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  let paused = at;
  let row = 0;
  let filled = 0;
  let cells: string[] = [];
  let lineEnd: 'crlf' | 'lf' | 'cr' | undefined;

  /** The length of the line end at this place, 0 when there is none. */
  const lineEndAt = (place: number): number => {
    const code = text.charCodeAt(place);
    if (code === cr && text.charCodeAt(place + 1) === lf && lineEnd !== 'cr') {
      lineEnd ??= 'crlf';
      return 2;
    }
    if (code === lf && (lineEnd ??= 'lf') === 'lf') return 1;
    if (code === cr && (lineEnd ??= 'cr') === 'cr') return 1;
    return 0;
  };

  while (at < end) {
    if (cells.length === 0) {
      row++;
      const empty = lineEndAt(at);
      if (empty > 0) {
        at += empty;
        if (at - paused > stepLength) {
          paused = at;
          yield undefined;
        }
        continue;
      }
      if (++filled > limits.rows) throw new CsvFault(`It has more than ${limits.rows} rows.`);
    }
    if (cells.length === limits.columns) {
      throw new CsvFault(`Row ${row} has more than ${limits.columns} columns.`);
    }
    const begin = at;
    const tooLong = () => new CsvFault(`A cell of row ${row} has more than ${limits.cellLength} characters.`);
    let cell: string;
    if (text.charCodeAt(at) === quote) {
      let doubled = false;
      for (at++; ; at++) {
        if (at >= end) throw new CsvFault(`A quote in row ${row} is not closed.`);
        if (text.charCodeAt(at) === quote) {
          if (text.charCodeAt(at + 1) !== quote) break;
          doubled = true;
          at++;
        }
        if (at - begin > limits.cellLength) throw tooLong();
        if (at - paused > stepLength) {
          paused = at;
          yield undefined;
        }
      }
      cell = text.slice(begin + 1, at);
      if (doubled) cell = cell.replaceAll('""', '"');
      at++;
      if (at < end && text.charCodeAt(at) !== comma && lineEndAt(at) === 0) {
        throw new CsvFault(`In row ${row} a closing quote is followed by text.`);
      }
    } else {
      for (; at < end; at++) {
        const code = text.charCodeAt(at);
        if (code === comma) break;
        if ((code === lf || code === cr) && lineEndAt(at) > 0) break;
        if (code === quote) throw new CsvFault(`In row ${row} a quote stands inside a cell without quotes.`);
        if (at - begin > limits.cellLength) throw tooLong();
        if (at - paused > stepLength) {
          paused = at;
          yield undefined;
        }
      }
      cell = text.slice(begin, at);
    }
    cells.push(cell);
    if (text.charCodeAt(at) === comma) {
      at++;
      // A comma at the very end has an empty cell after it, which no further step of this loop would see.
      if (at < end) continue;
      cells.push('');
    } else if (at < end) at += lineEndAt(at);
    yield { row, cells };
    cells = [];
    if (at - paused > stepLength) {
      paused = at;
      yield undefined;
    }
  }
}
