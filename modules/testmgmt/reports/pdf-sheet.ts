import { pageHeight, pageWidth, pdfDocument } from './pdf-document.ts';
import { paint } from './pdf-ring.ts';
import { linesOf, type Line } from './pdf-text.ts';
import type { Typeface } from './pdf-typeface.ts';

/* What is drawn on the pages of a PDF, from top to bottom: paragraphs, headings and tables. A full page is followed by the next one. */

export const margin = 40;
const bottom = 56;
export const inner = pageWidth - 2 * margin;
export const [black, grey, rule] = ['#212121', '#616161', '#bdbdbd'];
export const [regular, bold] = [0, 1];

/** How a line is drawn. */
interface Pen {
  readonly face: number;
  readonly x: number;
  readonly size: number;
  readonly colour: string;
}

interface TextStyle {
  readonly face?: number;
  readonly size?: number;
}

export interface Cell {
  readonly text: string;
  readonly colour?: string;
  readonly face?: number;
  readonly toRight?: boolean;
}

/** The page that is being filled. */
export interface Sheet {
  /** Where the next thing is drawn: points from the bottom of the page. */
  y: number;
  lines(text: string, style?: TextStyle & { readonly width?: number }): Line[];
  draw(line: Line, pen: Pen): void;
  /** Adds operators of PDF to the page. */
  add(operators: string): void;
  /** Turns the page if what comes needs more points than it has left. */
  makeRoom(points: number): Generator<Uint8Array, void>;
  turnPage(): Generator<Uint8Array, void>;
  /** The end of the document. @param footer draws what stands below a page. */
  end(footer: (page: number, pages: number) => void, title: string): Generator<Uint8Array, void>;
}

export function pdfSheet(faces: readonly [Typeface, Typeface]): Sheet {
  const document = pdfDocument(faces);
  let operators: string[] = [];
  const takeOperators = () => {
    const taken = operators.join('\n');
    operators = [];
    return taken;
  };
  const sheet: Sheet = {
    y: pageHeight - margin,
    lines: (text, { face = regular, size = 9, width = inner } = {}) => {
      const typeface = faces[face === bold ? 1 : 0];
      document.use(face, lettersOf(typeface, text));
      return linesOf(typeface, text, size, width);
    },
    draw: ({ shapes }, { face, x, size, colour }) => {
      if (shapes.length === 0) return;
      const text = shapes.map((shape) => shape.toString(16).padStart(4, '0')).join('');
      operators.push(
        `BT ${paint(colour)} rg /F${face} ${size} Tf ${x.toFixed(2)} ${sheet.y.toFixed(2)} Td <${text}> Tj ET`,
      );
    },
    add: (added) => void operators.push(added),
    *makeRoom(points) {
      if (sheet.y - points < bottom) yield* sheet.turnPage();
    },
    *turnPage() {
      yield document.page(takeOperators());
      sheet.y = pageHeight - margin;
    },
    end: (footer, title) =>
      document.end((page, pages) => {
        footer(page, pages);
        return takeOperators();
      }, title),
  };
  return sheet;
}

/** The letters of a text by their shapes. */
function lettersOf(typeface: Typeface, text: string): ReadonlyMap<number, number> {
  const letters = new Map<number, number>();
  for (const letter of `${text.normalize('NFC')} �`) {
    const code = letter.codePointAt(0) ?? 0;
    const shape = typeface.shapeOf(code);
    if (shape !== undefined) letters.set(shape, code);
  }
  return letters;
}

export function* drawParagraph(
  sheet: Sheet,
  text: string,
  {
    face = regular,
    size = 9,
    colour = black,
    above = 0,
  }: TextStyle & { readonly colour?: string; readonly above?: number } = {},
): Generator<Uint8Array, void> {
  sheet.y -= above;
  for (const line of sheet.lines(text, { face, size })) {
    yield* sheet.makeRoom(size * 1.3);
    sheet.y -= size * 1.3;
    sheet.draw(line, { face, x: margin, size, colour });
  }
}

export function* drawHeading(sheet: Sheet, text: string): Generator<Uint8Array, void> {
  yield* sheet.makeRoom(60);
  yield* drawParagraph(sheet, text, { face: bold, size: 14, above: 16 });
  sheet.y -= 4;
}

const tableText = { size: 9, height: 11.5, pad: 3 };

/** A row may be higher than a page: it continues on the next one, under the head. An empty piece follows each row, as a place to pause. */
export function* drawTable(
  sheet: Sheet,
  head: readonly Cell[],
  rows: Iterable<readonly Cell[]>,
  widths: readonly number[],
): Generator<Uint8Array, void> {
  const paused = new Uint8Array();
  yield* sheet.makeRoom(4 * tableText.height);
  yield* drawRow(sheet, head, widths, undefined);
  for (const cells of rows) {
    yield* drawRow(sheet, cells, widths, head);
    yield paused;
  }
}

/** @param head what is drawn again where the row continues on another page. */
function* drawRow(
  sheet: Sheet,
  cells: readonly Cell[],
  widths: readonly number[],
  head: readonly Cell[] | undefined,
): Generator<Uint8Array, void> {
  const { size, height, pad } = tableText;
  const columns = cells.map(({ text, face = regular }, at) =>
    sheet.lines(text, { face, size, width: (widths[at] ?? 0) - 2 * pad }),
  );
  const count = Math.max(...columns.map((column) => column.length));
  for (let at = 0; at < count; at++) {
    if (sheet.y - height - pad < bottom) {
      yield* sheet.turnPage();
      if (head) yield* drawRow(sheet, head, widths, undefined);
    }
    sheet.y -= height + (at === 0 ? pad : 0);
    let left = margin;
    for (const [index, column] of columns.entries()) {
      const { face = regular, colour = black, toRight = false } = cells[index] ?? {};
      const [line, width] = [column[at], widths[index] ?? 0];
      const x = line && toRight ? left + width - pad - line.width : left + pad;
      if (line) sheet.draw(line, { face, x, size, colour });
      left += width;
    }
  }
  const y = (sheet.y - pad).toFixed(2);
  sheet.add(`${paint(rule)} RG 0.5 w ${margin} ${y} m ${pageWidth - margin} ${y} l S`);
  sheet.y -= pad;
}
