import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

interface InRun {
  readonly testId: number;
  readonly status: string;
  readonly comment: string | null;
}

interface Changes {
  readonly cursor: string;
  readonly more: boolean;
  readonly membershipChanged: boolean;
  readonly run: { readonly counts: object; readonly status: string };
  readonly results: readonly InRun[];
}

/** A run of some tests, and two tests that are not in it. */
async function makeRunScene(size: number) {
  const projectId = await trivet.makeProject();
  const testIds = await trivet.makeTests(projectId, size + 2);
  const run = { projectId, runId: await trivet.makeRun(projectId, testIds.slice(0, size)) };
  const call = (tool: string, input: object = {}) => trivet.call(tool, { ...run, ...input });
  return {
    run,
    testIds: testIds.slice(0, size),
    others: testIds.slice(size),
    call,
    report: (ids: readonly number[], status: string, comment?: string) =>
      call('run-update-test-status', {
        testResults: ids.map((testId) => ({ testId, status, ...(comment ? { comment } : {}) })),
      }),
    changes: async (after?: string, limit = 500) =>
      (await call('get-run-changes', {
        ...(after === undefined ? {} : { after }),
        limit,
      })) as unknown as Changes,
    list: async () => (await call('get-run-tests-list'))['tests'] as InRun[],
  };
}

const attach = ({ call, testIds: [testId] }: Scene) =>
  call('add-attachment', { testId, fileName: 'a.txt', base64: 'YQ==' });

type Scene = Awaited<ReturnType<typeof makeRunScene>>;

/** A change of a run of four tests, the reported tests (by position), and whether the list must be read again. */
const happenings: ReadonlyArray<
  readonly [title: string, (scene: Scene) => Promise<unknown>, changed: number[], membershipChanged: boolean]
> = [
  ['nothing', async () => {}, [], false],
  ['one result', ({ report, testIds: [a = 0] }) => report([a], 'passed'), [0], false],
  ['a comment alone', ({ report, testIds: [a = 0] }) => report([a], 'untested', 'why'), [0], false],
  ['the result that it has', ({ report, testIds }) => report(testIds, 'untested'), [], false],
  ['several results', ({ report, testIds: [, b = 0, c = 0] }) => report([b, c], 'failed'), [1, 2], false],
  [
    'two results of one test',
    async ({ report, testIds: [a = 0] }) => {
      await report([a], 'failed');
      await report([a], 'passed');
    },
    [0],
    false,
  ],
  ['a reset', ({ call }) => call('run-reset'), [0, 1, 2, 3], false],
  ['a file', (scene) => attach(scene), [], false],
  [
    'a link, and none any more',
    async ({ call, testIds: [a] }) => {
      await call('add-links', { testIds: [a], links: [{ kind: 'defect', key: 'SHOP-12' }] });
      await call('remove-links', { testIds: [a], key: 'SHOP-12' });
    },
    [],
    false,
  ],
  ['another name', ({ call }) => call('edit-run', { runName: 'x' }), [], false],
  ['a lock', ({ call }) => call('run-lock'), [], false],
  ['tests that are added', ({ call, others }) => call('add-tests-to-run', { testIds: others }), [], true],
  ['tests that are in it', ({ call, testIds }) => call('add-tests-to-run', { testIds }), [], false],
  [
    'as many tests added as removed',
    async ({ call, testIds: [a], others: [e] }) => {
      await call('run-remove-tests', { testIds: [a] });
      await call('add-tests-to-run', { testIds: [e] });
    },
    [],
    true,
  ],
];

describe('changes of a run', () => {
  test.each(happenings)('%s', async (_, happen, changed, membershipChanged) => {
    const scene = await makeRunScene(4);
    const { cursor, ...first } = await scene.changes();
    expect(first).toMatchObject({ results: [], more: false, membershipChanged: false });
    await happen(scene);
    const detail = await scene.call('run-detail');
    const next = await scene.changes(cursor);
    expect(next).toMatchObject({ membershipChanged, more: false, run: detail });
    const wanted = new Set(changed.map((at) => scene.testIds[at]));
    const list = await scene.list();
    expect(next.results).toEqual(list.filter(({ testId }) => wanted.has(testId)));
    // Nothing new after that, and the same response again for a caller who lost it.
    expect(await scene.changes(next.cursor)).toMatchObject({
      results: [],
      membershipChanged: false,
      cursor: next.cursor,
    });
    expect(await scene.changes(cursor)).toEqual(next);
  });

  /** Each is told, and changes no result: a result that somebody gives meanwhile is not refused. */
  test('a file and a link are told without a result that is newer', async () => {
    const scene = await makeRunScene(2);
    const { call, changes, list, report, testIds } = scene;
    await report(testIds, 'failed');
    const before = await list();
    let { cursor } = await changes();
    const told = async (change: () => Promise<unknown>, isTold: boolean) => {
      await change();
      const next = await changes(cursor);
      expect([next.cursor !== cursor, next.results]).toEqual([isTold, []]);
      ({ cursor } = next);
    };
    await told(() => attach(scene), true);
    await told(() => attach(scene), false);
    const link = { testIds, links: [{ kind: 'defect', key: 'SHOP-12' }] };
    await told(() => call('add-links', { ...link, dryRun: true }), false);
    await told(() => call('add-links', link), true);
    await told(() => call('add-links', link), false);
    await told(() => call('remove-links', { testIds, key: 'SHOP-12', dryRun: true }), false);
    await told(() => call('remove-links', { testIds, key: 'SHOP-12' }), true);
    const [file] = (await call('list-attachments'))['attachments'] as Array<{ attachmentId: number }>;
    const { projectId } = scene.run;
    await told(() => trivet.call('delete-attachment', { projectId, attachmentId: file?.attachmentId }), true);
    expect(await list()).toEqual(before);
  });

  test('two tests that become one', async () => {
    const { call, changes, testIds, run } = await makeRunScene(4);
    const other = await trivet.makeRun(run.projectId, testIds.slice(0, 1));
    const before = await changes();
    const cursor = (await trivet.call('get-run-changes', { ...run, runId: other }))['cursor'];
    const names = testIds.slice(0, 2);
    await call('run-remove-tests', { testIds: [names[1]] });
    const removed = await changes(before.cursor);
    expect(removed.membershipChanged).toBe(true);
    await trivet.call('merge-tests', {
      projectId: run.projectId,
      testId: names[1],
      mergedTestId: names[0],
    });
    for (const [runId, after] of [
      [run.runId, removed.cursor],
      [other, cursor],
    ])
      expect(await trivet.call('get-run-changes', { ...run, runId, after })).toMatchObject({
        membershipChanged: true,
      });
  });

  test('more than fit come in pages, with what changes meanwhile', async () => {
    const { changes, report, testIds } = await makeRunScene(12);
    const { cursor } = await changes();
    await report(testIds, 'failed');
    const first = await changes(cursor, 5);
    expect(first).toMatchObject({ more: true });
    expect(first.results.map(({ testId }) => testId)).toEqual(testIds.slice(0, 5));
    await report(testIds.slice(2, 3), 'passed');
    await report(testIds.slice(8, 9), 'passed');
    const second = await changes(first.cursor, 5);
    expect(second).toMatchObject({ more: true });
    expect(second.results.map(({ testId }) => testId)).toEqual(testIds.slice(5, 10));
    const third = await changes(second.cursor, 5);
    expect(third).toMatchObject({ more: false });
    expect(third.results.map(({ testId }) => testId)).toEqual(testIds.slice(10));
    const last = await changes(third.cursor, 5);
    const passed = [testIds[2], testIds[8]].map((testId) => ({ testId, status: 'passed' }));
    expect(last.results).toMatchObject(passed);
    expect((await changes(last.cursor)).results).toEqual([]);
  });

  test.each(['', 'x', '1.2', '1.2.3.4', '-1', '1e3', '9'.repeat(40)])('%p is no cursor', async (after) => {
    const { run } = await makeRunScene(1);
    expect(await trivet.refusal('get-run-changes', { ...run, after })).toMatchObject({
      code: 'INVALID_REQUEST',
      causeWord: 'after',
    });
  });

  test('a cursor from the future, as after a restore, has the list read again', async () => {
    const { changes } = await makeRunScene(1);
    const { cursor } = await changes();
    const ahead = await changes(String(Number(cursor) + 1));
    expect(ahead).toMatchObject({ cursor, membershipChanged: true, results: [] });
  });

  test('a clock that goes back hides no change', async () => {
    const { changes, report, testIds } = await makeRunScene(3);
    const { cursor } = await changes();
    trivet.clock.advance(-3_600_000);
    await report(testIds.slice(0, 1), 'passed');
    const one = await changes(cursor);
    await report(testIds.slice(1), 'failed');
    trivet.clock.advance(3_600_000);
    const two = await changes(one.cursor);
    expect([one, two].map(({ results }) => results.length)).toEqual([1, 2]);
  });
});

describe('who follows a run while many write', () => {
  /** The list of a client that follows a run, and the changes reported since. */
  const follower = (scene: Scene, limit: number) => {
    let shown = new Map<number, InRun>();
    let cursor: string | undefined;
    const poll = async (): Promise<Changes> => {
      const next = await scene.changes(cursor, limit);
      if (cursor === undefined || next.membershipChanged)
        shown = new Map((await scene.list()).map((row) => [row.testId, row]));
      for (const row of next.results) if (shown.has(row.testId)) shown.set(row.testId, row);
      cursor = next.cursor;
      return next.more ? poll() : next;
    };
    return { poll, shown: () => [...shown.values()].toSorted((a, b) => a.testId - b.testId) };
  };

  test.each([
    ['pages of 500', 500],
    ['pages of 3', 3],
  ])('sees the same as the list at the end, in %s', async (_, limit) => {
    const scene = await makeRunScene(30);
    const { call, report, testIds, others } = scene;
    const following = follower(scene, limit);
    await following.poll();
    const written = new AbortController();
    const writers = Array.from({ length: 8 }, async (_value, writer) => {
      for (let round = 0; round < 12; round++) {
        const n = writer * 12 + round;
        const some = testIds.filter((id) => (id * 7 + n) % 5 === 0);
        const status = ['passed', 'failed', 'blocked', 'retest'][(n + writer) % 4] ?? 'passed';
        if (n % 3 === 0) await report(some, status, `by ${n}`);
        else if (n % 31 === 1) await call('run-reset');
        else if (n % 17 === 2) await call('add-tests-to-run', { testIds: others });
        else if (n % 17 === 4) await call('run-remove-tests', { testIds: others }).catch(() => {});
        else await report([testIds[n % testIds.length] ?? 0], status, `by ${n}`);
      }
    });
    const polling = (async () => {
      let polls = 0;
      // On SQLite a read waits for nothing: without a pause the writers would never continue.
      for (; !written.signal.aborted; polls++) await Bun.sleep(1).then(following.poll);
      return polls;
    })();
    await Promise.all(writers);
    written.abort();
    expect(await polling).toBeGreaterThan(3);
    const last = await following.poll();
    expect(following.shown()).toEqual(await scene.list());
    expect(last.run).toEqual((await call('run-detail')) as never);
    expect(await following.poll()).toMatchObject({ results: [], membershipChanged: false });
  });
});
