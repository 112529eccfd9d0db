import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { addLocalMember } from '../../auth/index.ts';
import { run } from '../../../core/tools/operation.ts';
import { Fault } from '../../../core/base/errors.ts';
import type { Surface } from '../../../core/base/write-entry.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
let other: Actor;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  other = { ...trivet.owner, userId: trivet.owner.userId + 1_000 };
});
afterAll(async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

/** Calls a tool from a surface. @returns the code of its refusal, or null. */
async function refusalFrom(surface: Surface, tool: string, input: object): Promise<string | null> {
  const operation = trivet.kernel.operations.get(tool);
  if (!operation) throw new Error(tool);
  const call = { actor: trivet.owner, surface, signal: AbortSignal.timeout(30_000) };
  return run(trivet.kernel.host, operation, input, call).then(
    () => null,
    (error: unknown) => (error instanceof Fault ? error.code : Promise.reject(error as Error)),
  );
}

async function outcomeFrom(surface: Surface, tool: string, input: object): Promise<string> {
  const operation = trivet.kernel.operations.get(tool);
  if (!operation) throw new Error(tool);
  const call = { actor: trivet.owner, surface, signal: AbortSignal.timeout(30_000) };
  return run(trivet.kernel.host, operation, input, call).then(
    (answer) => ((answer as { written?: boolean }).written === false ? 'proposed' : 'written'),
    (error: unknown) => (error instanceof Fault ? error.code : Promise.reject(error as Error)),
  );
}

async function aTest(fields: object = {}) {
  const projectId = await trivet.makeProject();
  const { testId } = await trivet.call('create-test', { projectId, testName: 'First', ...fields });
  return { projectId, testId: Number(testId) };
}

const propose = async (input: object, actor = other) => {
  const made = await trivet.call('propose-test-change', input, actor);
  return { reviewId: Number(made['reviewId']), seenHash: String(made['hash']), ...made };
};
const decide = (
  { reviewId, seenHash }: { readonly reviewId: number; readonly seenHash: string },
  verdict = 'approve',
  actor?: Actor,
) => trivet.call('review-test-change', { reviewId, seenHash, verdict }, actor);
const code = async (tool: string, input: object, actor?: Actor) =>
  (await trivet.refusal(tool, input, actor))?.code;
const details = (projectId: number, testId: number) => trivet.call('get-test-details', { projectId, testId });

describe('a proposal', () => {
  test('changes nothing until it is approved and merged', async () => {
    const { projectId, testId } = await aTest();
    const one = await propose({ projectId, testId, set: { testName: 'Second' }, comment: 'clearer' });
    expect(one).toMatchObject({ baseVersion: 1, state: 'open' });
    expect(await code('merge-test-change', { reviewId: one.reviewId })).toBe('REVIEW_NOT_APPROVED');
    expect(await details(projectId, testId)).toMatchObject({ testName: 'First', version: 1 });
    expect(await decide(one)).toMatchObject({ state: 'approved' });
    const merged = await trivet.call('merge-test-change', { reviewId: one.reviewId });
    expect(merged).toMatchObject({ testId, version: 2, fields: ['testName'] });
    expect(await details(projectId, testId)).toMatchObject({ testName: 'Second' });
    expect(await code('merge-test-change', { reviewId: one.reviewId })).toBe('REVIEW_CLOSED');
    expect(await trivet.call('get-review', { reviewId: one.reviewId })).toMatchObject({
      state: 'merged',
      authorId: other.userId,
      comment: 'clearer',
      closedBy: trivet.owner.userId,
      changes: [{ field: 'testName', from: 'First', to: 'Second' }],
      verdicts: [{ verdict: 'approve', isAboutPresent: true }],
    });
  });

  test('makes a new test', async () => {
    const { projectId } = await aTest();
    const one = await propose({ projectId, set: { testName: 'New', steps: [{ action: 'Go' }] } });
    expect(one).toMatchObject({ baseVersion: 0 });
    await decide(one);
    const { testId } = await trivet.call('merge-test-change', { reviewId: one.reviewId });
    expect(await details(projectId, Number(testId))).toMatchObject({
      testName: 'New',
      steps: [{ action: 'Go' }],
    });
    const { reviews } = await trivet.call('list-reviews', { projectId, state: 'merged' });
    expect(reviews).toMatchObject([{ testId, changedSince: false }]);
    expect(await trivet.call('list-reviews', { projectId, state: 'open' })).toMatchObject({ total: 0 });
  });

  test('shows which labels were deleted since', async () => {
    const { projectId, testId } = await aTest();
    const added = await trivet.call('add-labels', { projectId, labels: ['gone', 'l2'] });
    const labels = (added['labels'] as Array<{ labelId: number }>).map(({ labelId }) => labelId);
    const { reviewId } = await propose({ projectId, testId, set: { labels } });
    await trivet.call('delete-metadata', { projectId, kind: 'label', id: labels[0] });
    expect(await trivet.call('get-review', { reviewId })).toMatchObject({
      changes: [{ field: 'labels', toName: `deleted (${labels[0]}), l2` }],
    });
  });

  test('is approved by nobody who made it, and only as it was seen', async () => {
    const { projectId, testId } = await aTest();
    const one = await propose({ projectId, testId, set: { testName: 'Second' } });
    const { reviewId, seenHash } = one;
    const approval = { reviewId, seenHash, verdict: 'approve' };
    expect(await code('review-test-change', approval, other)).toBe('REVIEW_VERDICT_REFUSED');
    expect(await refusalFrom('mcp', 'review-test-change', approval)).toBe('REVIEW_VERDICT_REFUSED');
    await decide(one);
    const two = await propose({ projectId, testId, set: { testName: 'Third' }, reviewId });
    expect(two).toMatchObject({ reviewId, state: 'open' });
    expect(await code('merge-test-change', { reviewId })).toBe('REVIEW_NOT_APPROVED');
    expect(await code('review-test-change', approval)).toBe('REVIEW_CHANGED');
    const mine = { projectId, testId, set: { testName: 'x' }, reviewId };
    expect(await code('propose-test-change', mine)).toBe('REVIEW_VERDICT_REFUSED');
    await decide(two, 'request-changes');
    expect(await code('merge-test-change', { reviewId })).toBe('REVIEW_NOT_APPROVED');
    expect(await decide(two, 'decline', other)).toMatchObject({ state: 'declined' });
    expect(await code('review-test-change', { ...approval, seenHash: two.seenHash })).toBe('REVIEW_CLOSED');
  });

  test('is decided by the account into which that of its reviewer was merged', async () => {
    const { projectId, testId } = await aTest();
    const [kept = 0, double = 0] = await Promise.all(
      ['kept', 'double'].map(async (name) => {
        const email = `${name}.${projectId}@example.org`;
        await addLocalMember(trivet.kernel.host, { email, name, role: 'member' });
        const { users } = await trivet.call('get-user', { email });
        return Number((users as Array<{ userId: number }>)[0]?.userId);
      }),
    );
    const reviewers = [double, kept];
    const one = await propose({ projectId, testId, set: { testName: 'Second' }, reviewers });
    const two = await propose({ projectId, testId, set: { testName: 'Third' }, reviewers: [double] });
    await trivet.call('merge-users', { userId: kept, duplicateId: double });
    for (const { reviewId, seenHash } of [one, two]) {
      expect(await trivet.call('get-review', { reviewId })).toMatchObject({ reviewers: [kept] });
      const approval = { reviewId, seenHash, verdict: 'approve' };
      expect(await code('review-test-change', approval)).toBe('REVIEW_VERDICT_REFUSED');
    }
  });

  test('is decided by everybody when none of its reviewers can any more', async () => {
    const { projectId, testId } = await aTest();
    const [left = 0, demoted = 0] = await Promise.all(
      ['left', 'demoted'].map(async (name) => {
        const email = `${name}.${projectId}@example.org`;
        await addLocalMember(trivet.kernel.host, { email, name, role: 'member' });
        const { users } = await trivet.call('get-user', { email });
        return Number((users as Array<{ userId: number }>)[0]?.userId);
      }),
    );
    const one = await propose({
      projectId,
      testId,
      set: { testName: 'Second' },
      reviewers: [left, demoted],
    });
    const approval = { reviewId: one.reviewId, seenHash: one.seenHash, verdict: 'approve' };
    await trivet.call('remove-member', { orgId: 1, userId: left });
    expect(await code('review-test-change', approval)).toBe('REVIEW_VERDICT_REFUSED');
    // Its author is not asked to name somebody else for whom is gone.
    const two = await propose({ projectId, testId, set: { testName: 'Third' }, reviewId: one.reviewId });
    expect(await trivet.call('get-review', { reviewId: one.reviewId })).toMatchObject({
      reviewers: [demoted],
    });
    await trivet.call('set-user-role', { orgId: 1, userId: demoted, role: 'reader' });
    expect(await decide(two)).toMatchObject({ state: 'approved' });
    expect(await trivet.call('merge-test-change', { reviewId: one.reviewId })).toMatchObject({ testId });
  });

  test('is refused when what it names was deleted since, and says how to propose it again', async () => {
    const { projectId, testId } = await aTest();
    const labels = (await trivet.call('add-labels', { projectId, labels: ['keeps', 'goes'] }))['labels'];
    const ids = (labels as Array<{ labelId: number }>).map(({ labelId }) => labelId);
    const proposals = [
      await propose({ projectId, testId, set: { labels: ids } }),
      await propose({ projectId, set: { testName: 'New', labels: ids } }),
    ];
    for (const one of proposals) await decide(one);
    await trivet.call('delete-metadata', { projectId, kind: 'label', id: ids[1] });
    for (const { reviewId } of proposals) {
      const before = await trivet.everything();
      expect(await trivet.refusal('merge-test-change', { reviewId })).toMatchObject({
        code: 'NOT_IN_PROJECT',
        message: `Proposal ${reviewId} no longer fits: labels[1] is not of project ${projectId}. Nothing was written.`,
        tip: `Its author uses propose-test-change with reviewId ${reviewId} and without what is gone; or decline it with review-test-change.`,
      });
      expect(await trivet.everything()).toBe(before);
    }
  });

  test('keeps what changed in other fields since, and refuses the same field', async () => {
    const { projectId, testId } = await aTest();
    const [one, two] = [
      await propose({ projectId, testId, set: { testName: 'Proposed' } }),
      await propose({ projectId, testId, set: { preconditions: 'Proposed' } }),
    ];
    await trivet.call('update-test', { testId, preconditions: 'Later' });
    for (const each of [one, two]) await decide(each);
    await trivet.call('merge-test-change', { reviewId: one.reviewId });
    expect(await details(projectId, testId)).toMatchObject({
      testName: 'Proposed',
      preconditions: 'Later',
    });
    const before = await trivet.everything();
    expect(await trivet.refusal('merge-test-change', { reviewId: two.reviewId })).toMatchObject({
      code: 'TEST_CHANGED',
      message: expect.stringContaining('preconditions') as string,
    });
    expect(await trivet.everything()).toBe(before);
    expect(await trivet.call('get-review', { reviewId: two.reviewId })).toMatchObject({
      conflicts: ['preconditions'],
      changedSince: true,
    });
  });
});

describe('a project that needs reviews', () => {
  const small = (projectId: number, testId: number): ReadonlyArray<readonly [string, object]> => [
    ['create-test', { projectId, testName: 'x' }],
    ['update-test', { testId, testName: 'x' }],
    ['bulk-add-tests', { projectId, tests: [{ testName: 'x' }] }],
    ['bulk-update-tests', { tests: [{ testId, testName: 'x' }] }],
    ['bulk-delete-tests', { projectId, testIds: [testId] }],
    ['delete-test', { projectId, testId }],
  ];
  const large = (projectId: number, testId: number): ReadonlyArray<readonly [string, object]> => [
    ['bulk-add-tests', { projectId, tests: Array.from({ length: 51 }, () => ({ testName: 'x' })) }],
    ['change-tests', { projectId, query: `id:${testId}`, set: { testName: 'x' } }],
    ['push-tests', { projectId, tests: [{ testName: 'x' }] }],
    ['import-tests', { projectId, content: 'Title\nx\n' }],
    ['delete-tests-by-query', { projectId, query: `id:${testId}` }],
  ];

  test.each([
    ['agents', 'mcp', 'proposed', 'REVIEW_REQUIRED'],
    ['agents', 'stdio', 'proposed', 'REVIEW_REQUIRED'],
    ['all', 'http', 'REVIEW_REQUIRED', 'REVIEW_REQUIRED'],
    ['all', 'console', 'REVIEW_REQUIRED', 'REVIEW_REQUIRED'],
    ['all', 'mcp', 'proposed', 'REVIEW_REQUIRED'],
    ['agents', 'http', 'written', 'written'],
    ['off', 'mcp', 'written', 'written'],
  ] as const)('with %s from %s', async (review, surface, ofSmall, ofLarge) => {
    for (const [writes, expected] of [
      [small, ofSmall],
      [large, ofLarge],
    ] as const)
      for (const [nth, [tool]] of writes(0, 0).entries()) {
        const { projectId, testId } = await aTest();
        await trivet.call('edit-project', { projectId, review });
        const [, input] = writes(projectId, testId)[nth] ?? [tool, {}];
        expect([tool, await outcomeFrom(surface, tool, input)]).toEqual([tool, expected]);
      }
  });

  test.each([
    ['agents', 'mcp', 'REVIEW_REQUIRED'],
    ['agents', 'http', undefined],
    ['all', 'http', 'REVIEW_REQUIRED'],
  ] as const)('with %s a merge of two tests from %s: %p', async (review, surface, expected) => {
    const { projectId, testId } = await aTest();
    const [mergedTestId] = await trivet.makeTests(projectId, 1);
    await trivet.call('edit-project', { projectId, review });
    const input = { projectId, testId, mergedTestId };
    expect(await outcomeFrom(surface, 'merge-tests', { ...input, dryRun: true })).toBe(expected ?? 'written');
    expect(await outcomeFrom(surface, 'merge-tests', input)).toBe(expected ?? 'written');
    const { total } = await trivet.call('get-tests', { projectId });
    expect(total).toBe(expected ? 2 : 1);
  });

  test.each([
    ['change-tests', { query: 'created:>=1d', set: { testName: 'x' } }],
    ['delete-tests-by-query', { query: 'created:>=1d' }],
    ['import-tests', { content: 'Title\nx\n' }],
  ] as const)(
    'refuses a dry run of %s, too: a person would be asked about it in vain',
    async (tool, given) => {
      const { projectId } = await aTest();
      await trivet.call('edit-project', { projectId, review: 'agents' });
      const input = { projectId, ...given, dryRun: true };
      expect(await outcomeFrom('mcp', tool, input)).toBe('REVIEW_REQUIRED');
      expect(await outcomeFrom('http', tool, input)).toBe('written');
    },
  );

  test('deletes no tests with their section, takes proposals, and goes back without one', async () => {
    const { projectId, testId } = await aTest();
    const sectionId = await trivet.makeSection(projectId, 'A');
    await trivet.call('update-test', { testId, sectionId });
    await trivet.call('edit-project', { projectId, review: 'all' });
    const deletion = { sectionId, withContents: true };
    expect(await code('delete-section', deletion)).toBe('REVIEW_REQUIRED');
    expect(await code('delete-section', { ...deletion, dryRun: true })).toBe('REVIEW_REQUIRED');
    const one = await propose({ projectId, testId, set: { testName: 'Second' } });
    await decide(one);
    await trivet.call('merge-test-change', { reviewId: one.reviewId });
    expect(await code('revert-test', { testId, version: 1 })).toBeUndefined();
    expect(await details(projectId, testId)).toMatchObject({ testName: 'First' });
  });
});
