import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Fault } from '../../../core/base/errors.ts';
import { engine } from '../../../core/db/query/engine.ts';
import { ran, scaled, seed } from '../../../test/verify/scale.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';
import { versionWorld } from './version-world.ts';

/*
 * Nothing is lost: random edits of every kind, taken back one after the other, leave what was there before; the state as of an instant is
 * the one that was exported then; and of two people who write at once neither loses a write without being told.
 */

const edits = scaled(100, 10_000);
const instants = scaled(25, 1_000);
const races = scaled(25, 1_000);

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

const hashOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex');

test(`${edits} random edits, taken back in reverse (SEED=${seed})`, async () => {
  const world = await versionWorld(trivet, seed);
  /** Of an instant: the export as it was then. No version had a part in it. */
  const model = async () => ({
    tests: hashOf(await world.exported()),
    milestones: hashOf(await world.milestonesSeen()),
  });
  const start = { tests: await world.exported(), milestones: await world.milestonesSeen() };
  const kinds = new Map<string, number>();
  const done: Array<{
    readonly name: string;
    readonly activityId: number;
    readonly before?: Awaited<ReturnType<typeof model>> & { readonly at: string };
  }> = [];
  const every = Math.max(1, Math.floor(edits / instants));
  while (done.length < edits) {
    trivet.clock.advance(1_000);
    const isInstant = done.length % every === 0;
    const before = isInstant
      ? { ...(await model()), at: new Date(trivet.clock.now() - 1).toISOString() }
      : undefined;
    const edit = await world.edit();
    if (!edit) continue;
    done.push({ ...edit, ...(before ? { before } : {}) });
    kinds.set(edit.name, (kinds.get(edit.name) ?? 0) + 1);
  }
  let compared = 0;
  for (const { name, before } of done) {
    if (!before) continue;
    expect([name, hashOf(await world.exported(before.at))]).toEqual([name, before.tests]);
    compared++;
  }
  for (const { name, activityId, before } of done.toReversed()) {
    trivet.clock.advance(1_000);
    expect(await trivet.call('undo-activity', { activityId })).toMatchObject({ activityId, leftOut: [] });
    if (before)
      expect([name, await model()]).toEqual([name, { tests: before.tests, milestones: before.milestones }]);
  }
  expect(await world.exported()).toBe(start.tests);
  expect(await world.milestonesSeen()).toBe(start.milestones);
  ran(done.length, `edits of ${kinds.size} kinds taken back on ${engine()}`);
  ran(compared, `exports as of an instant equal to the model on ${engine()}`);
});

test(`${races} races of two people (SEED=${seed})`, async () => {
  const projectId = await trivet.makeProject();
  const { testId } = await trivet.call('create-test', { projectId, testName: 'Start' });
  const read = () => trivet.call('get-test-details', { projectId, testId });
  const version = (number: number) => trivet.call('get-test-details', { projectId, testId, version: number });
  const attempt = (input: object, tool = 'update-test') =>
    trivet.call(tool, input).then(
      () => 'done',
      (error: unknown) => (error as Fault).code,
    );
  for (let round = 0; round < races; round++) {
    trivet.clock.advance(1_000);
    // Both saw the same version: one of them is told.
    const { updatedAt: seenAt, version: first } = (await read()) as { updatedAt: string; version: number };
    const [a, b] = [`a ${round}`, `b ${round}`];
    const answers = await Promise.all([
      attempt({ testId, testDescription: a, seenAt }),
      attempt({ testId, testDescription: b, seenAt }),
    ]);
    expect(answers.toSorted()).toEqual(['TEST_CHANGED', 'done']);
    expect(await read()).toMatchObject({
      testDescription: answers[0] === 'done' ? a : b,
      version: first + 1,
    });

    // Neither looked: both are there, one as the present text and one as a version.
    trivet.clock.advance(1_000);
    const both = [`c ${round}`, `d ${round}`];
    await Promise.all(both.map((preconditions) => attempt({ testId, preconditions })));
    const last = await read();
    const earlier = await version(first + 2);
    expect([last['version'], [last['preconditions'], earlier['preconditions']].toSorted()]).toEqual([
      first + 3,
      both,
    ]);

    // Different fields: both hold.
    trivet.clock.advance(1_000);
    await Promise.all([
      attempt({ testId, testName: `name ${round}` }),
      attempt({ testId, steps: [{ action: `step ${round}` }] }),
    ]);
    expect(await read()).toMatchObject({
      testName: `name ${round}`,
      steps: [{ action: `step ${round}` }],
      version: first + 5,
    });

    // One takes the last write back while the other writes: it is refused, or the write came after it. The text is never gone.
    trivet.clock.advance(1_000);
    await attempt({ testId, testDescription: `e ${round}` });
    const { activities } = await trivet.call('list-activity', { projectId, limit: 1 });
    const activityId = (activities as Array<{ activityId: number }>)[0]?.activityId;
    const [undone, written] = await Promise.all([
      attempt({ activityId }, 'undo-activity'),
      attempt({ testId, testDescription: `f ${round}` }),
    ]);
    expect(written).toBe('done');
    expect(['done', 'ACTIVITY_OVERTAKEN']).toContain(undone);
    const now = await read();
    expect(now).toMatchObject({
      testDescription: `f ${round}`,
      version: undone === 'done' ? first + 8 : first + 7,
    });
    expect(await version(first + 6)).toMatchObject({ testDescription: `e ${round}` });
  }
  ran(races * 4, `races of two writers without a lost write on ${engine()}`);
});
