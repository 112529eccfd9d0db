import { csvTable } from '../tables/csv-table.ts';

/** What TestRail's "Export to CSV" writes, steps in one row or in rows of their own. */
export const testrailCsv = csvTable({
  title: 'CSV of TestRail',
  source: 'testrail',
  marks: [
    ['ID', 'Title', 'Section Hierarchy'],
    ['Title', 'Steps (Step)', 'Steps (Expected Result)'],
    ['Title', 'Section', 'Section Depth'],
  ],
  columns: {
    id: 'externalId',
    title: 'testName',
    description: 'testDescription',
    preconditions: 'preconditions',
    steps: 'steps',
    stepsstep: 'stepAction',
    stepsadditionalinfo: 'stepData',
    stepsexpectedresult: 'stepExpected',
    expectedresult: 'expected',
    sectionhierarchy: 'sectionPath',
    section: 'sectionPath',
    priority: 'priority',
    type: 'type',
    estimate: 'estimateSeconds',
    labels: 'labels',
    references: 'refs',
  },
  hasHtml: true,
  isNumbered: true,
});
