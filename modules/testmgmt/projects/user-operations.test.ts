import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
let ann: number;
let stranger: number;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  ann = (await joined('ann@example.org', 'reader')).userId;
  stranger = (await signedIn('bob@example.org')).userId;
});
afterAll(() => trivet.stop());

async function signedIn(email: string) {
  const { accessToken } = await trivet.signIn(email);
  const payload = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString();
  const { sub } = JSON.parse(payload) as { sub: string };
  return { accessToken, userId: Number(sub) };
}

async function joined(email: string, role: 'reader' | 'member') {
  const person = await signedIn(email);
  const { code } = await trivet.call('invite-user', { orgId: 1, role });
  const accepted = await trivet.post('/api/tools/accept-invitation', { code }, person.accessToken);
  expect(accepted.status).toBe(200);
  return person;
}

test('the members of the caller’s organizations, without anything of how they sign in', async () => {
  const list = await trivet.call('get-all-users');
  expect(list).toMatchObject({ total: 2, limit: 50, offset: 0 });
  expect(list['users']).toEqual([
    {
      userId: trivet.owner.userId,
      name: 'Owner',
      email: null,
      status: 'active',
      createdAt: '2026-01-01T00:00:00.000Z',
      lastSignInAt: null,
      roles: [{ orgId: 1, role: 'admin' }],
    },
    {
      userId: ann,
      name: expect.anything(),
      email: 'ann@example.org',
      status: 'active',
      createdAt: '2026-01-01T00:00:00.000Z',
      lastSignInAt: '2026-01-01T00:00:00.000Z',
      roles: [{ orgId: 1, role: 'reader' }],
    },
  ]);
  expect(await trivet.call('get-all-users', { orgId: 1, limit: 1, offset: 1 })).toMatchObject({
    total: 2,
    users: [{ userId: ann }],
  });
  const [, second] = list['users'] as object[];
  expect(await trivet.call('get-user-details', { userId: ann })).toEqual(second as never);
});

test('who shares no organization with the caller is not there', async () => {
  const fault = await trivet.refusal('get-user-details', { userId: stranger });
  expect(fault).toMatchObject({ code: 'USER_NOT_FOUND', status: 404 });
  const elsewhere = trivet.withRole('admin', 2);
  expect(await trivet.call('get-all-users', {}, elsewhere)).toMatchObject({ total: 0, users: [] });
  expect((await trivet.refusal('get-user-details', { userId: ann }, elsewhere))?.code).toBe('USER_NOT_FOUND');
  expect((await trivet.refusal('get-all-users', { orgId: 2 }))?.code).toBe('ORGANIZATION_NOT_FOUND');
});

test('who has left has a name still, and nothing else', async () => {
  const { userId, accessToken } = await joined('tom@example.org', 'member');
  const projectId = await trivet.makeProject();
  const made = await trivet.post(
    '/api/tools/create-test',
    { projectId, testName: 'made by Tom' },
    accessToken,
  );
  expect(made.status).toBe(200);
  const former = async (input = {}, actor = trivet.owner) =>
    (await trivet.call('list-former-members', input, actor))['users'];
  expect(await former()).toEqual([]);

  await trivet.call('remove-member', { orgId: 1, userId });
  expect(await former()).toEqual([{ userId, name: expect.anything() }]);
  expect(await former({ orgId: 1 })).toMatchObject([{ userId }]);
  expect(JSON.stringify(await trivet.call('get-all-users'))).not.toContain(`"userId":${userId},`);
  expect((await trivet.refusal('get-user-details', { userId }))?.code).toBe('USER_NOT_FOUND');
  expect(await trivet.call('list-activity', { userId })).toMatchObject({ activities: [{ userId }] });
  for (const query of ['created-by:tom@example.org', `created-by:${userId}`])
    expect(await trivet.call('get-tests', { projectId, query })).toMatchObject({ total: 1 });
  // Elsewhere nobody knows them.
  const elsewhere = trivet.withRole('admin', 2);
  expect(await former({}, elsewhere)).toEqual([]);
  expect((await trivet.refusal('list-activity', { userId }, elsewhere))?.code).toBe('USER_NOT_FOUND');

  // Who is a member again is no former one.
  const { code } = await trivet.call('invite-user', { orgId: 1, role: 'reader' });
  const { accessToken: again } = await trivet.signIn('tom@example.org');
  expect((await trivet.post('/api/tools/accept-invitation', { code }, again)).status).toBe(200);
  expect(await former()).toEqual([]);
  await trivet.call('set-user-role', { orgId: 1, userId, role: 'none' });
  expect(await former()).toMatchObject([{ userId }]);
  await trivet.call('erase-user', { userId });
  expect(await former()).toEqual([]);
  const fault = await trivet.refusal('get-tests', { projectId, query: 'created-by:tom@example.org' });
  expect(fault?.message).toContain('Nobody here has the address');
});

test('a token for one project sees its organization and the members of that alone', async () => {
  const { orgId } = await trivet.call('create-organization', { orgName: 'Elsewhere' });
  const roles = new Map([...trivet.owner.roles, [Number(orgId), 'admin' as const]]);
  const ofBoth = { ...trivet.owner, roles };
  const { code } = await trivet.call('invite-user', { orgId, role: 'reader' }, ofBoth);
  const { accessToken } = await trivet.signIn('bob@example.org');
  expect((await trivet.post('/api/tools/accept-invitation', { code }, accessToken)).status).toBe(200);
  const projectId = await trivet.makeProject();
  expect(await trivet.call('get-user-details', { userId: stranger }, ofBoth)).toMatchObject({
    userId: stranger,
  });
  const ofProject = { ...ofBoth, projectId };
  expect(await trivet.call('get-orgs-list', {}, ofProject)).toMatchObject({
    total: 1,
    organizations: [{ orgId: 1 }],
  });
  expect(await trivet.call('get-all-users', {}, ofProject)).toMatchObject({
    total: 2,
    users: [{ roles: [{ orgId: 1 }] }, { userId: ann }],
  });
  for (const [tool, input, refused] of [
    ['get-org-details', { orgId }, 'ORGANIZATION_NOT_FOUND'],
    ['get-projects', { orgId }, 'ORGANIZATION_NOT_FOUND'],
    ['get-all-users', { orgId }, 'ORGANIZATION_NOT_FOUND'],
    ['get-user-details', { userId: stranger }, 'USER_NOT_FOUND'],
    ['list-activity', { userId: stranger }, 'USER_NOT_FOUND'],
  ] as const)
    expect([tool, (await trivet.refusal(tool, input, ofProject))?.code]).toEqual([tool, refused]);
  for (const [tool, input, shown] of [
    ['get-projects', { orgId: 'Elsewhere' }, `"Elsewhere" is ${orgId}`],
    ['get-user-details', { userId: 'bob@example.org' }, `"bob@example.org" is ${stranger}`],
  ] as const) {
    expect((await trivet.refusal(tool, input, ofBoth))?.tip).toContain(shown);
    expect((await trivet.refusal(tool, input, ofProject))?.tip).not.toContain(shown);
  }
  for (const [query, total] of [
    ['created-by:bob@example.org', undefined],
    ['created-by:ann@example.org', 0],
  ] as const) {
    expect(await trivet.call('get-tests', { projectId, query }, ofBoth)).toMatchObject({ total: 0 });
    expect((await trivet.refusal('get-tests', { projectId, query }, ofProject))?.code).toBe(
      total === undefined ? 'INVALID_QUERY' : undefined,
    );
  }
});
