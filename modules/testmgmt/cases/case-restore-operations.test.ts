import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { makeWorld } from '../testing/valid-calls.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

/** A project with deleted tests in a section that is kept and in a deleted one, and a test that is not deleted. */
async function deletedTests() {
  const projectId = await trivet.makeProject();
  const [kept, gone] = [await trivet.makeSection(projectId, 'A'), await trivet.makeSection(projectId, 'B')];
  const inKept = await trivet.makeTests(projectId, 700, { sectionId: kept });
  const inGone = await trivet.makeTests(projectId, 2, { sectionId: gone });
  const [live = 0] = await trivet.makeTests(projectId, 1);
  await trivet.call('bulk-delete-tests', { projectId, testIds: [...inKept, ...inGone] });
  await trivet.call('delete-section', { sectionId: gone });
  return { projectId, inKept, inGone, live, kept };
}

const numberOf = async (projectId: number, query: string) =>
  (await trivet.call('get-tests-count', { projectId, query }))['total'];

test('deleted tests are listed, counted and downloaded, and say since when', async () => {
  const { projectId, inGone } = await deletedTests();
  const deletedAt = new Date(trivet.clock.now()).toISOString();
  expect(await numberOf(projectId, 'is:deleted')).toBe(702);
  expect(await trivet.call('get-tests', { projectId, query: `is:deleted id:${inGone[0]}` })).toMatchObject({
    total: 1,
    tests: [{ testId: inGone[0], deletedAt }],
  });
  const live = await trivet.call('get-tests', { projectId, fields: ['testId', 'deletedAt'] });
  expect(live['tests']).toMatchObject([{ deletedAt: null }]);
});

describe('by ids', () => {
  test('come back as they were, without a section that is gone; others stay unchanged', async () => {
    const { projectId, inKept, inGone, live, kept } = await deletedTests();
    const before = await trivet.call('get-test-details', { projectId, testId: live });
    trivet.clock.advance(1_000);
    const answer = await trivet.call('restore-tests', {
      projectId,
      testIds: [...inGone, live, ...inKept.slice(0, 600)],
    });
    expect(answer).toMatchObject({ dryRun: false, count: 602 });
    expect((answer['first'] as unknown[]).length).toBe(10);
    expect(await trivet.call('get-test-details', { projectId, testId: live })).toEqual(before);
    const details = (testId: unknown) => trivet.call('get-test-details', { projectId, testId });
    expect(await details(inGone[0])).toMatchObject({ sectionId: null, deletedAt: null });
    expect(await details(inKept[0])).toMatchObject({
      sectionId: kept,
      updatedAt: new Date(trivet.clock.now()).toISOString(),
    });
    expect(await numberOf(projectId, 'is:deleted')).toBe(100);
    expect(await trivet.call('get-project-detail', { projectId })).toMatchObject({ testsCount: 603 });
  });
});

describe('by a query', () => {
  test('only among deleted tests, whether it says is:deleted or not; a dry run writes nothing', async () => {
    const { projectId, inGone } = await deletedTests();
    const before = await trivet.everything();
    const query = `id:${inGone.join(',')}`;
    const dry = await trivet.call('restore-tests', { projectId, query, dryRun: true });
    expect(dry).toMatchObject({ dryRun: true, count: 2, first: [{ testId: inGone[0] }, {}] });
    expect(await trivet.everything()).toBe(before);
    expect(await trivet.call('restore-tests', { projectId, query: `${query} is:deleted` })).toMatchObject({
      count: 2,
    });
    expect(await trivet.call('restore-tests', { projectId, query: 'section:A' })).toMatchObject({
      count: 700,
    });
    expect(await numberOf(projectId, 'is:deleted')).toBe(0);
  });
});

const refusals: ReadonlyArray<readonly [string, object, string]> = [
  ['neither ids nor a query', {}, 'INVALID_REQUEST'],
  ['both', { testIds: [1], query: 'id:1' }, 'INVALID_REQUEST'],
  ['an id twice', { testIds: [1, 1] }, 'DUPLICATE_ID'],
  ['a test of nowhere', { testIds: [999_999] }, 'NOT_IN_PROJECT'],
  ['a wrong query', { query: 'label:' }, 'INVALID_QUERY'],
  ['a query for nothing', { query: 'id:999999' }, 'NOTHING_TO_UPDATE'],
];
test.each(refusals)('%s is refused', async (_title, given, code) => {
  const { projectId } = await makeWorld(trivet);
  const before = await trivet.everything();
  expect((await trivet.refusal('restore-tests', { projectId, ...given }))?.code).toBe(code);
  expect(await trivet.everything()).toBe(before);
});

test('of another project, and of an inactive one, none is restored', async () => {
  const { projectId, neighbourTestId, deletedTestId } = await makeWorld(trivet);
  const foreign = { projectId, testIds: [deletedTestId, neighbourTestId] };
  const fault = await trivet.refusal('restore-tests', foreign);
  expect(fault).toMatchObject({ code: 'NOT_IN_PROJECT', causeWord: 'testIds' });
  expect(fault?.message).toMatch(/testIds\[1\] is \d+\. Nothing was written/);
  await trivet.call('update-project-status', { projectId, isActive: false });
  const own = { projectId, testIds: [deletedTestId] };
  expect((await trivet.refusal('restore-tests', own))?.code).toBe('PROJECT_INACTIVE');
});
