import { csvTable } from '../tables/csv-table.ts';
import type { KnownColumns } from '../tables/column-mapping.ts';
import { ownColumns } from './own-csv.ts';

/**
 * Headers of spreadsheets that people write. The caller's mapping goes before. A column "ID" is not taken for an external id: two
 * spreadsheets may both count from 1.
 */
export const usualHeaders: KnownColumns = {
  ...ownColumns,
  externalid: 'externalId',
  issuekey: 'externalId',
  name: 'testName',
  testcase: 'testName',
  testcasename: 'testName',
  summary: 'testName',
  case: 'testName',
  objective: 'testDescription',
  precondition: 'preconditions',
  prerequisites: 'preconditions',
  step: 'stepAction',
  teststep: 'stepAction',
  testresult: 'stepExpected',
  action: 'stepAction',
  stepaction: 'stepAction',
  testdata: 'stepData',
  data: 'stepData',
  expected: 'expected',
  expectedresults: 'expected',
  folder: 'sectionPath',
  suite: 'sectionPath',
  module: 'sectionPath',
  testtype: 'type',
  automation: 'automationStatus',
  tags: 'labels',
  requirements: 'refs',
  estimatedtime: 'estimateSeconds',
};

/** Any CSV; its columns are guessed by their names, and the caller maps the others. */
export const mappedTable = csvTable({
  title: 'CSV of any columns, with a mapping',
  source: 'table',
  marks: [[]],
  columns: usualHeaders,
  isGuarded: true,
  isNumbered: true,
});
