import { afterAll, beforeAll, expect, test } from 'bun:test';
import { agentHeaders, startCheckmateWorld, type Body, type CheckmateWorld } from './checkmate-world.ts';

/* Writes of tests in a project where changes of tests need a review: its clients know no proposals, so they are refused. */

let world: CheckmateWorld;
beforeAll(async () => {
  world = await startCheckmateWorld();
  await world.call('edit-project', { projectId: world.ids.projectId, review: 'all' });
});
afterAll(() => world.stop());

test('a write that became a proposal is told as a conflict, and nothing of it is stored', async () => {
  const { projectId, sectionId, testIds } = world.ids;
  const [testId = 0] = testIds;
  const before = await world.data('GET', 'project/tests', { projectId });
  const stored = await world.data('GET', 'test/details', { projectId, testId });
  const writes: ReadonlyArray<readonly [path: string, given: Body]> = [
    ['test/create', { projectId, title: 'A new test', sectionId }],
    ['test/update', { projectId, testId, title: 'Another title' }],
    ['test/delete', { projectId, testId }],
    ['test/bulk-delete', { projectId, testIds: [testId] }],
    ['test/bulk-update', { projectId, testIds: [testId], property: 'title', value: 'Another title' }],
    ['test/bulk-add', { projectId, orgId: 1, tests: [{ title: 'A new test', section: 'Checkout' }] }],
  ];
  for (const [path, given] of writes) {
    const { status, body } = await world.send('POST', path, given);
    expect([path, status, 'data' in body]).toEqual([path, 409, false]);
    expect([path, String(body.error)]).toEqual([path, expect.stringMatching(/review/i)]);
    const told = await world.send('POST', path, given, { headers: agentHeaders });
    expect([path, told.status, told.body['status']]).toEqual([path, 200, 409]);
  }
  expect(await world.data('GET', 'project/tests', { projectId })).toEqual(before);
  expect(await world.data('GET', 'test/details', { projectId, testId })).toEqual(stored);
});
