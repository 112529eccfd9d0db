import { counted } from '../../../core/base/counted-noun.ts';
import { percentages, testStatuses, type StatusCounts } from '../rules/test-status.ts';
import { black, bold, grey, inner, margin, paused, PdfLayout, regular } from './pdf-layout.ts';
import { ring } from './pdf-ring.ts';
import { cut, lacks } from './pdf-text.ts';
import { readTypeface, type Typeface } from './pdf-typeface.ts';
import { filesText, shownGroups, statusColours, timeText, type Group, type RunReport } from './run-report.ts';

/*
 * The report as PDF: real text, the ring, page numbers. The writer is our own, because the library blocked the event loop for 20 s and
 * took 3.4 GB for 1,000 failures with long comments (measured; docs/decisions/testmgmt.md). Pages are sent as they are created.
 */

/** Most characters of a comment: a printed report needs no more. */
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

type Pages = Generator<Uint8Array, void>;

/** The pieces of the file. An empty piece is only a place to pause. */
export function* reportPdf(report: RunReport, faces: readonly [Typeface, Typeface]): Pages {
  const layout = new PdfLayout(faces);
  yield* title(layout, report, faces[0]);
  yield* summary(layout, report.counts);
  if (report.trend.length > 1) yield* layout.paragraph(trendText(report), { above: 8 });
  // Before the list of failures, which may be long: the first page holds the answer.
  if (report.testers.length > 0) yield* layout.paragraph(testersText(report), { above: 8 });
  if (report.open.length > 0) yield* openTests(layout, report);
  yield* groups(layout, 'Section', report.bySection);
  yield* groups(layout, 'Squad', report.bySquad);
  yield* layout.end(`Report of ${timeText(report.madeAt)}`, report.runName);
}

function* title(layout: PdfLayout, report: RunReport, typeface: Typeface): Pages {
  const { runName, runDescription, query, lockedAt } = report;
  yield* layout.paragraph(runName, { face: bold, size: 20 });
  const state = lockedAt === null ? 'open' : `locked ${timeText(lockedAt)}`;
  yield* layout.paragraph(
    `Project ${report.projectName} · run ${report.runId} · created ${timeText(report.createdAt)} · ${state}`,
    { colour: grey, above: 2 },
  );
  let lacking = false;
  for (const text of shownTexts(report)) {
    lacking ||= lacks(typeface, text);
    yield paused;
  }
  if (lacking) {
    yield* layout.paragraph(
      'Letters that the typeface of this file lacks are shown as �. The HTML report of the run shows all of them.',
      { colour: grey, above: 4 },
    );
  }
  yield* layout.paragraph(report.verdict, { face: bold, above: 8 });
  if (runDescription !== '') yield* layout.paragraph(cut(runDescription, maxDescription, more), { above: 8 });
  if (query !== null) yield* layout.paragraph(`Only the tests that fit the query ${query}`, { above: 8 });
}

/** The ring, with the counts next to it. */
function* summary(layout: PdfLayout, counts: StatusCounts): Pages {
  yield* layout.needs(190);
  layout.add(ring(counts, margin + 80, layout.y - 90));
  const end = layout.y - 180;
  const shares = percentages(counts);
  const sums: ReadonlyArray<readonly [string, string, string, string]> = [
    ['Status', 'Tests', '%', black],
    ...testStatuses.map(
      (status) => [status, String(counts[status]), shares[status].toFixed(1), statusColours[status]] as const,
    ),
    ['total', String(counts.total), '', black],
  ];
  layout.y -= 24;
  for (const [name, count, share, colour] of sums) {
    layout.y -= 18;
    for (const line of layout.lines(name, { face: bold, size: 10 }))
      layout.draw(line, bold, { x: margin + 190, size: 10, colour });
    const face = colour === black ? bold : regular;
    for (const [text, x] of [
      [count, margin + 300],
      [share, margin + 350],
    ] as const) {
      for (const line of layout.lines(text, { face, size: 10 }))
        layout.draw(line, face, { x: x - line.width, size: 10, colour: black });
    }
  }
  layout.y = end;
}

/** Column heads; those of numbers are right-aligned. */
const heads = (names: readonly string[], isNumber: (at: number) => boolean) =>
  names.map((text, at) => ({ text, face: bold, toRight: isNumber(at) }));

function* groups(layout: PdfLayout, called: string, all: readonly Group[]): Pages {
  if (all.length === 0) return;
  yield* layout.heading(`By ${called.toLowerCase()}`);
  const numbers = ['total', ...testStatuses, 'passed %'];
  const widths = [inner - numbers.length * 48, ...numbers.map(() => 48)];
  const rows = all
    .slice(0, shownGroups)
    .map(({ name, counts }) => [
      { text: cut(name, maxName, '…') },
      ...[
        counts.total,
        ...testStatuses.map((status) => counts[status]),
        percentages(counts).passed.toFixed(1),
      ].map((value) => ({ text: String(value), toRight: true })),
    ]);
  yield* layout.table(
    heads([called, ...numbers], (at) => at > 0),
    rows,
    widths,
  );
  yield* rest(layout, all.length - shownGroups);
}

function* openTests(layout: PdfLayout, { open, openTotal }: RunReport): Pages {
  yield* layout.heading('Failed, blocked, to be run again');
  const rows = open.map(({ testId, testName, section, status, comment, issues, files }) => [
    { text: testId === null ? '' : String(testId), toRight: true },
    { text: testName },
    { text: cut(section, maxName, '…') },
    { text: status, colour: statusColours[status] },
    {
      text: [
        cut([...issues, comment ?? ''].filter(Boolean).join(' · '), maxComment, more),
        cut(filesText({ files }), maxName, '…'),
      ]
        .filter(Boolean)
        .join('\n'),
    },
  ]);
  yield* layout.table(
    heads(['Id', 'Test', 'Section', 'Status', 'Comment'], (at) => at === 0),
    rows,
    [50, 140, 105, 50, inner - 345],
  );
  yield* rest(layout, openTotal - open.length);
}

function* rest(layout: PdfLayout, count: number): Pages {
  if (count > 0) yield* layout.paragraph(`… and ${count} more.`, { above: 4 });
}

const trendText = ({ trend }: RunReport): string =>
  `Passed in the last ${counted(trend.length, 'run')}, of the tests with a result: ${trend.map(({ passRate }) => `${passRate.toFixed(1)} %`).join(', ')}`;

const testersText = ({ testers }: RunReport): string =>
  `Who tested: ${testers.map(({ name, tests }) => `${cut(name, maxName, '…')} (${tests})`).join(', ')}`;

const shownTexts = ({
  query,
  runName,
  projectName,
  runDescription,
  bySection,
  bySquad,
  open,
  testers,
}: RunReport): readonly string[] => [
  query ?? '',
  ...testers.map(({ name }) => cut(name, maxName, '')),
  runName,
  projectName,
  cut(runDescription, maxDescription, ''),
  ...[...bySection.slice(0, shownGroups), ...bySquad.slice(0, shownGroups)].map(({ name }) =>
    cut(name, maxName, ''),
  ),
  ...open.flatMap(({ testName, section, comment, files }) => [
    cut(filesText({ files }), maxName, ''),
    testName,
    cut(section, maxName, ''),
    cut(comment ?? '', maxComment, ''),
  ]),
];
