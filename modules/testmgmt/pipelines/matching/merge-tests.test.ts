import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { engine } from '../../../../core/db/query/engine.ts';
import { outcomeCheck } from '../../outcomes/outcome-check.ts';
import { wrongOutcomes } from '../../testing/outcome-model.ts';
import { startMergeScene } from '../../testing/merge-scene.ts';

let started: Awaited<ReturnType<typeof startMergeScene>>;
beforeAll(async () => {
  started = await startMergeScene();
});
afterAll(() => started.trivet.stop());

/** After every test of this file, the counts equal those computed from the rows. */
afterEach(async () => {
  const { kernel, wrongCounts } = started.trivet;
  expect(await wrongCounts()).toEqual([]);
  expect(await wrongOutcomes(kernel.host.db.q)).toEqual([]);
  expect(await outcomeCheck.run(kernel.host, { repair: false })).toEqual([]);
});

type Scene = Awaited<ReturnType<typeof started.scene>>;

async function sceneWith(steps: readonly string[]): Promise<Scene> {
  const scene = await started.scene();
  for (const step of steps) await scene.do(step);
  return scene;
}

const everything = () => started.trivet.everything();
const merge = ({ projectId, idOf }: Scene, more: object = {}) => ({
  projectId,
  testId: idOf('old'),
  mergedTestId: idOf('new'),
  ...more,
});
const accept = ({ projectId, idOf }: Scene, more: object = {}) => ({
  projectId,
  testId: idOf('old'),
  key: 's > new',
  ...more,
});
const calls = { 'merge-tests': merge, 'accept-rename': accept } as const;
type Call = keyof typeof calls;

/** `old` has the history; `new` is merged into it. */
const done: ReadonlyArray<
  readonly [title: string, steps: readonly string[], call: Call, shared: number, state: string]
> = [
  [
    'results, keys and counts',
    ['a upload old!', 'b upload new', 'c upload new!'],
    'merge-tests',
    0,
    'old: a failed, b passed, c failed | a: 1 failed | b: 1 passed | c: 1 failed | old is the key of old | new is an alias of old',
  ],
  [
    'its name and its key are the new ones',
    ['a upload old!', 'b upload new'],
    'accept-rename',
    0,
    'new: a failed, b passed | a: 1 failed | b: 1 passed | old is an alias of new | new is the key of new',
  ],
  [
    'a name that somebody gave stays',
    ['a upload old!', 'old named mine', 'b upload new'],
    'accept-rename',
    0,
    'mine: a failed, b passed | a: 1 failed | b: 1 passed | old is an alias of mine | new is the key of mine',
  ],
  [
    'a name that no test has yet',
    ['a upload old!'],
    'accept-rename',
    0,
    'new: a failed | a: 1 failed | old is an alias of new | new is the key of new',
  ],
  [
    'a test without a key takes that of the other',
    ['a people old!', 'b upload new'],
    'merge-tests',
    0,
    'old: a failed, b passed | a: 1 failed | b: 1 passed | new is the key of old',
  ],
  [
    'a run with both, the one that ends untested',
    ['b upload new', 'a people old! _new'],
    'merge-tests',
    1,
    'old: b passed, a failed | a: 1 failed | b: 1 passed | new is the key of old',
  ],
  [
    'a run with both, the one that goes on untested',
    ['b upload new', 'a people _old new!'],
    'merge-tests',
    1,
    'old: b passed, a failed | a: 1 failed | b: 1 passed | new is the key of old',
  ],
  [
    'a run with both untested',
    ['b upload new', 'a people _old _new other'],
    'merge-tests',
    1,
    'old: b passed | other: a passed | a: 1 passed, 1 untested | b: 1 passed | new is the key of old',
  ],
  [
    'a result in a run that the test was removed from',
    ['a upload old', 'b upload new! other', 'b removed new'],
    'merge-tests',
    0,
    'old: a passed, b failed | other: b passed | a: 1 passed | b: 1 passed | old is the key of old | new is an alias of old | other is the key of other',
  ],
  [
    'a test that is not in any run',
    ['a people _new', 'a removed new', 'b people old'],
    'merge-tests',
    0,
    'old: b passed | a:  | b: 1 passed',
  ],
  [
    'a locked run keeps its results',
    ['a upload old!', 'b upload new', 'b locked'],
    'merge-tests',
    0,
    'old: a failed, b passed | a: 1 failed | b: 1 passed | old is the key of old | new is an alias of old',
  ],
];

test('accept-rename needs a review where it deletes a test', async () => {
  const scene = await sceneWith(['a upload old!', 'b upload new']);
  await started.trivet.call('edit-project', { projectId: scene.projectId, review: 'all' });
  const refused = await started.trivet.refusal('accept-rename', accept(scene));
  expect(refused).toMatchObject({ code: 'REVIEW_REQUIRED' });
  await started.trivet.call('accept-rename', accept(scene, { dryRun: true }));
  await started.trivet.call('accept-rename', accept(scene, { key: 's > nobody has it' }));
});

describe('a locked run with both keeps its counts', () => {
  test.each<[step: string, call: Call, status: string]>([
    ['a people old! _new', 'merge-tests', 'failed'],
    ['a people _old new!', 'merge-tests', 'failed'],
    ['a people _old _new', 'merge-tests', 'untested'],
    ['a people _old new!', 'accept-rename', 'failed'],
    ['a upload old! new?', 'merge-tests', 'failed'],
    ['a upload old? new!', 'merge-tests', 'failed'],
    ['a upload old? new!', 'accept-rename', 'failed'],
  ])('%s, by %s', async (step, tool, status) => {
    const scene = await sceneWith(['b upload new', step, 'a locked']);
    const [projectId, runId, testId] = [scene.projectId, scene.runIdOf('a'), scene.idOf('old')];
    const { counts } = await started.trivet.call('run-detail', { projectId, runId });
    await started.trivet.call(tool, calls[tool](scene));
    expect(await started.trivet.call('run-detail', { projectId, runId })).toMatchObject({
      status: 'locked',
      counts,
    });
    const { tests } = await started.trivet.call('get-run-tests-list', { projectId, runId });
    expect(tests).toContainEqual(expect.objectContaining({ testId, status }));
    expect(tests).toContainEqual(expect.objectContaining({ testId: scene.idOf('new'), status: 'untested' }));
    const { total, results } = await started.trivet.call('get-run-results', { projectId, runId });
    if (step.includes('people')) return expect(total).toBe(0);
    expect(results).toContainEqual(expect.objectContaining({ testId, status: 'failed' }));
    expect(total).toBe(2);
  });
});

describe('a run with both has the one that goes on', () => {
  test.each<[people: string, call: Call, status: string]>([
    ['a people _old new!', 'merge-tests', 'failed'],
    ['a people _old _new', 'merge-tests', 'untested'],
    ['a people old! _new', 'merge-tests', 'failed'],
    ['a people _old new!', 'accept-rename', 'failed'],
  ])('%s, by %s', async (people, tool, status) => {
    const scene = await sceneWith(['b upload new', people]);
    const [projectId, runId, testId] = [scene.projectId, scene.runIdOf('a'), scene.idOf('old')];
    await started.trivet.call(tool, calls[tool](scene));
    const { tests } = await started.trivet.call('get-run-tests-list', { projectId, runId });
    expect(tests).toMatchObject([{ testId, status }]);
    expect(tests).toHaveLength(1);
    const testResults = [{ testId, status: 'passed' }];
    await started.trivet.call('run-update-test-status', { projectId, runId, testResults });
  });
});

test.each(['a people _old new!', 'a people old! _new'])('a deleted run with both, %s', async (people) => {
  const scene = await sceneWith(['b upload new', people]);
  const run = { projectId: scene.projectId, runId: scene.runIdOf('a') };
  await started.trivet.call('delete-run', run);
  await started.trivet.call('merge-tests', merge(scene));
  expect(await started.trivet.call('restore-run', run)).toMatchObject({ counts: { total: 1, failed: 1 } });
});

describe('what is merged', () => {
  test.each(done)('%s', async (_title, steps, tool, sharedRuns, state) => {
    const scene = await sceneWith(steps);
    const input = calls[tool](scene);
    const before = await everything();
    const foreseen = await started.trivet.call(tool, { ...input, dryRun: true });
    expect(await everything()).toBe(before);
    const answer = await started.trivet.call(tool, input);
    expect(answer).toMatchObject({ dryRun: false, testId: scene.idOf('old'), sharedRuns });
    expect(foreseen).toEqual({ ...answer, dryRun: true });
    expect((await scene.state()).toSorted()).toEqual(state.split(' | ').toSorted());
  });

  test('both names find the test from then on', async () => {
    const scene = await sceneWith(['a upload old!', 'b upload new']);
    await started.trivet.call('accept-rename', accept(scene));
    await scene.do('c upload old');
    await scene.do('d upload new!');
    expect((await scene.state())[0]).toBe('new: a failed, b passed, c passed, d failed');
  });

  test('the same again changes nothing', async () => {
    const scene = await sceneWith(['a upload old!', 'b upload new']);
    await started.trivet.call('accept-rename', accept(scene));
    const before = await scene.state();
    expect(await started.trivet.call('accept-rename', accept(scene))).toMatchObject({ mergedTestId: null });
    expect(await scene.state()).toEqual(before);
  });
});

const ranTogether: ReadonlyArray<readonly [title: string, steps: readonly string[]]> = [
  ['in one upload', ['a upload old new']],
  ['in two uploads of one run', ['a upload old!', 'a upload new']],
  ['in a run of people', ['a people old new!']],
  ['in a run from which one was removed', ['a people old new!', 'a removed new']],
  ['in a run in which one is untested again', ['a people old new!', 'a untested old']],
];

const refused: ReadonlyArray<
  readonly [title: string, steps: readonly string[], call: Call, more: (scene: Scene) => object, code: string]
> = [
  ...ranTogether.flatMap(([title, steps]) => [
    [`ran together ${title}`, steps, 'merge-tests', () => ({}), 'TESTS_RAN_TOGETHER'] as const,
  ]),
  [
    'accept-rename of tests that ran together',
    ['a upload old new'],
    'accept-rename',
    () => ({}),
    'TESTS_RAN_TOGETHER',
  ],
  [
    'a test with itself',
    ['a upload old new'],
    'merge-tests',
    ({ idOf }) => ({ mergedTestId: idOf('old') }),
    'INVALID_REQUEST',
  ],
  [
    'a deleted test',
    ['a upload old', 'b upload new', 'new deleted'],
    'merge-tests',
    () => ({}),
    'TEST_NOT_FOUND',
  ],
  [
    'into a deleted test',
    ['a upload old', 'b upload new', 'old deleted'],
    'merge-tests',
    () => ({}),
    'TEST_NOT_FOUND',
  ],
  [
    'a new name of a deleted test',
    ['a upload old', 'old deleted'],
    'accept-rename',
    () => ({}),
    'TEST_NOT_FOUND',
  ],
  [
    'an unknown test',
    ['a upload old new'],
    'merge-tests',
    () => ({ mergedTestId: 4_711_000 }),
    'TEST_NOT_FOUND',
  ],
  ['an empty key', ['a upload old'], 'accept-rename', () => ({ key: '  ' }), 'INVALID_REQUEST'],
];

describe('what is refused writes nothing', () => {
  test.each(refused)('%s', async (_title, steps, tool, more, code) => {
    const scene = await sceneWith(steps);
    const before = await everything();
    for (const dryRun of [true, false]) {
      const input = { ...calls[tool](scene), ...more(scene), dryRun };
      expect((await started.trivet.refusal(tool, input))?.code).toBe(code);
    }
    expect(await everything()).toBe(before);
  });

  test('a test of another project, and a reader', async () => {
    const [scene, other] = [
      await sceneWith(['a upload old', 'b upload new']),
      await sceneWith(['a upload new']),
    ];
    const before = await everything();
    const foreign = merge(scene, { mergedTestId: other.idOf('new') });
    const { refusal, withRole } = started.trivet;
    expect((await refusal('merge-tests', foreign))?.code).toBe('NOT_IN_PROJECT');
    expect((await refusal('accept-rename', accept(scene, { testId: other.idOf('new') })))?.code).toBe(
      'NOT_IN_PROJECT',
    );
    for (const tool of ['merge-tests', 'accept-rename'] as const)
      expect((await refusal(tool, calls[tool](scene), withRole('reader')))?.code).toBe('FORBIDDEN');
    expect(await everything()).toBe(before);
  });
});

test('files, links, results of steps and assignments go along', async () => {
  const scene = await sceneWith(['a people old!', 'b people new!', 'c people old _new', 'd people _old new']);
  const { call, owner } = started.trivet;
  const { projectId, idOf, runIdOf } = scene;
  const of = (name: string, run?: string) => ({
    projectId,
    testId: idOf(name),
    ...(run === undefined ? {} : { runId: runIdOf(run) }),
  });
  const file = (name: string, run: string | undefined, fileName: string, text = fileName) =>
    call('add-attachment', { ...of(name, run), fileName, base64: Buffer.from(text).toString('base64') });
  await file('old', undefined, 'own');
  await file('old', undefined, 'both', 'same');
  await file('new', undefined, 'both', 'same');
  await file('new', undefined, 'moved');
  await file('new', 'b', 'of the result');
  await file('new', 'c', 'of the untested');
  await file('new', 'd', 'of the other');
  const links = (key: string) => [{ kind: 'defect', key }];
  await call('add-links', { projectId, testIds: [idOf('new')], links: links('A-1') });
  await call('add-links', { projectId, runId: runIdOf('b'), testIds: [idOf('new')], links: links('A-2') });
  for (const run of ['b', 'c', 'd'])
    await call('assign-tests', {
      projectId,
      runId: runIdOf(run),
      testIds: [idOf('new')],
      assignTo: [owner.userId],
    });
  await call('merge-tests', merge(scene));
  const { attachments } = (await call('list-attachments', { projectId, limit: 100 })) as {
    attachments: Array<{ fileName: string; testId: number; runId: number | null }>;
  };
  const runName = (id: number | null) =>
    id === null ? 'test' : (['a', 'b', 'c', 'd'].find((run) => runIdOf(run) === id) ?? '?');
  expect(attachments.filter(({ testId }) => testId !== idOf('old'))).toEqual([]);
  expect(attachments.map(({ fileName, runId }) => `${fileName} (${runName(runId)})`).toSorted()).toEqual([
    'both (test)',
    'moved (test)',
    'of the other (d)',
    'of the result (b)',
    'of the untested (c)',
    'own (test)',
  ]);
  const { links: found } = (await call('list-links', { projectId, testId: idOf('old'), limit: 100 })) as {
    links: Array<{ key: string; runId: number | null }>;
  };
  expect(found.map(({ key, runId }) => `${key} (${runName(runId)})`)).toEqual(['A-1 (test)', 'A-2 (b)']);
  const assigned = [];
  for (const run of ['b', 'c', 'd']) {
    const list = await call('get-run-tests-list', { projectId, runId: runIdOf(run), query: 'assigned:me' });
    assigned.push([run, list['total']]);
  }
  expect(assigned).toEqual([
    ['b', 1],
    ['c', 1],
    ['d', 1],
  ]);
});

describe('while results arrive', () => {
  test.each(['merge-tests', 'accept-rename'] as const)('%s loses none of them', async (tool) => {
    for (let round = 0; round < (engine() === 'postgres' ? 8 : 2); round++) {
      const scene = await sceneWith([
        'a upload old!',
        'b upload new',
        'c people _new other',
        'd people _old',
      ]);
      const { call } = started.trivet;
      const report = (run: string, name: string, status: string) =>
        call('run-update-test-status', {
          projectId: scene.projectId,
          runId: scene.runIdOf(run),
          testResults: [{ testId: scene.idOf(name), status }],
        }).then(
          () => [`${run} ${status}`],
          // After the merge, the removed test is in no run.
          (error: { code?: string }) =>
            error.code === 'NOT_IN_RUN' || error.code === 'TEST_NOT_FOUND' ? [] : Promise.reject(error),
        );
      const [toOld, toNew, , later] = await Promise.all([
        report('d', 'old', 'failed'),
        report('c', 'new', 'blocked'),
        call(tool, calls[tool](scene)),
        report('a', 'old', 'passed'),
        scene.do('e upload other!'),
      ]);
      const results = ['a failed', 'b passed', ...toOld, ...toNew, ...later];
      const history = (await scene.state()).find((line) => /^(?:old|new): /.test(line)) ?? '';
      expect(
        history
          .replace(/^\w+: /, '')
          .split(', ')
          .toSorted(),
      ).toEqual(results.toSorted());
    }
  });

  /** The upload found the test that is removed, but the merge committed first. @see uploadResults */
  test('an upload finds the test that goes on', async () => {
    for (let round = 0; round < 12; round++) {
      const scene = await sceneWith(['a upload old!', 'b upload new']);
      const merged = Bun.sleep(round).then(() => started.trivet.call('merge-tests', merge(scene)));
      await Promise.all([scene.do('c upload new other'), merged]);
      expect((await scene.state()).filter((line) => /^(?:old|new|other): /.test(line)).toSorted()).toEqual([
        'old: a failed, b passed, c passed',
        'other: c passed',
      ]);
    }
  });
});
