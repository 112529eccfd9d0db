import { afterAll, beforeAll, expect, test } from 'bun:test';
import { agentHeaders, startCheckmateWorld, type Body, type CheckmateWorld } from './checkmate-world.ts';

/* What the API of Checkmate refuses, and to whom, in its own way. */

let world: CheckmateWorld;
beforeAll(async () => void (world = await startCheckmateWorld()));
afterAll(() => world.stop());

/** @see It was refused always: a token needs scopes. */
test('a session makes a token for this API, which works and which it ends', async () => {
  const { body } = await world.send('GET', 'user/details', {});
  const { userId } = body.data as { userId: number };
  const made = await world.send('POST', 'token/generate', { userId });
  expect([made.status, made.body.error]).toEqual([201, null]);
  const token = String(made.body.data);
  const reach = async (method: string, path: string, given: Body = {}) =>
    (await world.send(method, path, given, { token })).status;
  expect(await reach('GET', 'projects', { orgId: 1 })).toBe(200);
  expect(
    await reach('POST', 'project/add-squads', { projectId: world.ids.projectId, squads: ['Token'] }),
  ).toBe(201);
  // It can neither make another one nor change roles.
  expect(await reach('POST', 'token/generate', { userId })).toBe(401);
  expect(await reach('PUT', 'user/update-role', { userId, newRole: 'admin' })).toBe(401);
  expect((await world.send('POST', 'token/generate', { userId: userId + 1 })).status).toBe(401);
  expect((await world.send('DELETE', 'token/delete', { userId })).status).toBe(200);
  expect((await world.send('GET', 'projects', { orgId: 1 }, { token })).status).toBe(403);
});

/** @see These differed from the table of Checkmate's routes without a word. */
test('a locked run, tests of another run, two sections, a taken name and an unknown status are answered as by Checkmate', async () => {
  const { projectId, testIds } = world.ids;
  const runId = await world.makeRun('Partly');
  const warnings = (body: Body) => JSON.stringify(body['warnings'] ?? []);
  const partly = await world.send('PUT', 'run/remove-tests', {
    projectId,
    runId,
    testIds: [testIds[0], 999_999],
  });
  expect([partly.status, partly.body.data]).toEqual([
    201,
    { success: false, message: 'Some Tests not deleted' },
  ]);
  expect(warnings(partly.body)).toContain(`Not in run ${runId}: 999999.`);
  const nothing = { projectId, runId, testIds: [testIds[0]] };
  expect((await world.send('PUT', 'run/remove-tests', nothing)).status).toBe(400);

  await world.data('PUT', 'run/lock', { runId, projectId });
  for (const [headers, status] of [
    [undefined, 200],
    [agentHeaders, 200],
  ] as const) {
    const again = await world.send('PUT', 'run/lock', { runId, projectId }, { ...(headers && { headers }) });
    expect([again.status, again.body['status']]).toEqual([status, 423]);
    expect(String(again.body.error)).toStartWith(`Run is already locked: run ${runId}.`);
  }

  const placed = await world.send('POST', 'test/create', {
    projectId,
    title: 'Placed twice',
    sectionId: 1,
    new_section: 'The newer one',
  });
  expect(warnings(placed.body)).toContain('sectionId was not used');

  const section = { projectId, sectionName: 'Twice here' };
  await world.data('POST', 'project/add-section', section);
  const taken = await world.send('POST', 'project/add-section', section);
  expect([taken.status, String(taken.body.error)]).toEqual([
    409,
    expect.stringMatching(/^Entry Already Exists: .* Conflict\. /),
  ]);

  const ofStatus = (word: string) =>
    world.send('GET', 'run/tests', { projectId, runId, statusArray: [word] });
  expect([(await ofStatus('Bogus')).status, (await ofStatus('Archived')).status]).toEqual([400, 200]);
  for (const token of [world.tokens.member, world.tokens.reader])
    expect((await world.send('GET', 'all-users', {}, { token })).status).toBe(401);
});
