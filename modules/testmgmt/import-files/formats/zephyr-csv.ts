import { csvTable } from '../tables/csv-table.ts';
import type { RowCells } from '../tables/table-reader.ts';

/** Its estimates are `hh:mm` or `hh:mm:ss`; its labels have no spaces. */
const rowReader =
  () =>
  (row: RowCells): RowCells => {
    const clock = /^(\d{1,4}):(\d{2})(?::(\d{2}))?$/.exec((row.estimateSeconds ?? '').trim());
    const [, hours = '0', minutes = '0', seconds = '0'] = clock ?? [];
    return {
      ...row,
      ...(row.labels !== undefined && { labels: row.labels.replaceAll(/[;\s]+/g, ',') }),
      ...(clock && {
        estimateSeconds: String(Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)),
      }),
    };
  };

/** What Zephyr Scale exports as CSV: one row for each step. */
export const zephyrCsv = csvTable({
  title: 'CSV of Zephyr Scale',
  source: 'zephyr',
  marks: [
    ['Name', 'Test Script (Step-by-Step) - Step'],
    ['Name', 'Objective', 'Precondition', 'Folder'],
  ],
  columns: {
    key: 'externalId',
    name: 'testName',
    objective: 'testDescription',
    precondition: 'preconditions',
    folder: 'sectionPath',
    priority: 'priority',
    labels: 'labels',
    estimatedtime: 'estimateSeconds',
    coverageissues: 'refs',
    testscriptstepbystepstep: 'stepAction',
    testscriptstepbysteptestdata: 'stepData',
    testscriptstepbystepexpectedresult: 'stepExpected',
    testscriptplaintext: 'steps',
    testscriptbdd: 'steps',
  },
  pathSeparator: '/',
  hasHtml: true,
  rowReader,
});
