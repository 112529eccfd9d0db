import { byName } from '../../rules/classification.ts';
import { csvTable } from '../tables/csv-table.ts';
import { plainHeader } from '../tables/table-fields.ts';

/**
 * The columns of Trivet's export, and those of the CSV files of Checkmate ("Title", "Section" with `A > B`, "Expected Result") and TestRail
 * ("Section Hierarchy", "Steps (Step)").
 */
export const ownColumns = {
  testname: 'testName',
  title: 'testName',
  testdescription: 'testDescription',
  description: 'testDescription',
  preconditions: 'preconditions',
  steps: 'steps',
  stepsstep: 'stepAction',
  stepsadditionalinfo: 'stepData',
  stepsexpectedresult: 'stepExpected',
  expectedresult: 'expected',
  sectionpath: 'sectionPath',
  sectionhierarchy: 'sectionPath',
  section: 'sectionPath',
  ...(Object.fromEntries(Object.keys(byName(() => 0)).map((kind) => [kind.toLowerCase(), kind])) as Record<
    string,
    'priority'
  >),
  squad: 'squad',
  estimateseconds: 'estimateSeconds',
  estimate: 'estimateSeconds',
  labels: 'labels',
  label: 'labels',
  refs: 'refs',
  references: 'refs',
  defects: 'defects',
  defect: 'defects',
} as const;

/** Columns of an export for which the importing project assigns new values. */
const assignedAnew = ['testId', 'projectId', 'createdBy', 'createdAt', 'updatedBy', 'updatedAt', 'deletedAt'];

export const ownCsv = csvTable({
  title: 'CSV of Trivet or Checkmate',
  source: null,
  marks: [
    ['testName', 'sectionPath'],
    ['Title', 'Test Covered By'],
  ],
  columns: { ...ownColumns, otherlinks: 'otherLinks' },
  silent: new Set(assignedAnew.map(plainHeader)),
  isGuarded: true,
});
