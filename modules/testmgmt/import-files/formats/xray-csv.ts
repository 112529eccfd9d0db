import { isObject } from '../../../../core/json/json-scan.ts';
import { csvTable } from '../tables/csv-table.ts';
import type { RowCells } from '../tables/table-reader.ts';

/** Jira shows its usual priorities by name, and files for Xray's importer have their ids. */
const priorities = { '1': 'Highest', '2': 'High', '3': 'Medium', '4': 'Low', '5': 'Lowest' };

/** Reads the members of Xray's steps, `{ fields: { Action, Data, "Expected Result" } }` or without `fields`. */
function stepsOfXray(text: string): string {
  if (!text.startsWith('[') || text.length > 1_000_000) return text;
  try {
    const steps = JSON.parse(text) as unknown;
    if (!Array.isArray(steps) || steps.length > 1_000) return text;
    const read = steps.filter(isObject).map((step) => {
      const fields = isObject(step['fields']) ? step['fields'] : step;
      const of = (...names: string[]) =>
        names.map((name) => fields[name]).find((value) => typeof value === 'string' && value.trim() !== '');
      const [action, data, expected] = [
        of('Action', 'action'),
        of('Data', 'data'),
        of('Expected Result', 'result'),
      ];
      return { action: action ?? '–', ...(data ? { data } : {}), ...(expected ? { expected } : {}) };
    });
    return read.length === 0 ? '' : JSON.stringify(read);
  } catch {
    // Not the steps of Xray: the text stays a text.
    return text;
  }
}

/** The texts of the preconditions that a cell names; the cell itself where it names others. */
function textOfConditions(cell: string, conditions: ReadonlyMap<string, string>): string {
  if (cell.length > 1_000) return cell;
  const texts = cell.split(/[;,]/).map((id) => conditions.get(id.trim()));
  return texts.every((text) => text !== undefined) ? texts.join('\n') : cell;
}

/** Rows of other issues are left out; a precondition's text goes to the tests that name it. */
function rowReader() {
  const conditions = new Map<string, string>();
  return (row: RowCells): RowCells | null => {
    const kind = (row['x.issueType'] ?? '').trim().toLowerCase().replaceAll(/[\s-]/g, '');
    if (kind === 'precondition') {
      const text = row.testDescription ?? row.testName ?? '';
      for (const id of [row.group, row.externalId]) if (id !== undefined) conditions.set(id.trim(), text);
      return null;
    }
    if (kind !== '' && kind !== 'test') return null;
    const { labels, preconditions, steps } = row;
    return {
      ...row,
      ...(labels !== undefined && { labels: labels.replaceAll(/[;\s]+/g, ',') }),
      ...(steps !== undefined && { steps: stepsOfXray(steps.trim()) }),
      ...(preconditions !== undefined && { preconditions: textOfConditions(preconditions, conditions) }),
    };
  };
}

/**
 * Tests of Xray: the issues that Jira exports as CSV, with `Custom field (…)`, and the files of its Test Case Importer, with one step in
 * each row. The key of the issue is the id; the number that only groups rows (`Issue ID`, `TCID`) means nothing in another file.
 */
export const xrayCsv = csvTable({
  title: 'CSV of Xray',
  source: 'xray',
  marks: [
    ['Issue key', 'Summary'],
    ['Issue Key', 'Test Summary'],
    ['TCID', 'Action'],
    ['Test Summary', 'Action'],
    ['Summary', 'Action', 'Test Type'],
  ],
  columns: {
    issuekey: 'externalId',
    key: 'externalId',
    issueid: 'group',
    tcid: 'group',
    testid: 'group',
    testcaseidentifier: 'group',
    testsummary: 'testName',
    summary: 'testName',
    description: 'testDescription',
    precondition: 'preconditions',
    preconditions: 'preconditions',
    testpriority: 'priority',
    priority: 'priority',
    action: 'stepAction',
    stepaction: 'stepAction',
    step: 'stepAction',
    data: 'stepData',
    stepdata: 'stepData',
    expectedresult: 'stepExpected',
    stepexpectedresult: 'stepExpected',
    result: 'stepExpected',
    customfieldmanualteststeps: 'steps',
    gherkindefinition: 'steps',
    customfieldcucumberscenario: 'steps',
    unstructureddefinition: 'steps',
    customfieldgenerictestdefinition: 'steps',
    testrepo: 'sectionPath',
    testrepositorypath: 'sectionPath',
    testrepository: 'sectionPath',
    customfieldtestrepositorypath: 'sectionPath',
    labels: 'labels',
    label: 'labels',
    links: 'refs',
    outwardissuelinktests: 'refs',
    outwardissuelinktest: 'refs',
    issuetype: 'x.issueType',
  },
  pathSeparator: '/',
  values: { priority: priorities },
  rowReader,
});
