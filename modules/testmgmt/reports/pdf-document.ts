import { deflateSync } from 'node:zlib';
import type { Typeface } from './pdf-typeface.ts';

/*
 * The structure of a PDF (ISO 32000-1): objects, typefaces and pages. They are written as they are created, so that a long document
 * is never completely in memory.
 */

const [catalogId, pagesId, infoId, firstFree] = [1, 2, 3, 4];
export const pageWidth = 595.28;
export const pageHeight = 841.89;

const compressed = new WeakMap<Uint8Array, Uint8Array>();

/** The file of a typeface is the same in every document, so it is compressed once. */
function compressedOnce(file: Uint8Array): Uint8Array {
  const known = compressed.get(file) ?? deflateSync(file);
  compressed.set(file, known);
  return known;
}

const hex = (text: string): string => {
  let digits = 'feff';
  for (let at = 0; at < text.length; at++) digits += text.charCodeAt(at).toString(16).padStart(4, '0');
  return `<${digits}>`;
};

const shapeHex = (shape: number): string => shape.toString(16).padStart(4, '0');

const drawing = (operators: string): Uint8Array => deflateSync(Buffer.from(operators, 'latin1'));
const fontId = (face: number): number => firstFree + face;

/** A document that is written as it is created. */
export class PdfDocument {
  readonly #faces: readonly Typeface[];
  /** The used glyphs with their characters: the file contains only these. */
  readonly #used: ReadonlyArray<Map<number, number>>;
  readonly #offsets: number[] = [];
  readonly #pages: Array<{ readonly id: number; readonly footer: number }> = [];
  #written = 0;
  #next: number;

  constructor(faces: readonly Typeface[]) {
    this.#faces = faces;
    this.#used = faces.map(() => new Map());
    this.#next = firstFree + faces.length;
  }

  /** Records the glyphs in use. */
  use(face: number, codePoints: ReadonlyMap<number, number>): void {
    for (const [shape, code] of codePoints) this.#used[face]?.set(shape, code);
  }

  /** The bytes of a page with these drawing operators. */
  page(operators: string): Uint8Array {
    const [id, content, footer] = [this.#next++, this.#next++, this.#next++];
    this.#pages.push({ id, footer });
    const fonts = this.#faces.map((_, at) => `/F${at} ${fontId(at)} 0 R`).join(' ');
    return Buffer.concat([
      this.#stream(content, drawing(operators)),
      this.#object(
        id,
        `<< /Type /Page /Parent ${pagesId} 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] /Resources << /Font << ${fonts} >> >> /Contents [${content} 0 R ${footer} 0 R] >>`,
      ),
    ]);
  }

  /** The end of the document: a footer for every page, the typefaces, the list of objects. */
  *end(footer: (page: number, pages: number) => string, title: string): Generator<Uint8Array, void> {
    const pages = this.#pages;
    for (const [index, page] of pages.entries())
      yield this.#stream(page.footer, drawing(footer(index + 1, pages.length)));
    for (const [at, face] of this.#faces.entries()) yield* this.#typeface(face, at);
    const kids = pages.map(({ id }) => `${id} 0 R`).join(' ');
    yield this.#object(pagesId, `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`);
    yield this.#object(infoId, `<< /Title ${hex(title)} /Creator (Trivet) >>`);
    yield this.#object(catalogId, `<< /Type /Catalog /Pages ${pagesId} 0 R >>`);
    const next = this.#next;
    const list = Array.from(
      { length: next - 1 },
      (_, index) => `${String(this.#offsets[index + 1] ?? 0).padStart(10, '0')} 00000 n \n`,
    );
    yield Buffer.from(
      `xref\n0 ${next}\n0000000000 65535 f \n${list.join('')}trailer\n<< /Size ${next} /Root ${catalogId} 0 R /Info ${infoId} 0 R >>\nstartxref\n${this.#written}\n%%EOF\n`,
      'latin1',
    );
  }

  *#typeface(face: Typeface, at: number): Generator<Uint8Array, void> {
    const [descendant, descriptor, file, letters] = [this.#next++, this.#next++, this.#next++, this.#next++];
    const shapes = [...(this.#used[at] ?? [])].toSorted(([a], [b]) => a - b);
    const widths = shapes.map(([shape]) => `${shape} [${face.widthOf(shape).toFixed(1)}]`).join(' ');
    yield this.#object(
      fontId(at),
      `<< /Type /Font /Subtype /Type0 /BaseFont /${face.name} /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${letters} 0 R >>`,
    );
    yield this.#object(
      descendant,
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${face.name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} 0 R /CIDToGIDMap /Identity /DW 500 /W [${widths}] >>`,
    );
    yield this.#object(
      descriptor,
      `<< /Type /FontDescriptor /FontName /${face.name} /Flags 4 /FontBBox [${face.box.join(' ')}] /ItalicAngle 0 /Ascent ${face.ascent} /Descent ${face.descent} /CapHeight ${face.ascent} /StemV 80 /FontFile2 ${file} 0 R >>`,
    );
    yield this.#stream(file, compressedOnce(face.file), `/Length1 ${face.file.byteLength} `);
    yield this.#stream(letters, drawing(lettersMap(shapes)));
  }

  #object(id: number, body: string): Uint8Array {
    return this.#place(id, [`${id} 0 obj\n${body}\nendobj\n`]);
  }

  #stream(id: number, data: Uint8Array, entries = ''): Uint8Array {
    const head = `${id} 0 obj\n<< /Length ${data.byteLength} /Filter /FlateDecode ${entries}>>\nstream\n`;
    return this.#place(id, [head, data, '\nendstream\nendobj\n']);
  }

  /** The bytes of an object, whose position is recorded. The first one follows the head of the file. */
  #place(id: number, parts: ReadonlyArray<string | Uint8Array>): Uint8Array {
    const head = this.#written === 0 ? '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n' : '';
    this.#offsets[id] = this.#written + head.length;
    const bytes = Buffer.concat(
      [head, ...parts].map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
    );
    this.#written += bytes.byteLength;
    return bytes;
  }
}

/** The character of each glyph, so that text can be searched and copied. */
function lettersMap(shapes: ReadonlyArray<readonly [shape: number, code: number]>): string {
  const mapped: string[] = [];
  for (let from = 0; from < shapes.length; from += 100) {
    const part = shapes.slice(from, from + 100);
    const lines = part.map(([shape, code]) => `<${shapeHex(shape)}> <${shapeHex(code)}>`);
    mapped.push(`${part.length} beginbfchar\n${lines.join('\n')}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def /CMapName /Adobe-Identity-UCS def /CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange\n${mapped.join('\n')}\nendcmap CMapName currentdict /CMap defineresource pop end end`;
}
