import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';
import type { TableName } from './checkmate-table.ts';
import { openStage } from './stage.ts';
import { importStaged } from './staged-import.ts';

/* What a later import does with what was deleted here. */

let trivet: TestKernel;
let tools: Awaited<ReturnType<typeof toolsOf>>;
beforeAll(async () => {
  trivet = await startTestKernel();
  tools = await toolsOf(trivet);
});
afterAll(() => trivet.stop());

type Row = readonly [table: TableName, cells: Readonly<Record<string, unknown>>];

async function imported(...rows: readonly Row[]) {
  const stage = openStage();
  for (const [table, cells] of rows) stage.add(table, cells);
  stage.close();
  const asked = { source: 'checkmate', orgId: undefined, isDryRun: false, isUtc: true, show: () => {} };
  try {
    return await importStaged(trivet.kernel.host, stage, asked);
  } finally {
    stage.remove();
  }
}

const inProject = { projectId: 11, createdOn: new Date(Date.UTC(2024, 0, 1)) };
const section = (sectionId: number, sectionName: string, parentId: number | null = null): Row => [
  'sections',
  { ...inProject, sectionId, sectionName, parentId },
];
const caseOf = (testId: number, title: string, sectionId: number): Row => [
  'tests',
  { ...inProject, testId, title, sectionId, status: 'Active' },
];
const first: readonly Row[] = [
  ['organisations', { orgId: 5, orgName: 'Acme' }],
  ['projects', { ...inProject, orgId: 5, projectName: 'Shop', status: 'Active' }],
  section(21, 'Checkout'),
  section(22, 'Payment', 21),
  section(23, 'Account'),
  caseOf(101, 'old', 22),
];

describe('a section that was deleted here', () => {
  test('stays deleted: what is new in it comes to the top, and is found', async () => {
    const [project] = (await imported(...first)).projects;
    const projectId = project?.projectId ?? 0;
    const read = async (tool: string, list: string, args: object = {}) =>
      (await tools.call(tool, { projectId, ...args }))[list] as Array<Record<string, unknown>>;
    const before = await read('get-sections', 'sections');
    const checkout = before.find(({ sectionName }) => sectionName === 'Checkout');
    await tools.call('delete-section', { sectionId: checkout?.['sectionId'], withContents: true });
    const news = [section(24, 'Refund', 22), caseOf(102, 'new', 22), caseOf(103, 'newer', 24)];
    const { notes } = await imported(...first, ...news);
    expect((await read('get-sections', 'sections')).map((one) => one['sectionPath'])).toEqual([
      ['Account'],
      ['Refund'],
    ]);
    const paths = (await read('get-tests', 'tests')).map((one) => [one['testName'], one['sectionPath']]);
    expect(paths).toEqual([
      ['new', []],
      ['newer', ['Refund']],
    ]);
    expect(await read('get-tests', 'tests', { query: 'section:Refund' })).toHaveLength(1);
    expect(notes).toEqual([
      { what: 'sections without a place in the tree: at the top', count: 1 },
      { what: 'tests of sections that are not there: in no section', count: 1 },
    ]);
  });
});
