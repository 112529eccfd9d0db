import { percentages, testStatuses } from '../rules/test-status.ts';
import { pageWidth } from './pdf-document.ts';
import { ring } from './pdf-ring.ts';
import {
  black,
  bold,
  drawHeading,
  drawParagraph,
  drawTable,
  grey,
  inner,
  margin,
  pdfSheet,
  regular,
  type Sheet,
} from './pdf-sheet.ts';
import { cut, lacks } from './pdf-text.ts';
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

let typefaces: Promise<readonly [Typeface, Typeface]> | undefined;

/** Loaded with the first PDF and cached: no other call needs them in memory. */
export function reportTypefaces(): Promise<readonly [Typeface, Typeface]> {
  return (typefaces ??= import('pdfmake/build/vfs_fonts.js').then(({ default: files }) => {
    const read = (name: string) => readTypeface(name, Buffer.from(files[`${name}.ttf`] ?? '', 'base64'));
    return [read('Roboto-Regular'), read('Roboto-Medium')] as const;
  }));
}

/** The pieces of the file. An empty piece is only a place to pause. */
export function* reportPdf(
  report: RunReport,
  faces: readonly [Typeface, Typeface],
): Generator<Uint8Array, void> {
  const sheet = pdfSheet(faces);
  yield* drawTitle(sheet, report, faces[0]);
  yield* drawSums(sheet, report);
  yield* drawGroups(sheet, 'Section', report.bySection);
  yield* drawGroups(sheet, 'Squad', report.bySquad);
  yield* drawOpenTests(sheet, report);
  yield* sheet.turnPage();

  const made = `Report of ${timeText(report.madeAt)}`;
  // The typefaces that the file contains are complete before its footers are drawn.
  sheet.lines(`${made} 0123456789 / `, { size: 8 });
  yield* sheet.end((page, pages) => {
    sheet.y = 32;
    const [left] = sheet.lines(made, { size: 8 });
    const [right] = sheet.lines(`${page} / ${pages}`, { size: 8 });
    const pen = { face: regular, size: 8, colour: grey };
    if (left) sheet.draw(left, { ...pen, x: margin });
    if (right) sheet.draw(right, { ...pen, x: pageWidth - margin - right.width });
  }, report.runName);
}

function* drawTitle(sheet: Sheet, report: RunReport, typeface: Typeface): Generator<Uint8Array, void> {
  const { runName, runDescription, projectName, runId, createdAt, lockedAt, query } = report;
  yield* drawParagraph(sheet, runName, { face: bold, size: 20 });
  const state = lockedAt === null ? 'open' : `locked ${timeText(lockedAt)}`;
  yield* drawParagraph(
    sheet,
    `Project ${projectName} · run ${runId} · created ${timeText(createdAt)} · ${state}`,
    { colour: grey, above: 2 },
  );
  const paused = new Uint8Array();
  let lacking = false;
  for (const text of shownTexts(report)) {
    lacking ||= lacks(typeface, text);
    yield paused;
  }
  if (lacking) {
    yield* drawParagraph(
      sheet,
      'Letters that the typeface of this file lacks are shown as �. The HTML report of the run shows all of them.',
      { colour: grey, above: 4 },
    );
  }
  if (runDescription !== '')
    yield* drawParagraph(sheet, cut(runDescription, maxDescription, more), { above: 8 });
  if (query !== null) yield* drawParagraph(sheet, `Only the tests that fit the query ${query}`, { above: 8 });
}

/** The ring, and beside it how many tests have each status. */
function* drawSums(sheet: Sheet, { counts }: RunReport): Generator<Uint8Array, void> {
  yield* sheet.makeRoom(190);
  sheet.add(ring(counts, margin + 80, sheet.y - 90));
  const beside = sheet.y;
  const shares = percentages(counts);
  const sums: ReadonlyArray<readonly [string, string, string, string]> = [
    ['Status', 'Tests', '%', black],
    ...testStatuses.map(
      (status) => [status, String(counts[status]), shares[status].toFixed(1), statusColours[status]] as const,
    ),
    ['total', String(counts.total), '', black],
  ];
  sheet.y -= 24;
  for (const [name, count, share, colour] of sums) {
    sheet.y -= 18;
    const isPlain = colour !== black;
    for (const [text, x] of [
      [name, margin + 190],
      [count, margin + 300],
      [share, margin + 350],
    ] as const) {
      const isName = text === name;
      const face = isPlain && !isName ? regular : bold;
      for (const line of sheet.lines(text, { face, size: 10 }))
        sheet.draw(line, {
          face,
          x: isName ? x : x - line.width,
          size: 10,
          colour: isName ? colour : black,
        });
    }
  }
  sheet.y = beside - 180;
}

function* drawGroups(sheet: Sheet, title: string, all: readonly Group[]): Generator<Uint8Array, void> {
  if (all.length === 0) return;
  yield* drawHeading(sheet, `By ${title.toLowerCase()}`);
  const numbers = ['total', ...testStatuses, 'passed %'];
  const widths = [inner - numbers.length * 48, ...numbers.map(() => 48)];
  const head = [title, ...numbers].map((text, at) => ({ text, face: bold, toRight: at > 0 }));
  const rows = all.slice(0, shownGroups).map(({ name, counts }) => {
    const values = [
      counts.total,
      ...testStatuses.map((status) => counts[status]),
      percentages(counts).passed.toFixed(1),
    ];
    return [
      { text: cut(name, maxName, '…') },
      ...values.map((value) => ({ text: String(value), toRight: true })),
    ];
  });
  yield* drawTable(sheet, head, rows, widths);
  if (all.length > shownGroups)
    yield* drawParagraph(sheet, `… and ${all.length - shownGroups} more.`, { above: 4 });
}

function* drawOpenTests(sheet: Sheet, { open, openTotal }: RunReport): Generator<Uint8Array, void> {
  if (open.length === 0) return;
  yield* drawHeading(sheet, 'Failed, blocked, to be run again');
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
  yield* drawTable(sheet, head, rows, widths);
  if (openTotal > open.length)
    yield* drawParagraph(sheet, `… and ${openTotal - open.length} more.`, { above: 4 });
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
