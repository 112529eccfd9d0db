import { afterAll, beforeAll, expect, test } from 'bun:test';
import { projects, results } from '../base/schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';

/*
 * A client written from the interface specification sends no limit where the specification has none, and continues where a result says so.
 */
let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

/** All rows of a list, and the number of its pages. */
async function readToEnd(tool: string, input: object, plural: string) {
  const rows: unknown[] = [];
  let answers = 0;
  for (let offset: unknown = undefined; ; answers++) {
    const answer = await trivet.call(tool, offset === undefined ? input : { ...input, offset });
    rows.push(...(answer[plural] as unknown[]));
    offset = answer['nextOffset'];
    if (offset === undefined) {
      expect(rows.length).toBe(Number(answer['total']));
      return { rows: rows.length, answers: answers + 1 };
    }
  }
}

test('no list without a limit in the specification misses its row 51, none its row 501', async () => {
  const { call, kernel } = trivet;
  const projectId = await trivet.makeProject();
  const ids = await trivet.makeTests(projectId, 501);
  const runId = await trivet.makeRun(projectId, ids);
  const [testId = 0] = ids;
  await kernel.host.db.tx(async (q) => {
    await q
      .insert(results)
      .values(ids.map((_, at) => ({ runId, testId, status: 'passed' as const, comment: null, by: 1, at })));
    const [project] = await q.select().from(projects);
    if (!project) throw new Error('no project');
    const { id: _, ...row } = project;
    for (const part of [100, 100, 100, 100, 100]) {
      await q.insert(projects).values(Array.from({ length: part }, () => ({ ...row, orgId: 1 })));
    }
  });
  const names = Array.from({ length: 251 }, (_, n) => `name ${n}`);
  const more = names.map((name) => `more ${name}`);
  for (const some of [names, more]) {
    await call('add-labels', { projectId, labels: some });
    await call('add-squads', { projectId, squads: some });
  }
  const sections = [...names, ...more].slice(0, 60);
  for (const name of sections) await trivet.makeSection(projectId, name);

  const run = { projectId, runId };
  const lists: ReadonlyArray<readonly [string, object, string, number]> = [
    ['get-projects', { orgId: 1 }, 'projects', 501],
    ['get-run-tests-list', run, 'tests', 501],
    ['get-run-test-status', run, 'tests', 501],
    ['get-test-status-history', { projectId, testId }, 'history', 501],
    ['get-test-status-history-in-run', { runId, testId }, 'history', 501],
    ['get-labels', { projectId }, 'labels', 502],
    ['get-squads', { projectId }, 'squads', 502],
  ];
  for (const [tool, input, plural, rows] of lists) {
    expect([tool, await readToEnd(tool, input, plural)]).toEqual([tool, { rows, answers: 2 }]);
  }
  expect(await readToEnd('get-sections', { projectId }, 'sections')).toEqual({ rows: 60, answers: 1 });
  // These two have a limit of 50 in the interface specification.
  expect(await readToEnd('get-tests', { projectId }, 'tests')).toEqual({ rows: 501, answers: 11 });
  expect(await readToEnd('get-runs', { projectId }, 'runs')).toEqual({ rows: 1, answers: 1 });
}, 60_000);
