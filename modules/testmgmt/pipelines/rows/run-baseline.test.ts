import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { junitText } from '../../testing/junit-text.ts';
import { startTestmgmtKernel } from '../../testing/testmgmt-kernel.ts';
import { defaultBranches, type BuildSource } from './run-baseline.ts';

/* One rule for `trivet results`, compare-runs and the console, which calls compare-runs. @see issue 13, 43 */

test.each<[Pick<BuildSource, 'branch' | 'baseBranch'>, string[]]>([
  [{}, ['main', 'master', 'trunk', 'develop']],
  [{ branch: 'main' }, ['master', 'trunk', 'develop']],
  [{ branch: 'a', baseBranch: 'release' }, ['release', 'main', 'master', 'trunk', 'develop']],
  [{ branch: 'a', baseBranch: 'master' }, ['master', 'main', 'trunk', 'develop']],
])('%j may be compared with %j', (source, branches) => expect(defaultBranches(source)).toEqual(branches));

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;
const runs = new Map<string, number>();

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
});
beforeEach(async () => {
  projectId = await trivet.makeProject();
  runs.clear();
});

const unit = { provider: 'github', repository: 'acme/shop', workflow: 'unit' };
const e2e = { ...unit, workflow: 'e2e' };

async function upload(name: string, source: object): Promise<unknown> {
  const files = [{ name: 'a.xml', content: junitText({ a: ['first case', 'second case'] }) }];
  const input = { projectId, runKey: name, files, ...source };
  const report = await trivet.call('ingest-results', input);
  runs.set(name, Number(report['runId']));
  return nameOf((report['comparedWith'] as { runId: number } | null)?.runId);
}
async function byHand(name: string): Promise<void> {
  const { tests } = (await trivet.call('get-tests', { projectId })) as { tests: Array<{ testId: number }> };
  runs.set(
    name,
    await trivet.makeRun(
      projectId,
      tests.map(({ testId }) => testId),
    ),
  );
}
const nameOf = (runId: number | undefined) =>
  [...runs].find(([, id]) => id === runId)?.[0] ?? (runId === undefined ? undefined : 'another');
async function comparedBy(name: string): Promise<unknown> {
  try {
    const answer = await trivet.call('compare-runs', { projectId, runId: runs.get(name) });
    return nameOf(Number(answer['againstRunId']));
  } catch (error) {
    return (error as { code: string }).code === 'RUN_NOT_FOUND' ? undefined : error;
  }
}

describe('a run is compared with', () => {
  const main = { ...unit, branch: 'main' };
  test.each<[string, ReadonlyArray<readonly [string, object | 'hand']>, string | undefined]>([
    ['none, if there is none', [['now', main]], undefined],
    [
      'the last of its branch',
      [
        ['a', main],
        ['b', main],
        ['other', { ...unit, branch: 'x' }],
        ['now', main],
      ],
      'b',
    ],
    [
      'not one of another pipeline',
      [
        ['a', main],
        ['e2e', { ...e2e, branch: 'main' }],
        ['now', main],
      ],
      'a',
    ],
    [
      'none, if only another pipeline ran',
      [
        ['e2e', { ...e2e, branch: 'main' }],
        ['now', main],
      ],
      undefined,
    ],
    [
      'not what a person did',
      [
        ['a', main],
        ['person', 'hand'],
        ['now', main],
      ],
      'a',
    ],
    [
      'of a new branch: the branch that it goes to',
      [
        ['main', main],
        ['release', { ...unit, branch: 'release' }],
        ['now', { ...unit, branch: 'new', baseBranch: 'release' }],
      ],
      'release',
    ],
    [
      'of a new branch that goes nowhere: the default branch',
      [
        ['main', main],
        ['other', { ...unit, branch: 'other' }],
        ['now', { ...unit, branch: 'new' }],
      ],
      'main',
    ],
    [
      'where master is the default branch: that',
      [
        ['master', { ...unit, branch: 'master' }],
        ['now', { ...unit, branch: 'new', baseBranch: 'gone' }],
      ],
      'master',
    ],
    [
      'without a branch: the last without one',
      [
        ['none', unit],
        ['main', main],
        ['now', unit],
      ],
      'none',
    ],
    [
      'without a branch and any before: the default branch',
      [
        ['main', main],
        ['x', { ...unit, branch: 'x' }],
        ['now', unit],
      ],
      'main',
    ],
    [
      'outside of a CI: the last outside of a CI',
      [
        ['a', {}],
        ['main', main],
        ['now', {}],
      ],
      'a',
    ],
  ])('%s', async (_title, builds, expected) => {
    let said: unknown;
    for (const [name, source] of builds)
      if (source === 'hand') await byHand(name);
      else said = await upload(name, source as object);
    expect([said, await comparedBy('now')]).toEqual([expected, expected]);
  });

  test('of people: the run of people before', async () => {
    await upload('first', main);
    await byHand('mine');
    await upload('second', main);
    await byHand('now');
    expect(await comparedBy('now')).toBe('mine');
    expect(await comparedBy('mine')).toBeUndefined();
  });

  test('not a deleted one', async () => {
    await upload('a', main);
    await upload('b', main);
    await trivet.call('delete-run', { projectId, runId: runs.get('b') });
    expect(await upload('now', main)).toBe('a');
    expect(await comparedBy('now')).toBe('a');
  });
});

test('a run in which nothing was reported is no run to compare with', async () => {
  const cases = [{ name: 'first case', failed: 'no' }, 'second case'];
  const ingest = (runKey: string, content: string) =>
    trivet.call('ingest-results', { projectId, runKey, files: [{ name: 'a.xml', content }], ...unit });
  const first = await ingest('a', junitText({ a: cases }));
  await ingest('b', '<testsuites/>');
  const third = await ingest('c', junitText({ a: cases }));
  expect(third).toMatchObject({ comparedWith: { runId: first['runId'] }, newlyFailingCount: 0 });
});

/** @see A run was compared with one of other tests without any result, and "none new" was said of what failed. */
test('a manual run is compared with the last one that has tests of it, if possible with results', async () => {
  const [one, two, three] = await trivet.makeTests(projectId, 3);
  if (one === undefined || two === undefined || three === undefined) throw new Error('no test');
  const run = async (name: string, testIds: readonly number[], tested = false) => {
    const runId = await trivet.makeRun(projectId, [...testIds]);
    runs.set(name, runId);
    const testResults = testIds.map((testId) => ({ testId, status: 'passed' }));
    if (tested) await trivet.call('run-update-test-status', { projectId, runId, testResults });
  };
  await run('tested', [one, two], true);
  await run('untested', [one, two]);
  await run('of other tests', [three], true);
  await run('now', [two]);
  expect(await comparedBy('now')).toBe('tested');
  expect(await comparedBy('untested')).toBe('tested');
  expect(await comparedBy('of other tests')).toBeUndefined();
  await run('of others', [three]);
  expect(await comparedBy('of others')).toBe('of other tests');
});
