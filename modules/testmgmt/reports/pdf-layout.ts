import { pageHeight, pageWidth, PdfDocument } from './pdf-document.ts';
import { paint } from './pdf-ring.ts';
import { linesOf, type Line } from './pdf-text.ts';
import type { Typeface } from './pdf-typeface.ts';

export const margin = 40;
const bottom = 56;
export const inner = pageWidth - 2 * margin;
export const [black, grey, rule] = ['#212121', '#616161', '#bdbdbd'];
export const [regular, bold] = [0, 1];

interface Cell {
  readonly text: string;
  readonly colour?: string;
  readonly face?: number;
  readonly toRight?: boolean;
}

interface Place {
  readonly x: number;
  readonly size: number;
  readonly colour: string;
}

/** A piece of the file that is only a place to pause. */
export const paused = new Uint8Array();

/** A row of a table. */
const row = { size: 9, height: 11.5, pad: 3 } as const;

/** Lays out text on pages from the top down. Generators yield completed pages. */
export class PdfLayout {
  readonly #document: PdfDocument;
  readonly #faces: readonly [Typeface, Typeface];
  #operators: string[] = [];
  /** The height of the next line above the bottom edge. */
  y = pageHeight - margin;

  constructor(faces: readonly [Typeface, Typeface]) {
    this.#document = new PdfDocument(faces);
    this.#faces = faces;
  }

  /** A text in lines. The file will contain the glyphs of these lines. */
  lines(text: string, { face = regular, size = 9, width = inner } = {}): readonly Line[] {
    const typeface = this.#faces[face === bold ? 1 : 0];
    this.#document.use(face, lettersOf(typeface, text));
    return linesOf(typeface, text, size, width);
  }

  add(operators: string): void {
    this.#operators.push(operators);
  }

  draw(line: Line, face: number, { x, size, colour }: Place): void {
    if (line.shapes.length === 0) return;
    const shapes = line.shapes.map((shape) => shape.toString(16).padStart(4, '0')).join('');
    this.add(
      `BT ${paint(colour)} rg /F${face} ${size} Tf ${x.toFixed(2)} ${this.y.toFixed(2)} Td <${shapes}> Tj ET`,
    );
  }

  *turnPage(): Generator<Uint8Array, void> {
    yield this.#document.page(this.#operators.join('\n'));
    this.#operators = [];
    this.y = pageHeight - margin;
  }

  /** Starts a new page if this one has less room. */
  *needs(height: number): Generator<Uint8Array, void> {
    if (this.y - height < bottom) yield* this.turnPage();
  }

  *paragraph(
    text: string,
    { face = regular, size = 9, colour = black, above = 0 } = {},
  ): Generator<Uint8Array, void> {
    this.y -= above;
    for (const line of this.lines(text, { face, size })) {
      yield* this.needs(size * 1.3);
      this.y -= size * 1.3;
      this.draw(line, face, { x: margin, size, colour });
    }
  }

  *heading(text: string): Generator<Uint8Array, void> {
    yield* this.needs(60);
    yield* this.paragraph(text, { face: bold, size: 14, above: 16 });
    this.y -= 4;
  }

  *table(
    head: readonly Cell[],
    rows: Iterable<readonly Cell[]>,
    widths: readonly number[],
  ): Generator<Uint8Array, void> {
    yield* this.needs(4 * row.height);
    yield* this.#row(head, widths);
    for (const cells of rows) {
      yield* this.#row(cells, widths, head);
      yield paused;
    }
  }

  /** A row may be higher than a page: it continues on the next one, below the header. */
  *#row(
    cells: readonly Cell[],
    widths: readonly number[],
    head?: readonly Cell[],
  ): Generator<Uint8Array, void> {
    const { size, height, pad } = row;
    const columns = cells.map(({ text, face = regular }, at) =>
      this.lines(text, { face, size, width: (widths[at] ?? 0) - 2 * pad }),
    );
    const count = Math.max(...columns.map((column) => column.length));
    for (let at = 0; at < count; at++) {
      if (this.y - height - pad < bottom) {
        yield* this.turnPage();
        if (head) yield* this.#row(head, widths);
      }
      this.y -= height + (at === 0 ? pad : 0);
      let x = margin;
      for (const [index, column] of columns.entries()) {
        const { face = regular, colour = black, toRight = false } = cells[index] ?? {};
        const [line, width] = [column[at], widths[index] ?? 0];
        if (line)
          this.draw(line, face, { x: toRight ? x + width - pad - line.width : x + pad, size, colour });
        x += width;
      }
    }
    const y = (this.y - pad).toFixed(2);
    this.add(`${paint(rule)} RG 0.5 w ${margin} ${y} m ${pageWidth - margin} ${y} l S`);
    this.y -= pad;
  }

  /** @param left the left part of each page's footer; the page number is on the right. */
  *end(left: string, title: string): Generator<Uint8Array, void> {
    yield* this.turnPage();
    this.lines(`${left} 0123456789 / `, { size: 8 });
    yield* this.#document.end((page, pages) => {
      this.#operators = [];
      this.y = 32;
      const place = { x: margin, size: 8, colour: grey };
      const [begin] = this.lines(left, { size: 8 });
      const [number] = this.lines(`${page} / ${pages}`, { size: 8 });
      if (begin) this.draw(begin, regular, place);
      if (number) this.draw(number, regular, { ...place, x: pageWidth - margin - number.width });
      return this.#operators.join('\n');
    }, title);
  }
}

/** The characters of a text by their glyphs. */
function lettersOf(typeface: Typeface, text: string): ReadonlyMap<number, number> {
  const letters = new Map<number, number>();
  for (const letter of `${text.normalize('NFC')} �`) {
    const code = letter.codePointAt(0) ?? 0;
    const shape = typeface.shapeOf(code);
    if (shape !== undefined) letters.set(shape, code);
  }
  return letters;
}
