import { afterAll, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';

const clock = stillClock();
const trivet = await startTestKernel({ clock });
const tools = await toolsOf(trivet);
afterAll(() => trivet.stop());

test('an administrator of the first organization makes another and administers it', async () => {
  const made = await tools.call('create-organization', { orgName: '  Second ' });
  const orgId = Number(made['orgId']);
  expect(made).toEqual({ orgId, orgName: 'Second', createdAt: new Date(clock.now()).toISOString() });
  const again = await toolsOf(trivet);
  expect(again.owner.roles.get(orgId)).toBe('admin');
  await again.call('create-project', { orgId, projectName: 'Theirs' }, again.owner);
  const invited = await again.call('invite-user', { orgId, role: 'admin' }, again.owner);

  // An administrator of only the second organization sees nothing of the first, and creates no third.
  const { accessToken } = await trivet.signIn('sue@example.org');
  const accepted = await trivet.post('/api/tools/accept-invitation', { code: invited['code'] }, accessToken);
  expect(accepted.body).toEqual({ orgId, role: 'admin' });
  const organizations = await trivet.post('/api/tools/get-orgs-list', {}, accessToken);
  expect(organizations.body).toMatchObject({ total: 1, organizations: [{ orgId, orgName: 'Second' }] });
  const third = await trivet.post('/api/tools/create-organization', { orgName: 'Third' }, accessToken);
  expect([third.status, third.body['error']]).toEqual([403, expect.objectContaining({ code: 'FORBIDDEN' })]);
});

test.each<[string, (owner: Actor) => Actor]>([
  ['a member', (owner) => ({ ...owner, roles: new Map([[1, 'member']]) })],
  ['nobody of the first', (owner) => ({ ...owner, roles: new Map([[2, 'admin']]) })],
  ['a token without the scope admin', (owner) => ({ ...owner, via: 'token', grants: ['cta:publish'] })],
])('%s makes none', async (_who, actor) => {
  const refusal = await tools.refusal('create-organization', { orgName: 'No' }, actor(tools.owner));
  expect(refusal).toMatchObject({ code: 'FORBIDDEN', status: 403 });
});

test('a token with the scope admin does', async () => {
  const actor: Actor = { ...tools.owner, via: 'token', grants: ['admin'] };
  expect(await tools.call('create-organization', { orgName: 'By token' }, actor)).toMatchObject({
    orgName: 'By token',
  });
});
