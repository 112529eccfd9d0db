/*
 * Writes and reads CSV (RFC 4180). We have our own reader because of the cost: csv-parse needs 33 s for 16 MiB of commas and 1.35 GB for 16
 * MiB of blank lines (measured), and it checks its limits only after a row. csv.test.ts compares their results.
 */

/** One row with its line end. A field with a quote, comma, CR or LF is quoted, even for a lone LF (RFC 4180 §2.6). */
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

/** The text is not CSV, or exceeds a limit. The message says which. */
export class InvalidCsv extends Error {}

/** Characters between two pauses: about 0.1 ms. */
const stepLength = 64 * 1024;

const [comma, semicolon, tab, quote, lf, cr, byteOrderMark] = [0x2c, 0x3b, 0x09, 0x22, 0x0a, 0x0d, 0xfeff];

/**
 * The rows of a file. Between them, and inside long ones, it yields undefined, where the reader may pause. Empty lines are counted but
 * omitted. The first line end determines the type: in a file with CRLF, a lone LF or CR outside quotes is text.
 * @param separator its character code, from {@link separatorOf}.
 * @throws InvalidCsv.
 */
export function* csvRows(
  text: string,
  limits: CsvLimits,
  separator = comma,
): Generator<CsvRow | undefined, void> {
  const scan = new CsvScan(text, limits.cellLength, separator);
  let filled = 0;
  let cells: string[] = [];
  while (!scan.isAtEnd) {
    if (cells.length === 0) {
      scan.row++;
      if (scan.takeLineEnd()) {
        if (scan.isStepOver()) yield undefined;
        continue;
      }
      if (++filled > limits.rows) throw new InvalidCsv(`It has more than ${limits.rows} rows.`);
    }
    if (cells.length === limits.columns)
      throw new InvalidCsv(`Row ${scan.row} has more than ${limits.columns} columns.`);
    scan.beginCell();
    while (!scan.reachesEndOfCell()) yield undefined;
    cells.push(scan.takeCell());
    if (scan.takeComma()) {
      // After a comma at the end of the file there is an empty cell, which the loop would not reach.
      if (!scan.isAtEnd) continue;
      cells.push('');
    } else scan.takeLineEnd();
    yield { row: scan.row, cells };
    cells = [];
    if (scan.isStepOver()) yield undefined;
  }
}

/** Characters of the first row that are looked at. */
const headLength = 64 * 1024;

/**
 * The separator: a comma, unless the first row has more semicolons or tabs outside of quotes. Spreadsheets write these where a comma is the
 * decimal mark.
 */
export function separatorOf(text: string): number {
  const counts = { comma: 0, semicolon: 0, tab: 0 };
  let isQuoted = false;
  for (let at = 0; at < Math.min(text.length, headLength); at++) {
    const code = text.charCodeAt(at);
    if (code === quote) isQuoted = !isQuoted;
    else if (!isQuoted && (code === lf || code === cr)) {
      if (counts.comma + counts.semicolon + counts.tab > 0) break;
    } else if (!isQuoted && code === comma) counts.comma++;
    else if (!isQuoted && code === semicolon) counts.semicolon++;
    else if (!isQuoted && code === tab) counts.tab++;
  }
  if (counts.semicolon > Math.max(counts.comma, counts.tab)) return semicolon;
  return counts.tab > counts.comma ? tab : comma;
}

/** A position in a CSV text. */
class CsvScan {
  /** From 1. */
  row = 0;
  readonly #text: string;
  readonly #cellLength: number;
  readonly #separator: number;
  #at: number;
  #paused: number;
  #lineEnd: 'crlf' | 'lf' | 'cr' | undefined;
  /** Where the cell begins and, for a quoted cell, its text before the last pause and where the rest begins. */
  #begin = 0;
  #isQuoted = false;
  #before = '';
  #rest = 0;

  constructor(text: string, cellLength: number, separator: number) {
    this.#text = text;
    this.#cellLength = cellLength;
    this.#separator = separator;
    this.#at = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
    this.#paused = this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Whether it is time to pause. */
  isStepOver(): boolean {
    if (this.#at - this.#paused <= stepLength) return false;
    this.#paused = this.#at;
    return true;
  }

  beginCell(): void {
    this.#begin = this.#at;
    this.#isQuoted = this.#text.charCodeAt(this.#at) === quote;
    if (!this.#isQuoted) return;
    this.#rest = ++this.#at;
    this.#before = '';
  }

  /** Advances to the end of the cell. @returns false where the reader may pause before it. */
  reachesEndOfCell(): boolean {
    return this.#isQuoted ? this.#reachesQuote() : this.#reachesSeparator();
  }

  takeCell(): string {
    if (!this.#isQuoted) return this.#text.slice(this.#begin, this.#at);
    const cell = this.#before + this.#restTo(this.#at++);
    if (!this.isAtEnd && this.#text.charCodeAt(this.#at) !== this.#separator && this.#lineEndLength() === 0)
      throw new InvalidCsv(`In row ${this.row} a closing quote is followed by text.`);
    return cell;
  }

  /** The text of a quoted cell since the last pause. At once, a cell of half a million doubled quotes took 20 ms. */
  #restTo(at: number): string {
    return this.#text.slice(this.#rest, at).replaceAll('""', '"');
  }

  takeComma(): boolean {
    const isComma = this.#text.charCodeAt(this.#at) === this.#separator;
    if (isComma) this.#at++;
    return isComma;
  }

  takeLineEnd(): boolean {
    const length = this.#lineEndLength();
    this.#at += length;
    return length > 0;
  }

  #reachesQuote(): boolean {
    const text = this.#text;
    const end = this.#stepEnd();
    let at = this.#at;
    for (; at < end; at++) {
      if (text.charCodeAt(at) !== quote) continue;
      if (text.charCodeAt(at + 1) !== quote) {
        this.#at = at;
        return true;
      }
      at++;
    }
    this.#before += this.#restTo(at);
    this.#rest = at;
    this.#endStep(at);
    if (this.isAtEnd) throw new InvalidCsv(`A quote in row ${this.row} is not closed.`);
    return false;
  }

  #reachesSeparator(): boolean {
    const text = this.#text;
    const end = this.#stepEnd();
    const separator = this.#separator;
    for (let at = this.#at; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code !== separator && code !== lf && code !== cr && code !== quote) continue;
      this.#at = at;
      if (code === quote)
        throw new InvalidCsv(`In row ${this.row} a quote stands inside a cell without quotes.`);
      if (code === separator || this.#lineEndLength() > 0) return true;
    }
    this.#endStep(end);
    return this.isAtEnd;
  }

  /**
   * How far to advance before the next pause, at most to the first character beyond the limit of a cell. Never back: a closing quote and
   * its comma may already have led beyond the pause, and that comma would be read again as a cell.
   */
  #stepEnd(): number {
    const { length } = this.#text;
    const pause = Math.max(this.#at, this.#paused + stepLength + 1);
    return Math.min(length, this.#begin + this.#cellLength + 2, pause);
  }

  #endStep(at: number): void {
    if (at - this.#begin > this.#cellLength + 1)
      throw new InvalidCsv(`A cell of row ${this.row} has more than ${this.#cellLength} characters.`);
    this.#at = at;
    this.isStepOver();
  }

  /** The length of the line end at this place, or 0. */
  #lineEndLength(): number {
    const code = this.#text.charCodeAt(this.#at);
    if (code === cr && this.#text.charCodeAt(this.#at + 1) === lf && this.#lineEnd !== 'cr') {
      this.#lineEnd ??= 'crlf';
      return 2;
    }
    if (code === lf && (this.#lineEnd ??= 'lf') === 'lf') return 1;
    if (code === cr && (this.#lineEnd ??= 'cr') === 'cr') return 1;
    return 0;
  }
}
