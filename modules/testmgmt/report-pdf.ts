import { donut, shownGroups, statusColours, type Group, type RunReport } from './report.ts';
import { percentages, testStatuses } from './run-status.ts';

/**
 * The report as PDF: real text, the ring, page numbers. Letters that the built-in typeface lacks (it has Latin, Greek and
 * Cyrillic) are shown as an empty box; the HTML report shows all.
 */
export async function reportPdf(report: RunReport): Promise<Uint8Array> {
  // Loaded when it is needed: the writer and its typeface are 3 MB that no other call wants in memory.
  const [{ default: pdf }, { default: typeface }] = await Promise.all([
    import('pdfmake/build/pdfmake.min.js'),
    import('pdfmake/build/vfs_fonts.js'),
  ]);
  pdf.addVirtualFileSystem(typeface);
  return pdf.createPdf(documentOf(report)).getBuffer();
}

/** What is on the pages, in the words of the writer. Pure. */
export function documentOf(report: RunReport): Record<string, unknown> {
  const { counts, runName, runDescription, open, openTotal } = report;
  const shares = percentages(counts);
  const heading = (text: string) => ({ text, fontSize: 14, bold: true, margin: [0, 16, 0, 6] });
  const sum = {
    table: {
      body: [
        ['Status', 'Tests', '%'].map((text) => ({ text, bold: true })),
        ...testStatuses.map((status) => [
          { text: status, color: statusColours[status], bold: true },
          right(counts[status]),
          right(shares[status].toFixed(1)),
        ]),
        [{ text: 'total', bold: true }, right(counts.total), ''],
      ],
    },
    layout: 'lightHorizontalLines',
    margin: [24, 12, 0, 0],
  };
  return {
    info: { title: runName, creator: 'Trivet' },
    pageSize: 'A4',
    pageMargins: [40, 40, 40, 50],
    defaultStyle: { fontSize: 9 },
    content: [
      { text: runName, fontSize: 20, bold: true },
      {
        text: `Project ${report.projectName} · run ${report.runId} · created ${report.createdAt} · ${
          report.lockedAt === null ? 'open' : `locked ${report.lockedAt}`
        }`,
        color: '#616161',
        margin: [0, 2, 0, 8],
      },
      ...(runDescription === '' ? [] : [runDescription]),
      {
        columns: [
          { svg: donut(counts), width: 160 },
          { ...sum, width: 'auto' },
        ],
        margin: [0, 8, 0, 0],
      },
      ...groupTable('Section', report.bySection, heading),
      ...groupTable('Squad', report.bySquad, heading),
      ...(open.length === 0
        ? []
        : [
            heading('Failed, blocked, to be run again'),
            {
              table: {
                headerRows: 1,
                widths: ['auto', '*', '*', 'auto', '*'],
                body: [
                  ['Id', 'Test', 'Section', 'Status', 'Comment'].map((text) => ({ text, bold: true })),
                  ...open.map(({ testId, testName, section, status, comment }) => [
                    right(testId),
                    testName,
                    section,
                    { text: status, color: statusColours[status] },
                    comment ?? '',
                  ]),
                ],
              },
              layout: 'lightHorizontalLines',
            },
            ...more(openTotal, open.length),
          ]),
    ],
    footer: (page: number, pages: number) => ({
      columns: [`Report of ${report.madeAt}`, { text: `${page} / ${pages}`, alignment: 'right' }],
      margin: [40, 16, 40, 0],
      fontSize: 8,
      color: '#616161',
    }),
  };
}

const right = (value: number | string) => ({ text: String(value), alignment: 'right' });

const more = (all: number, shown: number) =>
  all > shown ? [{ text: `… and ${all - shown} more.`, margin: [0, 4, 0, 0] }] : [];

function groupTable(title: string, groups: readonly Group[], heading: (text: string) => object): object[] {
  if (groups.length === 0) return [];
  const head = [title, 'total', ...testStatuses, 'passed %'];
  return [
    heading(`By ${title.toLowerCase()}`),
    {
      table: {
        headerRows: 1,
        widths: ['*', ...head.slice(1).map(() => 'auto')],
        body: [
          head.map((text) => ({ text, bold: true })),
          ...groups
            .slice(0, shownGroups)
            .map(({ name, counts }) => [
              name,
              right(counts.total),
              ...testStatuses.map((status) => right(counts[status])),
              right(percentages(counts).passed.toFixed(1)),
            ]),
        ],
      },
      layout: 'lightHorizontalLines',
    },
    ...more(groups.length, shownGroups),
  ];
}
