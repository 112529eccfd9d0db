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
  const scanner = cellScanner(text, limits.cellLength);
  let filled = 0;
  while (!scanner.ended()) {
    const row = scanner.beginRow();
    if (!scanner.skipLineEnd()) {
      if (++filled > limits.rows) throw new InvalidCsv(`It has more than ${limits.rows} rows.`);
      const cells: string[] = [];
      do {
        if (cells.length === limits.columns)
          throw new InvalidCsv(`Row ${row} has more than ${limits.columns} columns.`);
        scanner.beginCell();
        while (!scanner.scanCell()) yield undefined;
        cells.push(scanner.cell());
        // After a comma at the end of the file there is an empty cell.
      } while (scanner.skipComma());
      scanner.skipLineEnd();
      yield { row, cells };
    }
    if (scanner.pauses()) yield undefined;
  }
}

/** Reads the length of the line end at a place, or 0. The first one decides which kind the text has. */
function lineEndReader(text: string) {
  let kind: 'crlf' | 'lf' | 'cr' | undefined;
  return (at: number): number => {
    const code = text.charCodeAt(at);
    if (code === cr && text.charCodeAt(at + 1) === lf && kind !== 'cr') {
      kind ??= 'crlf';
      return 2;
    }
    if (code === lf && (kind ??= 'lf') === 'lf') return 1;
    if (code === cr && (kind ??= 'cr') === 'cr') return 1;
    return 0;
  };
}

/** A place in a text, which moves on by cells, commas and line ends. */
function cellScanner(text: string, cellLength: number) {
  const lineEndAt = lineEndReader(text);
  const end = text.length;
  let at = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  let paused = at;
  let row = 0;
  let begin = at;
  let quoted = false;
  let doubled = false;

  const pauses = (): boolean => {
    if (at - paused <= stepLength) return false;
    paused = at;
    return true;
  };
  /** Moves over a character of the cell. @returns whether a pause is due. */
  const step = (): boolean => {
    if (at - begin > cellLength)
      throw new InvalidCsv(`A cell of row ${row} has more than ${cellLength} characters.`);
    const due = pauses();
    at++;
    return due;
  };

  const scanQuoted = (): boolean => {
    for (;;) {
      if (at >= end) throw new InvalidCsv(`A quote in row ${row} is not closed.`);
      if (text.charCodeAt(at) === quote) {
        if (text.charCodeAt(at + 1) !== quote) return true;
        doubled = true;
        at++;
      }
      if (step()) return false;
    }
  };
  const scanPlain = (): boolean => {
    for (;;) {
      if (at >= end) return true;
      const code = text.charCodeAt(at);
      if (code === comma || ((code === lf || code === cr) && lineEndAt(at) > 0)) return true;
      if (code === quote) throw new InvalidCsv(`In row ${row} a quote stands inside a cell without quotes.`);
      if (step()) return false;
    }
  };

  return {
    ended: () => at >= end,
    /** Whether a pause is due. */
    pauses,
    /** @returns its number. */
    beginRow: () => ++row,
    beginCell: () => {
      begin = at;
      quoted = text.charCodeAt(at) === quote;
      doubled = false;
      if (quoted) at++;
    },
    /** Moves to the end of the cell. @returns false when it pauses before: call it again. */
    scanCell: () => (quoted ? scanQuoted() : scanPlain()),
    /** The cell whose end was reached. */
    cell: () => {
      if (!quoted) return text.slice(begin, at);
      const cell = text.slice(begin + 1, at++);
      if (at < end && text.charCodeAt(at) !== comma && lineEndAt(at) === 0)
        throw new InvalidCsv(`In row ${row} a closing quote is followed by text.`);
      return doubled ? cell.replaceAll('""', '"') : cell;
    },
    skipComma: () => {
      if (text.charCodeAt(at) !== comma) return false;
      at++;
      return true;
    },
    skipLineEnd: () => {
      const length = at < end ? lineEndAt(at) : 0;
      at += length;
      return length > 0;
    },
  };
}
