import type { Tally } from '../rules/test-status.ts';
import { statusColours } from './run-report.ts';
import { xmlContent, xmlValue } from './xml-text.ts';

/*
 * The result of a run as a badge: SVG that loads nothing. The widths are those of Verdana, its first choice of typeface; `textLength` fits
 * the text of any other typeface into them.
 */

/** Widths of characters in thousandths of the size of the typeface. */
const widths: ReadonlyArray<readonly [string, number]> = [
  ['il', 274],
  ['j', 344],
  [' f', 352],
  [',.', 364],
  ['t', 394],
  ['r', 427],
  ['-/:', 454],
  ['csz', 523],
  ['kvxy', 592],
  ['aeo', 601],
  ['bdgpq', 623],
  ['hnu', 633],
  ['0123456789', 636],
  ['w', 818],
  ['m', 973],
  ['%', 1_076],
];
const widthOf = new Map(widths.flatMap(([letters, width]) => [...letters].map((letter) => [letter, width])));
/** The width of a capital letter, and of any other character that takes one column or two. */
const [usual, wide] = [700, 1_000];

const size = 11;
const height = 20;
const padding = 6;

const textWidth = (text: string): number => {
  const units = [...text].map(
    (letter) => widthOf.get(letter) ?? (Bun.stringWidth(letter) > 1 ? wide : usual),
  );
  return Math.ceil((units.reduce((sum, one) => sum + one, 0) * size) / 1000);
};

/** Most characters on one side. */
const textLimit = 100;

/** @param label the subject of the badge. */
export function badge({ passed, failed, blocked, retest, untested }: Tally, label = 'tests'): string {
  const parts = [
    ...(passed > 0 || failed > 0 ? [`${passed} passed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(retest > 0 ? [`${retest} retest`] : []),
  ];
  const message = parts.length > 0 ? parts.join(', ') : untested > 0 ? 'not run' : 'none';
  const status =
    failed > 0
      ? 'failed'
      : blocked > 0
        ? 'blocked'
        : retest > 0
          ? 'retest'
          : passed > 0
            ? 'passed'
            : 'untested';
  return drawn([...label].slice(0, textLimit).join(''), message, statusColours[status]);
}

function drawn(label: string, message: string, colour: string): string {
  const [left, right] = [textWidth(label), textWidth(message)];
  const [leftSide, rightSide] = [left + 2 * padding, right + 2 * padding];
  const width = leftSide + rightSide;
  const title = `${label}: ${message}`;
  const text = (words: string, middle: number, length: number) =>
    `<text x="${middle}" y="14" textLength="${length}">${xmlContent(words)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${xmlValue(title)}"><title>${xmlContent(title)}</title><clipPath id="r"><rect width="${width}" height="${height}" rx="3"/></clipPath><g clip-path="url(#r)"><rect width="${leftSide}" height="${height}" fill="#555"/><rect x="${leftSide}" width="${rightSide}" height="${height}" fill="${colour}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="${size}">${text(label, leftSide / 2, left)}${text(message, leftSide + rightSide / 2, right)}</g></svg>\n`;
}
