import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import type { Actor } from '../../../core/base/actor.ts';
import { run } from '../../../core/tools/operation.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { rejectionOf } from '../../../test/rejection.ts';

let trivet: TestmgmtKernel;
let agent: Actor;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  agent = { ...trivet.owner, userId: trivet.owner.userId + 1_000 };
});
afterAll(async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

type Row = Record<string, unknown>;
interface Proposed {
  readonly written: false;
  readonly reviews: ReadonlyArray<{ readonly reviewId: number; readonly testId: number | null }>;
  readonly message: string;
}

/** Calls a tool as an agent does, over MCP. The answer has the shape that the tool declares. */
async function byAgent(tool: string, input: object, options: { idempotencyKey?: string } = {}): Promise<Row> {
  const operation = trivet.kernel.operations.get(tool);
  if (!operation) throw new Error(tool);
  const call = { actor: agent, surface: 'mcp', client: 'Claude Code', signal: AbortSignal.timeout(30_000) };
  const answer = await run(trivet.kernel.host, operation, input, { ...call, ...options } as never);
  expect([...Value.Errors(operation.output, answer)]).toEqual([]);
  return answer as Row;
}

const proposed = async (tool: string, input: object, options = {}): Promise<Proposed> => {
  const answer = (await byAgent(tool, input, options)) as unknown as Proposed;
  expect(answer.written).toBe(false);
  expect(answer.message).toStartWith('Proposed, not written: review');
  return answer;
};

const refused = async (tool: string, input: object) =>
  byAgent(tool, input).then(
    () => null,
    (error: unknown) => error as { code: string; tip: string; message: string },
  );

async function aProject(tests: readonly object[] = [{ testName: 'First' }]) {
  const projectId = await trivet.makeProject();
  const made = await trivet.call('bulk-add-tests', { projectId, tests });
  await trivet.call('edit-project', { projectId, review: 'agents' });
  const testIds = (made['tests'] as Row[]).map(({ testId }) => Number(testId));
  return { projectId, testIds, testId: testIds[0] ?? 0 };
}

const review = async (reviewId: number) => trivet.call('get-review', { reviewId });
const details = (projectId: number, testId: number) => trivet.call('get-test-details', { projectId, testId });
const activity = async (projectId: number) =>
  (await trivet.call('list-activity', { projectId, limit: 5 }))['activities'] as Row[];

async function merge(reviewId: number): Promise<Row> {
  const { hash } = await review(reviewId);
  await trivet.call('review-test-change', { reviewId, seenHash: hash, verdict: 'approve' });
  return trivet.call('merge-test-change', { reviewId });
}

describe('what an agent writes', () => {
  test('becomes a proposal with its name, and the version says so after the merge', async () => {
    const { projectId, testId } = await aProject();
    const before = await details(projectId, testId);
    const answer = await proposed('update-test', { testId, testName: 'Second', testDescription: '' });
    const reviewId = answer.reviews[0]?.reviewId ?? 0;
    expect(answer.reviews).toEqual([{ reviewId, testId }]);
    expect(answer.message).toContain(`review ${reviewId}.`);
    expect(await details(projectId, testId)).toEqual(before);
    expect(await review(reviewId)).toMatchObject({
      state: 'open',
      authorId: agent.userId,
      surface: 'mcp',
      client: 'Claude Code',
      // What the test has already is no part of it.
      changes: [{ field: 'testName', from: 'First', to: 'Second' }],
    });
    expect((await activity(projectId))[0]).toMatchObject({
      operation: 'propose-test-change',
      userId: agent.userId,
      client: 'Claude Code',
    });
    expect(await trivet.call('list-activity', { testId, limit: 5 })).toMatchObject({
      activities: [{ operation: 'bulk-add-tests' }],
    });
    await merge(reviewId);
    const { versions } = await trivet.call('list-test-versions', { testId });
    expect(versions).toMatchObject([
      {
        version: 2,
        userId: trivet.owner.userId,
        client: null,
        review: { reviewId, authorId: agent.userId, client: 'Claude Code' },
      },
      { version: 1, review: null },
    ]);
  });

  test('is marked with its client also where it needs no review', async () => {
    const { projectId, testId } = await aProject();
    await trivet.call('edit-project', { projectId, review: 'off' });
    expect(await byAgent('update-test', { testId, testName: 'Second' })).toMatchObject({
      testName: 'Second',
    });
    expect((await activity(projectId))[0]).toMatchObject({ operation: 'update-test', client: 'Claude Code' });
    expect((await trivet.call('list-test-versions', { testId }))['versions']).toMatchObject([
      { version: 2, userId: agent.userId, client: 'Claude Code', review: null },
      { version: 1, client: null },
    ]);
  });

  test('is proposed once, however often it is sent', async () => {
    const { projectId, testId } = await aProject();
    const input = { testId, testName: 'Second' };
    const first = await proposed('update-test', input, { idempotencyKey: 'key-1' });
    expect(await proposed('update-test', input, { idempotencyKey: 'key-1' })).toEqual(first);
    expect(await proposed('update-test', input)).toEqual(first);
    expect(await trivet.call('list-reviews', { projectId })).toMatchObject({ total: 1 });
    expect(
      await rejectionOf(byAgent('update-test', { ...input, testName: 'Third' }, { idempotencyKey: 'key-1' })),
    ).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(await activity(projectId)).toHaveLength(4);
  });

  test('that leaves a test as it is writes nothing and proposes nothing', async () => {
    const { projectId, testId } = await aProject();
    expect(await byAgent('update-test', { testId, testName: ' First ' })).toMatchObject({
      testName: 'First',
      version: 1,
    });
    const answer = await byAgent('bulk-update-tests', { tests: [{ testId, preconditions: null }] });
    expect(answer).toEqual({ total: 1, tests: [{ testId }] });
    expect(await trivet.call('list-reviews', { projectId })).toMatchObject({ total: 0 });
  });

  test('has ids in the place of paths, and the labels that the test would have', async () => {
    const { projectId, testId } = await aProject();
    const sectionId = await trivet.makeSection(projectId, 'A');
    await trivet.call('add-labels', { projectId, labels: ['a', 'b', 'c'] });
    const { labels } = await trivet.call('get-labels', { projectId });
    const [a = 0, b = 0, c = 0] = (labels as Row[]).map(({ labelId }) => Number(labelId));
    await trivet.call('update-test', { testId, labels: [a, b] });
    const { reviews } = await proposed('update-test', {
      testId,
      section: 'A',
      addLabels: [c],
      removeLabels: [a],
    });
    expect((await review(reviews[0]?.reviewId ?? 0))['changes']).toMatchObject([
      { field: 'sectionId', to: sectionId, toName: 'A' },
      { field: 'labels', from: [a, b], to: [b, c], fromName: 'a, b', toName: 'b, c' },
    ]);
    const missing = { testId, section: 'Z', create: true };
    expect(await refused('update-test', missing)).toMatchObject({
      code: 'SECTION_NOT_FOUND',
      tip: expect.stringContaining('add-section') as string,
    });
    expect(await trivet.call('get-sections', { projectId })).toMatchObject({ total: 1 });
  });
});

describe('many at once', () => {
  test('each is a proposal of its own', async () => {
    const { projectId, testIds } = await aProject(
      Array.from({ length: 50 }, (_, n) => ({ testName: `T${n}` })),
    );
    const changed = await proposed('bulk-update-tests', {
      tests: testIds.map((testId) => ({ testId, preconditions: 'x' })),
    });
    expect(changed.reviews.map(({ testId }) => testId)).toEqual(testIds);
    const added = await proposed('bulk-add-tests', {
      projectId,
      tests: [{ testName: 'A' }, { testName: 'B' }],
    });
    expect(added.reviews.map(({ testId }) => testId)).toEqual([null, null]);
    const deleted = await proposed('bulk-delete-tests', { projectId, testIds: testIds.slice(0, 2) });
    expect(await review(deleted.reviews[1]?.reviewId ?? 0)).toMatchObject({
      testId: testIds[1],
      fields: ['deleted'],
    });
    expect(await trivet.call('list-reviews', { projectId })).toMatchObject({ total: 54 });
    expect(await trivet.call('get-tests-count', { projectId })).toMatchObject({ total: 50 });
  });

  test('more than 50, and those of a query, are refused with how to go on', async () => {
    const { projectId } = await aProject();
    const many = Array.from({ length: 51 }, () => ({ testName: 'x' }));
    const before = await trivet.everything();
    expect(await refused('bulk-add-tests', { projectId, tests: many })).toMatchObject({
      code: 'REVIEW_REQUIRED',
      tip: expect.stringContaining('at most 50') as string,
    });
    expect(await refused('delete-tests-by-query', { projectId, query: '' })).toMatchObject({
      code: 'REVIEW_REQUIRED',
    });
    expect(await trivet.everything()).toBe(before);
  });

  test('of a project that needs reviews and of another are refused', async () => {
    const [one, two] = [await aProject(), await aProject()];
    await trivet.call('edit-project', { projectId: two.projectId, review: 'off' });
    const tests = [one, two].map(({ testId }) => ({ testId, testName: 'x' }));
    const before = await trivet.everything();
    expect(await refused('bulk-update-tests', { tests })).toMatchObject({
      code: 'REVIEW_REQUIRED',
      message: expect.stringContaining(`project ${one.projectId} `) as string,
    });
    expect(await trivet.everything()).toBe(before);
  });
});

describe('a proposed deletion', () => {
  test('deletes the test when it is merged', async () => {
    const { projectId, testId } = await aProject();
    const { reviews } = await proposed('delete-test', { projectId, testId });
    const reviewId = reviews[0]?.reviewId ?? 0;
    expect((await review(reviewId))['changes']).toEqual([{ field: 'deleted', from: false, to: true }]);
    expect(await merge(reviewId)).toMatchObject({ testId, fields: ['deleted'], version: 2 });
    expect(await details(projectId, testId).catch(({ code }: { code: string }) => ({ code }))).toMatchObject({
      code: 'TEST_NOT_FOUND',
    });
    const { activityId } = (await activity(projectId))[0] ?? {};
    await trivet.call('undo-activity', { activityId });
    expect(await details(projectId, testId)).toMatchObject({ testName: 'First', deletedAt: null });
  });

  test('is refused when the test changed since, and is proposed again', async () => {
    const { projectId, testId } = await aProject();
    const made = await trivet.call('propose-test-change', { projectId, testId, delete: true }, agent);
    const reviewId = Number(made['reviewId']);
    await trivet.call('update-test', { testId, testName: 'Second' });
    expect(await review(reviewId)).toMatchObject({ conflicts: ['deleted'], changedSince: true });
    const before = await details(projectId, testId);
    expect(await rejectionOf(merge(reviewId))).toMatchObject({ code: 'TEST_CHANGED' });
    expect(await details(projectId, testId)).toEqual(before);
    await trivet.call('propose-test-change', { projectId, testId, delete: true, reviewId }, agent);
    expect(await merge(reviewId)).toMatchObject({ fields: ['deleted'] });
  });

  test.each([
    ['neither', { testId: true }, 'set'],
    ['both', { testId: true, set: { testName: 'x' }, delete: true }, 'set'],
    ['of no test', { delete: true }, 'testId'],
  ])('%s is refused', async (_, { testId: ofTest, ...given }: Row, cause) => {
    const { projectId, testId } = await aProject();
    const input = { projectId, ...(ofTest === true ? { testId } : {}), ...given };
    expect(await trivet.refusal('propose-test-change', input)).toMatchObject({
      code: 'INVALID_REQUEST',
      causeWord: cause,
    });
  });
});
