import { beforeAll, expect, test } from 'bun:test';
import { junitText } from '../testing/junit-text.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { rejectionOf } from '../../../test/rejection.ts';

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;
let runId: number;

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  await trivet.makeTests(projectId, 2);
  const upload = async (branch: string, commit: string, time: number) => {
    const content = junitText({
      'cart.test.ts': [
        { name: 'adds', time },
        { name: 'removes', time: 3, failed: 'no' },
      ],
      'Pay.test.ts': [{ name: 'pays', time: 120 }],
    });
    const input = { projectId, branch, commit, runKey: commit, files: [{ name: 'a.xml', content }] };
    runId = Number((await trivet.call('ingest-results', input))['runId']);
  };
  await upload('main', '1a2b3c4d', 5);
  await upload('feature/cart', 'ABCDEF00', 0.25);
});

test.each([
  ['key:cart', ['adds', 'removes']],
  ['key:PAY', ['pays']],
  ['key:="Pay.test.ts > pays"', ['pays']],
  ['key:="Pay.test.ts > pay"', []],
  ['-key:test.ts', ['t0', 't1']],
  ['duration:>2s', ['removes', 'pays']],
  ['duration:250ms', ['adds']],
  ['duration:0.25', ['adds']],
  ['duration:<1', ['adds']],
  ['duration:1s..3s', ['removes']],
  ['duration:2m', ['pays']],
  ['duration:none', ['t0', 't1']],
  ['-duration:none', ['adds', 'removes', 'pays']],
  ['-duration:>1s', ['t0', 't1', 'adds']],
  ['key:cart last:failed duration:>=3s', ['removes']],
])('tests: %s', async (query, names) => {
  const { tests, total } = await trivet.call('get-tests', { projectId, query });
  expect((tests as Array<{ testName: string }>).map(({ testName }) => testName)).toEqual(names);
  expect(total).toBe(names.length);
});

test.each([
  ['duration:>2s', 2],
  ['key:cart duration:<1s', 1],
])('tests of a run: %s', async (query, total) => {
  expect(await trivet.call('get-run-tests-list', { projectId, runId, query })).toMatchObject({ total });
});

test.each([
  ['branch:main', 1],
  ['branch:cart', 1],
  ['branch:=cart', 0],
  ['branch:=FEATURE/CART', 1],
  ['commit:1a2b', 1],
  ['commit:abcdef', 1],
  ['commit:2b3c', 0],
  ['-branch:main', 1],
])('runs: %s', async (query, total) => {
  expect(await trivet.call('get-runs', { projectId, query })).toMatchObject({ total });
});

test('a run has failures also if only cases of no test failed', async () => {
  const project = await trivet.makeProject();
  const upload = async (runKey: string, failed?: string) => {
    const content = junitText({ 'a.test.ts': [{ name: 'one' }, { name: 'two', ...(failed && { failed }) }] });
    const input = { projectId: project, create: false, runKey, files: [{ name: 'a.xml', content }] };
    return Number((await trivet.call('ingest-results', input))['runId']);
  };
  await upload('passes');
  const fails = await upload('fails', 'no');
  const found = async (query: string) =>
    (await trivet.call('get-runs', { projectId: project, query, fields: ['runId'] }))['runs'];
  expect(await found('has:failed')).toEqual([{ runId: fails }]);
  expect(await found('-has:failed')).toHaveLength(1);
});

test.each(['duration:soon', 'duration:>', 'branch:>main', 'duration:5x'])('%s is refused', async (query) => {
  const tool = query.startsWith('branch') ? 'get-runs' : 'get-tests';
  expect(await rejectionOf(trivet.call(tool, { projectId, query }))).toMatchObject({ code: 'INVALID_QUERY' });
});
