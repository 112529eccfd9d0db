import { joined } from '../../rules/name-list.ts';
import { csvTable } from '../tables/csv-table.ts';
import type { RowCells } from '../tables/table-reader.ts';
import { qaseValues } from './qase-values.ts';

interface Suite {
  readonly name: string;
  readonly parent: string;
}

/** Most nested suites that are followed; a circle ends here. */
const maxDepth = 33;

/** Rows of suites come before their cases: they have `suite_without_cases`, and a case names its suite by id. */
function rowReader() {
  const suites = new Map<string, Suite>();
  return (row: RowCells): RowCells | null => {
    const [id = '', parent = '', name = ''] = [row['x.suiteId'], row['x.suiteParent'], row['x.suite']];
    if (row.testName === undefined) {
      if (id !== '') suites.set(id, { name, parent });
      return null;
    }
    const path: string[] = [];
    for (let at = id; at !== '' && path.length < maxDepth;) {
      const suite = suites.get(at);
      if (!suite) break;
      path.unshift(suite.name);
      at = suite.parent;
    }
    if (path.length === 0 && name !== '') path.push(name);
    return path.length === 0 ? row : { ...row, sectionPath: joined(path, '>') };
  };
}

/** What Qase exports as CSV: the old columns begin with `id`, those of version 2 with `v2.id`. */
export const qaseCsv = csvTable({
  title: 'CSV of Qase',
  source: 'qase',
  marks: [
    ['v2.id', 'title'],
    ['title', 'steps_actions', 'suite_id'],
    ['title', 'steps_actions', 'suite'],
  ],
  columns: {
    v2id: 'externalId',
    id: 'externalId',
    title: 'testName',
    description: 'testDescription',
    preconditions: 'preconditions',
    stepsactions: 'steps',
    stepsdata: 'data',
    stepsresult: 'expected',
    tags: 'labels',
    priority: 'priority',
    type: 'type',
    automation: 'automationStatus',
    suiteid: 'x.suiteId',
    suiteparentid: 'x.suiteParent',
    suite: 'x.suite',
    suitewithoutcases: 'x.isSuite',
  },
  isNumbered: true,
  isQuoted: true,
  values: qaseValues,
  supplies: ['sectionPath'],
  rowReader,
});
