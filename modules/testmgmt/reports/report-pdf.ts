import { percentages, testStatuses } from '../rules/test-status.ts';
import { pageHeight, pageWidth, pdfDocument } from './pdf-document.ts';
import { paint, ring } from './pdf-ring.ts';
import { cut, lacks, linesOf, type Line } from './pdf-text.ts';
import { readTypeface, type Typeface } from './pdf-typeface.ts';
import { shownGroups, statusColours, timeText, type Group, type RunReport } from './run-report.ts';

/*
 * The report as PDF: real text, the ring, page numbers. The writer is our own, because the library blocked the event loop for 20 s and
 * took 3.4 GB for 1,000 failures with long comments (measured; docs/decisions/testmgmt.md). Pages are sent as they are created.
 */

/** Characters of a comment: a printed report needs no more. */
const maxComment = 1_000;
const maxName = 300;
const maxDescription = 2_000;
const more = '… more in the HTML report';

const margin = 40;
const bottom = 56;
const inner = pageWidth - 2 * margin;
const [black, grey, rule] = ['#212121', '#616161', '#bdbdbd'];
const [regular, bold] = [0, 1];

let typefaces: Promise<readonly [Typeface, Typeface]> | undefined;

/** Loaded with the first PDF and cached: no other call needs them in memory. */
export function reportTypefaces(): Promise<readonly [Typeface, Typeface]> {
  return (typefaces ??= import('pdfmake/build/vfs_fonts.js').then(({ default: files }) => {
    const read = (name: string) => readTypeface(name, Buffer.from(files[`${name}.ttf`] ?? '', 'base64'));
    return [read('Roboto-Regular'), read('Roboto-Medium')] as const;
  }));
}

interface Cell {
  readonly text: string;
  readonly colour?: string;
  readonly face?: number;
  readonly toRight?: boolean;
}

/** The pieces of the file. An empty piece is only a place to pause. */
export function* reportPdf(
  report: RunReport,
  faces: readonly [Typeface, Typeface],
): Generator<Uint8Array, void> {
  const document = pdfDocument(faces);
  const paused = new Uint8Array();
  let operators: string[] = [];
  let y = pageHeight - margin;

  const draw = (
    line: Line,
    face: number,
    { x, size, colour }: { x: number; size: number; colour: string },
  ) => {
    if (line.shapes.length === 0) return;
    const shapes = line.shapes.map((shape) => shape.toString(16).padStart(4, '0')).join('');
    operators.push(
      `BT ${paint(colour)} rg /F${face} ${size} Tf ${x.toFixed(2)} ${y.toFixed(2)} Td <${shapes}> Tj ET`,
    );
  };
  function* turnPage(): Generator<Uint8Array, void> {
    yield document.page(operators.join('\n'));
    operators = [];
    y = pageHeight - margin;
  }
  const lines = (text: string, { face = regular, size = 9, width = inner } = {}) => {
    const typeface = faces[face === bold ? 1 : 0];
    document.use(face, lettersOf(typeface, text));
    return linesOf(typeface, text, size, width);
  };

  function* paragraph(text: string, { face = regular, size = 9, colour = black, above = 0 } = {}) {
    y -= above;
    for (const line of lines(text, { face, size })) {
      if (y - size * 1.3 < bottom) yield* turnPage();
      y -= size * 1.3;
      draw(line, face, { x: margin, size, colour });
    }
  }

  /** A row may be higher than a page: it continues on the next one, under the head. */
  function* table(head: readonly Cell[], rows: Iterable<readonly Cell[]>, widths: readonly number[]) {
    const size = 9;
    const height = 11.5;
    const pad = 3;
    const underline = () =>
      operators.push(
        `${paint(rule)} RG 0.5 w ${margin} ${(y - pad).toFixed(2)} m ${pageWidth - margin} ${(y - pad).toFixed(2)} l S`,
      );
    function* row(cells: readonly Cell[], again: readonly Cell[] | undefined): Generator<Uint8Array, void> {
      const columns = cells.map(({ text, face = regular }, at) =>
        lines(text, { face, size, width: (widths[at] ?? 0) - 2 * pad }),
      );
      const count = Math.max(...columns.map((column) => column.length));
      for (let at = 0; at < count; at++) {
        if (y - height - pad < bottom) {
          yield* turnPage();
          if (again) yield* row(again, undefined);
        }
        y -= height + (at === 0 ? pad : 0);
        let x = margin;
        for (const [index, column] of columns.entries()) {
          const { face = regular, colour = black, toRight = false } = cells[index] ?? {};
          const [line, width] = [column[at], widths[index] ?? 0];
          if (line) draw(line, face, { x: toRight ? x + width - pad - line.width : x + pad, size, colour });
          x += width;
        }
      }
      underline();
      y -= pad;
    }
    if (y - 4 * height < bottom) yield* turnPage();
    yield* row(head, undefined);
    for (const cells of rows) {
      yield* row(cells, head);
      yield paused;
    }
  }

  const heading = function* (text: string) {
    if (y - 60 < bottom) yield* turnPage();
    yield* paragraph(text, { face: bold, size: 14, above: 16 });
    y -= 4;
  };

  const { counts, runName, runDescription, open, openTotal } = report;
  yield* paragraph(runName, { face: bold, size: 20 });
  yield* paragraph(
    `Project ${report.projectName} · run ${report.runId} · created ${timeText(report.createdAt)} · ${
      report.lockedAt === null ? 'open' : `locked ${timeText(report.lockedAt)}`
    }`,
    { colour: grey, above: 2 },
  );
  let lacking = false;
  for (const text of shownTexts(report)) {
    lacking ||= lacks(faces[0], text);
    yield paused;
  }
  if (lacking) {
    yield* paragraph(
      'Letters that the typeface of this file lacks are shown as �. The HTML report of the run shows all of them.',
      {
        colour: grey,
        above: 4,
      },
    );
  }
  if (runDescription !== '') yield* paragraph(cut(runDescription, maxDescription, more), { above: 8 });
  if (report.query !== null)
    yield* paragraph(`Only the tests that fit the query ${report.query}`, { above: 8 });

  if (y - 190 < bottom) yield* turnPage();
  operators.push(ring(counts, margin + 80, y - 90));
  const beside = y;
  const shares = percentages(counts);
  const sums: ReadonlyArray<readonly [string, string, string, string]> = [
    ['Status', 'Tests', '%', black],
    ...testStatuses.map(
      (status) => [status, String(counts[status]), shares[status].toFixed(1), statusColours[status]] as const,
    ),
    ['total', String(counts.total), '', black],
  ];
  y -= 24;
  for (const [name, count, share, colour] of sums) {
    y -= 18;
    const isPlain = colour !== black;
    for (const [text, x] of [
      [name, margin + 190],
      [count, margin + 300],
      [share, margin + 350],
    ] as const) {
      const face = isPlain && text !== name ? regular : bold;
      for (const line of lines(text, { face, size: 10 })) {
        draw(line, face, {
          x: text === name ? x : x - line.width,
          size: 10,
          colour: text === name ? colour : black,
        });
      }
    }
  }
  y = beside - 180;

  const groups = function* (title: string, all: readonly Group[]) {
    if (all.length === 0) return;
    yield* heading(`By ${title.toLowerCase()}`);
    const numbers = ['total', ...testStatuses, 'passed %'];
    const widths = [inner - numbers.length * 48, ...numbers.map(() => 48)];
    const head = [title, ...numbers].map((text, at) => ({ text, face: bold, toRight: at > 0 }));
    const rows = all.slice(0, shownGroups).map(({ name, counts: of }) => [
      { text: cut(name, maxName, '…') },
      ...[of.total, ...testStatuses.map((status) => of[status]), percentages(of).passed.toFixed(1)].map(
        (value) => ({
          text: String(value),
          toRight: true,
        }),
      ),
    ]);
    yield* table(head, rows, widths);
    if (all.length > shownGroups) yield* paragraph(`… and ${all.length - shownGroups} more.`, { above: 4 });
  };
  yield* groups('Section', report.bySection);
  yield* groups('Squad', report.bySquad);

  if (open.length > 0) {
    yield* heading('Failed, blocked, to be run again');
    const head = ['Id', 'Test', 'Section', 'Status', 'Comment'].map((text, at) => ({
      text,
      face: bold,
      toRight: at === 0,
    }));
    const widths = [50, 140, 105, 50, inner - 345];
    const rows = open.map(({ testId, testName, section, status, comment }) => [
      { text: testId === null ? '' : String(testId), toRight: true },
      { text: testName },
      { text: cut(section, maxName, '…') },
      { text: status, colour: statusColours[status] },
      { text: cut(comment ?? '', maxComment, more) },
    ]);
    yield* table(head, rows, widths);
    if (openTotal > open.length) yield* paragraph(`… and ${openTotal - open.length} more.`, { above: 4 });
  }
  yield* turnPage();

  lines(`Report of ${timeText(report.madeAt)} 0123456789 / `, { size: 8 });
  yield* document.end((page, pages) => {
    operators = [];
    y = 32;
    const [made] = lines(`Report of ${timeText(report.madeAt)}`, { size: 8 });
    const [number] = lines(`${page} / ${pages}`, { size: 8 });
    if (made) draw(made, regular, { x: margin, size: 8, colour: grey });
    if (number) draw(number, regular, { x: pageWidth - margin - number.width, size: 8, colour: grey });
    return operators.join('\n');
  }, runName);
}

const shownTexts = ({
  query,
  runName,
  projectName,
  runDescription,
  bySection,
  bySquad,
  open,
}: RunReport): readonly string[] => [
  query ?? '',
  runName,
  projectName,
  cut(runDescription, maxDescription, ''),
  ...[...bySection.slice(0, shownGroups), ...bySquad.slice(0, shownGroups)].map(({ name }) =>
    cut(name, maxName, ''),
  ),
  ...open.flatMap(({ testName, section, comment }) => [
    testName,
    cut(section, maxName, ''),
    cut(comment ?? '', maxComment, ''),
  ]),
];

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
