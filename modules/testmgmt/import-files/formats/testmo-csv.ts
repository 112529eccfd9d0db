import { csvTable } from '../tables/csv-table.ts';

/** What Testmo exports of a repository as CSV. */
export const testmoCsv = csvTable({
  title: 'CSV of Testmo',
  source: 'testmo',
  marks: [
    ['Case ID', 'Case'],
    ['Case ID', 'Folder'],
  ],
  columns: {
    caseid: 'externalId',
    case: 'testName',
    name: 'testName',
    folder: 'sectionPath',
    description: 'testDescription',
    preconditions: 'preconditions',
    precondition: 'preconditions',
    stepsstep: 'stepAction',
    stepsexpected: 'stepExpected',
    stepsexpectedresult: 'stepExpected',
    steps: 'steps',
    expected: 'expected',
    tags: 'labels',
    priority: 'priority',
    testtype: 'type',
    estimate: 'estimateSeconds',
    issues: 'refs',
  },
  hasHtml: true,
});
