import type { Typeface } from './pdf-typeface.ts';

/*
 * Text as shapes of a typeface, in lines. Letters that it lacks become one � for each character that a reader sees: an empty box, or
 * right-to-left letters in the wrong order, would look like something that somebody wrote.
 */

/** Shapes and how wide they are together, in points. */
export interface Line {
  readonly shapes: readonly number[];
  readonly width: number;
}

const replacement = 0xfffd;
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Control characters but LF and tab, and marks that steer direction: nothing that a page shows. */
const unshown = /(?![\n\t\r])\p{Cc}|[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** What joins or varies the letters around it, and is no letter itself. */
const joining = /\u200c|\u200d|\ufe0e|\ufe0f/g;

const shown = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replaceAll('\t', '    ').replace(unshown, '').normalize('NFC');

/** Whether a typeface lacks a letter of a text. */
export function lacks(typeface: Typeface, text: string): boolean {
  for (const letter of shown(text).replace(joining, '')) {
    if (letter !== '\n' && typeface.shapeOf(letter.codePointAt(0) ?? 0) === undefined) return true;
  }
  return false;
}

/** The text with � for what the typeface lacks. */
function legible(typeface: Typeface, text: string): string {
  const plain = shown(text);
  if (!lacks(typeface, plain)) return plain.replace(joining, '');
  let whole = '';
  for (const { segment } of characters.segment(plain)) {
    whole += segment !== '\n' && lacks(typeface, segment) ? String.fromCodePoint(replacement) : segment;
  }
  return whole.replace(joining, '');
}

/** Breaks a text at spaces, and inside words that are wider than a line. */
export function linesOf(typeface: Typeface, text: string, size: number, width: number): Line[] {
  const lines: Line[] = [];
  const missing = typeface.shapeOf(replacement) ?? typeface.shapeOf(0x3f) ?? 0;
  const space = typeface.shapeOf(0x20) ?? 0;
  const spaceWidth = (typeface.widthOf(space) * size) / 1000;
  for (const paragraph of legible(typeface, text).split('\n')) {
    let shapes: number[] = [];
    let filled = 0;
    const end = () => {
      lines.push({ shapes, width: filled });
      shapes = [];
      filled = 0;
    };
    for (const word of paragraph.split(' ')) {
      const letters = [...word].map((letter) => typeface.shapeOf(letter.codePointAt(0) ?? 0) ?? missing);
      const widths = letters.map((shape) => (typeface.widthOf(shape) * size) / 1000);
      const wordWidth = widths.reduce((sum, one) => sum + one, 0);
      if (shapes.length > 0) {
        if (filled + spaceWidth + wordWidth > width) end();
        else {
          shapes.push(space);
          filled += spaceWidth;
        }
      }
      for (const [index, shape] of letters.entries()) {
        const letterWidth = widths[index] ?? 0;
        if (filled + letterWidth > width && shapes.length > 0) end();
        shapes.push(shape);
        filled += letterWidth;
      }
    }
    end();
  }
  return lines;
}

/** A text of at most so many characters, with a sentence in the place of the rest. */
export function cut(text: string, length: number, more: string): string {
  if (text.length <= length) return text;
  // Half a character at the end is dropped.
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}${more}`;
}
