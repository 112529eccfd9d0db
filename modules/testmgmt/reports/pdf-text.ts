import { textHead } from '../../../core/text/text-head.ts';
import type { Typeface } from './pdf-typeface.ts';

/*
 * Text as glyphs of a typeface, in lines. Each visible character that the typeface lacks becomes one �: an empty box, or right-to-left
 * letters in the wrong order, would look like text that a user wrote.
 */

/** Glyphs and their width in points. */
export interface Line {
  readonly shapes: readonly number[];
  readonly width: number;
}

const replacement = 0xfffd;
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Invisible characters: control characters except LF and tab, and direction marks. */
const unshown = /(?![\n\t\r])\p{Cc}|[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Characters that join or vary the letters around them. */
const joining = /\u200c|\u200d|\ufe0e|\ufe0f/g;

const shown = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replaceAll('\t', '    ').replace(unshown, '').normalize('NFC');

/** Whether a typeface lacks a character of a text. */
export function lacks(typeface: Typeface, text: string): boolean {
  for (const letter of shown(text).replace(joining, '')) {
    if (letter !== '\n' && typeface.shapeOf(letter.codePointAt(0) ?? 0) === undefined) return true;
  }
  return false;
}

/** The text with � for each character that the typeface lacks. */
function legible(typeface: Typeface, text: string): string {
  const plain = shown(text);
  if (!lacks(typeface, plain)) return plain.replace(joining, '');
  let whole = '';
  for (const { segment } of characters.segment(plain)) {
    whole += segment !== '\n' && lacks(typeface, segment) ? String.fromCodePoint(replacement) : segment;
  }
  return whole.replace(joining, '');
}

/** The lines of a text, broken at spaces, and within words that are wider than a line. */
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

/** The first characters of a longer text, with `more` in place of the rest. */
export const cut = (text: string, length: number, more: string): string =>
  text.length <= length ? text : `${textHead(text, length)}${more}`;
