/*
 * Writes and reads CSV (RFC 4180). The reader is our own because of its cost: csv-parse needs 33 s for 16 MiB of commas and 1.35 GB
 * for 16 MiB of blank lines (measured), and it checks its limits only after a row. csv.test.ts compares their results.
 */

/** One row with its line end. A field with a quote, comma, CR or LF is quoted, also with a lone LF (RFC 4180 §2.6). */
export const csvLine = (cells: readonly string[]): string => `${cells.map(field).join(',')}\r\n`;

// A field that begins or ends with space is quoted too: some readers trim it otherwise.
const special = /[",\r\n]|^\s|\s$/;
const field = (cell: string) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Limits of a file, checked while it is read. */
export interface CsvLimits {
  readonly columns: number;
  readonly cellLength: number;
  /** Rows that are not empty lines. */
  readonly rows: number;
}

interface CsvRow {
  /** From 1, as in a spreadsheet. */
  readonly row: number;
  readonly cells: readonly string[];
}

/** The text is no CSV, or exceeds a limit. The message says which. */
export class InvalidCsv extends Error {}

/** Characters between two pauses: about 0.1 ms. */
const stepLength = 64 * 1024;

const [comma, quote, lf, cr, byteOrderMark] = [0x2c, 0x22, 0x0a, 0x0d, 0xfeff];

/**
 * The rows of a file. Between them, and inside long ones, it yields undefined, where the reader may pause. Empty lines are counted
 * and left out. The first line end decides: in a file with CRLF a lone LF or CR outside quotes is text.
 * @throws InvalidCsv.
 */
export function* csvRows(text: string, limits: CsvLimits): Generator<CsvRow | undefined, void> {
  const end = text.length;
  let at = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  let paused = at;
  let row = 0;
  let filled = 0;
  let cells: string[] = [];
  let lineEnd: 'crlf' | 'lf' | 'cr' | undefined;

  /** The length of the line end at this place, or 0. */
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
      if (++filled > limits.rows) throw new InvalidCsv(`It has more than ${limits.rows} rows.`);
    }
    if (cells.length === limits.columns) {
      throw new InvalidCsv(`Row ${row} has more than ${limits.columns} columns.`);
    }
    const begin = at;
    const tooLong = () =>
      new InvalidCsv(`A cell of row ${row} has more than ${limits.cellLength} characters.`);
    let cell: string;
    if (text.charCodeAt(at) === quote) {
      let doubled = false;
      for (at++; ; at++) {
        if (at >= end) throw new InvalidCsv(`A quote in row ${row} is not closed.`);
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
        throw new InvalidCsv(`In row ${row} a closing quote is followed by text.`);
      }
    } else {
      for (; at < end; at++) {
        const code = text.charCodeAt(at);
        if (code === comma) break;
        if ((code === lf || code === cr) && lineEndAt(at) > 0) break;
        if (code === quote)
          throw new InvalidCsv(`In row ${row} a quote stands inside a cell without quotes.`);
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
      // After a comma at the end of the file there is an empty cell, which the loop would not reach.
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
