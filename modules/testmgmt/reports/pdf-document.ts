import { deflateSync } from 'node:zlib';
import type { Typeface } from './pdf-typeface.ts';

/*
 * The structure of a PDF (ISO 32000-1): objects, typefaces and pages. They are written as they are created, so that a long document
 * is never completely in memory.
 */

const [catalogId, pagesId, infoId, firstFree] = [1, 2, 3, 4];
export const pageWidth = 595.28;
export const pageHeight = 841.89;

interface PdfDocument {
  /** The bytes of a page with these drawing operators. */
  page(operators: string): Uint8Array;
  /** Notes used shapes: the file contains only their widths and letters. */
  use(face: number, codePoints: ReadonlyMap<number, number>): void;
  /** The end of the document: a footer for every page, the typefaces, the list of objects. */
  end(footer: (page: number, pages: number) => string, title: string): Generator<Uint8Array, void>;
}

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

/** Makes the bytes of objects and notes where they begin. */
function objectWriter() {
  const offsets: number[] = [];
  let written = 0;
  const piece = (parts: ReadonlyArray<string | Uint8Array>): Uint8Array => {
    const bytes = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
    );
    written += bytes.byteLength;
    return bytes;
  };
  const numbered = (id: number, parts: ReadonlyArray<string | Uint8Array>): Uint8Array => {
    const before = written === 0 ? '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n' : '';
    offsets[id] = written + before.length;
    return piece([before, `${id} 0 obj\n`, ...parts, '\nendobj\n']);
  };
  return {
    object: (id: number, body: string) => numbered(id, [body]),
    stream: (id: number, data: Uint8Array, entries = '') =>
      numbered(id, [
        `<< /Length ${data.byteLength} /Filter /FlateDecode ${entries}>>\nstream\n`,
        data,
        '\nendstream',
      ]),
    /** The list of the objects with ids below `next`, which ends the file. */
    list: (next: number) => {
      const listAt = written;
      const list = Array.from(
        { length: next - 1 },
        (_, index) => `${String(offsets[index + 1] ?? 0).padStart(10, '0')} 00000 n \n`,
      );
      return piece([
        `xref\n0 ${next}\n0000000000 65535 f \n${list.join('')}trailer\n<< /Size ${next} /Root ${catalogId} 0 R /Info ${infoId} 0 R >>\nstartxref\n${listAt}\n%%EOF\n`,
      ]);
    },
  };
}

const drawing = (operators: string) => deflateSync(Buffer.from(operators, 'latin1'));

/** The objects of a typeface. @param used its shapes with their letters. */
function* typefaceObjects(
  writer: ReturnType<typeof objectWriter>,
  face: Typeface,
  used: ReadonlyMap<number, number>,
  [font, descendant, descriptor, file, letters]: readonly [number, number, number, number, number],
): Generator<Uint8Array, void> {
  const shapes = [...used].toSorted(([a], [b]) => a - b);
  const widths = shapes.map(([shape]) => `${shape} [${face.widthOf(shape).toFixed(1)}]`).join(' ');
  yield writer.object(
    font,
    `<< /Type /Font /Subtype /Type0 /BaseFont /${face.name} /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${letters} 0 R >>`,
  );
  yield writer.object(
    descendant,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${face.name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} 0 R /CIDToGIDMap /Identity /DW 500 /W [${widths}] >>`,
  );
  yield writer.object(
    descriptor,
    `<< /Type /FontDescriptor /FontName /${face.name} /Flags 4 /FontBBox [${face.box.join(' ')}] /ItalicAngle 0 /Ascent ${face.ascent} /Descent ${face.descent} /CapHeight ${face.ascent} /StemV 80 /FontFile2 ${file} 0 R >>`,
  );
  yield writer.stream(file, compressedOnce(face.file), `/Length1 ${face.file.byteLength} `);
  // The letter of each shape, so that text can be searched and copied.
  const mapped: string[] = [];
  for (let from = 0; from < shapes.length; from += 100) {
    const part = shapes.slice(from, from + 100);
    const lines = part.map(([shape, code]) => `<${shapeHex(shape)}> <${shapeHex(code)}>`);
    mapped.push(`${part.length} beginbfchar\n${lines.join('\n')}\nendbfchar`);
  }
  yield writer.stream(
    letters,
    drawing(
      `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def /CMapName /Adobe-Identity-UCS def /CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange\n${mapped.join('\n')}\nendcmap CMapName currentdict /CMap defineresource pop end end`,
    ),
  );
}

export function pdfDocument(faces: readonly Typeface[]): PdfDocument {
  const writer = objectWriter();
  const pages: Array<{ readonly id: number; readonly footer: number }> = [];
  const used = faces.map(() => new Map<number, number>());
  let next = firstFree + faces.length;
  const fontId = (face: number) => firstFree + face;

  return {
    page: (operators) => {
      const [id, content, footer] = [next++, next++, next++];
      pages.push({ id, footer });
      const fonts = faces.map((_, at) => `/F${at} ${fontId(at)} 0 R`).join(' ');
      const drawn = writer.stream(content, drawing(operators));
      const pageObject = writer.object(
        id,
        `<< /Type /Page /Parent ${pagesId} 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] /Resources << /Font << ${fonts} >> >> /Contents [${content} 0 R ${footer} 0 R] >>`,
      );
      return Buffer.concat([drawn, pageObject]);
    },
    use: (face, codePoints) => {
      for (const [shape, code] of codePoints) used[face]?.set(shape, code);
    },
    *end(footer, title) {
      for (const [index, page] of pages.entries()) {
        yield writer.stream(page.footer, drawing(footer(index + 1, pages.length)));
      }
      for (const [at, face] of faces.entries())
        yield* typefaceObjects(writer, face, used[at] ?? new Map<number, number>(), [
          fontId(at),
          next++,
          next++,
          next++,
          next++,
        ]);
      yield writer.object(
        pagesId,
        `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map(({ id }) => `${id} 0 R`).join(' ')}] >>`,
      );
      yield writer.object(infoId, `<< /Title ${hex(title)} /Creator (Trivet) >>`);
      yield writer.object(catalogId, `<< /Type /Catalog /Pages ${pagesId} 0 R >>`);
      yield writer.list(next);
    },
  };
}
