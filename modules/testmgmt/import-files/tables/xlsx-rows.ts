import { Unzip, UnzipInflate } from 'fflate';
import { FileFault } from '../../result-files/text/file-fault.ts';
import { XmlReader, type XmlHandler } from '../../result-files/text/xml-reader.ts';
import { InvalidImport } from '../text/described-test.ts';
import type { TableRow } from './table-reader.ts';
import { CellFormats } from './xlsx-dates.ts';

/** Most bytes of the parts that are read, unpacked. */
const maxUnpacked = 64 * 1024 * 1024;
const maxRows = 500_000;
const maxColumns = 1_000;
const maxCell = 1_048_576;
const maxTexts = 2_000_000;
const maxParts = 2_000;
/** Packed bytes between two pauses. Deflate makes at most 1,032 bytes of one. */
const packedStep = 512;
const textStep = 16 * 1024;

/**
 * The rows of the first sheet of a workbook that is not hidden (ECMA-376). Of a formula only its stored result is read; nothing is
 * computed. Yields undefined where the reader may pause.
 * @param content the file in base64.
 * @throws InvalidImport, FileFault.
 */
export function* xlsxRows(content: string): Generator<TableRow | undefined, void> {
  const bytes = Buffer.from(content.replace(/^data:[^,]{0,200},/, ''), 'base64');
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== 0x04034b50)
    throw new InvalidImport('It is no XLSX workbook in base64. Save an old .xls file as .xlsx first.');
  const size = { unpacked: 0 };
  const sheets = new SheetNames();
  const targets = new SheetTargets();
  const texts = new SharedTexts();
  const formats = new CellFormats();
  yield* partsOf(bytes, size, (name) => {
    if (name === 'xl/workbook.xml') return sheets;
    if (name === 'xl/_rels/workbook.xml.rels') return targets;
    if (name === 'xl/styles.xml') return formats;
    return name === 'xl/sharedStrings.xml' ? texts : undefined;
  });
  const target = targets.byId.get(sheets.first) ?? 'worksheets/sheet1.xml';
  const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
  const rows = new SheetRows(texts.all, (stored, style) => formats.dateOf(stored, style, sheets.is1904));
  let isFound = false;
  const reading = partsOf(bytes, size, (name) => {
    if (name !== path) return undefined;
    isFound = true;
    return rows;
  });
  while (reading.next().done !== true) {
    yield* rows.taken();
    yield undefined;
  }
  yield* rows.taken();
  if (!isFound) throw new InvalidImport('It is a ZIP archive without a worksheet.');
}

/** Reads parts of an archive as XML. Yields undefined where the reader may pause. */
function* partsOf(
  bytes: Buffer,
  size: { unpacked: number },
  handlerOf: (name: string) => XmlHandler | undefined,
): Generator<undefined, void> {
  let waiting: Array<() => Generator<undefined, void>> = [];
  let parts = 0;
  const unzip = new Unzip((file) => {
    if (++parts > maxParts) throw new InvalidImport(`It has more than ${maxParts} parts.`);
    const handler = handlerOf(file.name);
    if (!handler) return;
    const reader = new XmlReader(() => handler);
    const decoder = new TextDecoder();
    file.ondata = (error, data, isLast) => {
      if (error) throw error;
      size.unpacked += data.length;
      if (size.unpacked > maxUnpacked)
        throw new InvalidImport(`It has more than ${maxUnpacked / 1024 / 1024} MiB unpacked.`);
      const text = decoder.decode(data, { stream: !isLast });
      waiting.push(() => written(reader, text, isLast));
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  for (let at = 0; at < bytes.length; at += packedStep) {
    pushed(unzip, bytes.subarray(at, at + packedStep), at + packedStep >= bytes.length);
    const now = waiting;
    waiting = [];
    for (const write of now) yield* write();
    yield undefined;
  }
}

/** @throws InvalidImport for an archive that is damaged, cut off, encrypted or packed otherwise. */
function pushed(unzip: Unzip, bytes: Uint8Array, isLast: boolean): void {
  try {
    unzip.push(new Uint8Array(bytes), isLast);
  } catch (error) {
    if (error instanceof InvalidImport || error instanceof FileFault) throw error;
    throw new InvalidImport(
      'It is no workbook that can be read: it is damaged, cut off or protected by a password.',
    );
  }
}

function* written(reader: XmlReader, text: string, isLast: boolean): Generator<undefined, void> {
  for (let at = 0; at < text.length; at += textStep) {
    reader.write(text.slice(at, at + textStep));
    yield undefined;
  }
  if (isLast) reader.end();
}

const ignored = () => undefined;

class SheetNames implements XmlHandler {
  /** The first that is shown: values of lists often stand in a hidden one. */
  #shown = '';
  #any = '';
  /** Days count from 1 January 1904, as on old Macs. */
  is1904 = false;
  readonly text = ignored;
  readonly close = ignored;
  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'sheet') {
      const { 'r:id': id = '', state = 'visible' } = attributes;
      this.#any ||= id;
      if (state === 'visible') this.#shown ||= id;
    } else if (name === 'workbookPr') this.is1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
  }
  get first(): string {
    return this.#shown || this.#any;
  }
}

class SheetTargets implements XmlHandler {
  readonly byId = new Map<string, string>();
  readonly text = ignored;
  readonly close = ignored;
  open(name: string, { Id, Target }: Readonly<Record<string, string>>): void {
    if (name === 'Relationship' && Id !== undefined && Target !== undefined && this.byId.size < maxParts)
      this.byId.set(Id, Target);
  }
}

class SharedTexts implements XmlHandler {
  readonly all: string[] = [];
  #text: string | undefined;
  #isOpen = false;
  #phonetic = 0;
  open(name: string): void {
    if (name === 'si') this.#text = '';
    else if (name === 'rPh') this.#phonetic++;
    else if (name === 't') this.#isOpen = this.#phonetic === 0;
  }
  text(piece: string): void {
    if (!this.#isOpen || this.#text === undefined) return;
    this.#text += piece;
    if (this.#text.length > maxCell) throw new InvalidImport(`A text has more than ${maxCell} characters.`);
  }
  close(name: string): void {
    if (name === 't') this.#isOpen = false;
    else if (name === 'rPh') this.#phonetic--;
    else if (name === 'si' && this.#text !== undefined) {
      if (this.all.length >= maxTexts) throw new InvalidImport(`It has more than ${maxTexts} texts.`);
      this.all.push(escaped(this.#text));
      this.#text = undefined;
    }
  }
}

/** Excel writes a control character as `_x000D_`. */
const escaped = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_whole, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;

class SheetRows implements XmlHandler {
  readonly #texts: readonly string[];
  readonly #dateOf: (stored: string, style: string | undefined) => string | undefined;
  #rows: TableRow[] = [];
  #count = 0;
  #row = 0;
  #cells: string[] = [];
  #at = 0;
  #type = '';
  #style: string | undefined;
  #text = '';
  #isOpen = false;

  /** @param dateOf the date of a number by the style of its cell; undefined for a plain number. */
  constructor(
    texts: readonly string[],
    dateOf: (stored: string, style: string | undefined) => string | undefined,
  ) {
    this.#texts = texts;
    this.#dateOf = dateOf;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') {
      if (++this.#count > maxRows) throw new InvalidImport(`It has more than ${maxRows} rows.`);
      const given = Number(attributes['r']);
      this.#row = Number.isSafeInteger(given) && given > 0 ? given : this.#row + 1;
      this.#cells = [];
      this.#at = -1;
    } else if (name === 'c') {
      this.#at = columnOf(attributes['r']) ?? this.#at + 1;
      if (this.#at >= maxColumns)
        throw new InvalidImport(`Row ${this.#row} has more than ${maxColumns} columns.`);
      this.#type = attributes['t'] ?? 'n';
      this.#style = attributes['s'];
      this.#text = '';
    } else if (name === 'v' || name === 't') this.#isOpen = true;
  }

  text(piece: string): void {
    if (!this.#isOpen) return;
    this.#text += piece;
    if (this.#text.length > maxCell)
      throw new InvalidImport(`A cell of row ${this.#row} has more than ${maxCell} characters.`);
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isOpen = false;
    else if (name === 'c' && this.#text !== '') {
      while (this.#cells.length < this.#at) this.#cells.push('');
      this.#cells[this.#at] = this.#valueOf();
    } else if (name === 'row' && this.#cells.length > 0)
      this.#rows.push({ row: this.#row, cells: this.#cells });
  }

  taken(): readonly TableRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #valueOf(): string {
    if (this.#type === 's') return this.#texts[Number(this.#text)] ?? '';
    if (this.#type === 'b') return this.#text === '1' ? 'true' : 'false';
    if (this.#type === 'n') return this.#dateOf(this.#text, this.#style) ?? shownNumber(this.#text);
    return this.#type === 'inlineStr' || this.#type === 'str' ? escaped(this.#text) : this.#text;
  }
}

/**
 * A number as a spreadsheet shows it, with 15 digits: Excel stores 2.3 as `2.2999999999999998`, and Apache POI 60 as `60.0`. Digits alone may
 * be a longer id that another program wrote.
 */
function shownNumber(stored: string): string {
  const value = Number(stored);
  const isAsShown = /^\d*$/.test(stored) || !Number.isFinite(value);
  return isAsShown ? stored : String(Number(value.toPrecision(15)));
}

/** The position of a column from a reference, e.g. 27 of `AB12`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(reference ?? '')?.[1];
  if (letters === undefined) return undefined;
  let at = 0;
  for (const letter of letters) at = at * 26 + letter.charCodeAt(0) - 64;
  return at - 1;
}
