import { afterAll, expect, test } from 'bun:test';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';
import { openBrowser } from '../testing/browser.ts';
import { setupCode } from '../people/invitation-store.ts';
import { setRole } from '../people/member-store.ts';

const clock = stillClock();
const trivet = await startTestKernel({ clock });
const { call, refusal, owner } = await toolsOf(trivet);
afterAll(() => trivet.stop());

interface Listed {
  readonly total: number;
  readonly invitations: ReadonlyArray<{ readonly invitationId: number; readonly role: string }>;
}
const open = async (orgId = 1) => (await call('list-invitations', { orgId })) as unknown as Listed;
const day = 86_400_000;

/** What a browser gets that opens the link and sends the code in it. */
async function statusOfLink({ link }: Record<string, unknown>): Promise<number> {
  const { href, hash } = new URL(String(link));
  const browser = openBrowser();
  const page = await browser.go(href.replace(hash, ''));
  return (await browser.submit(page, { code: hash.slice(1) })).status;
}

test('the open ones are listed, without code, newest first; the setup code is none of them', async () => {
  await setupCode(trivet.kernel.host);
  expect(await open()).toMatchObject({ total: 0, invitations: [] });
  const first = await call('invite-user', { orgId: 1, role: 'reader' });
  clock.advance(1_000);
  const second = await call('invite-user', { orgId: 1, role: 'admin' });
  const listed = await open();
  expect(listed).toEqual({
    total: 2,
    limit: 50,
    offset: 0,
    invitations: [
      {
        invitationId: second['invitationId'],
        role: 'admin',
        createdBy: owner.userId,
        createdAt: new Date(clock.now()).toISOString(),
        expiresAt: second['expiresAt'],
      },
      expect.objectContaining({ invitationId: first['invitationId'], role: 'reader' }) as object,
    ],
  } as unknown as Listed);
  expect(JSON.stringify(listed)).not.toContain(String(second['code']));
  expect(await call('list-invitations', { orgId: 1, limit: 1, offset: 1 })).toMatchObject({
    total: 2,
    invitations: [{ invitationId: first['invitationId'] }],
  });
  clock.advance(7 * day);
  expect(await open()).toMatchObject({ total: 0 });
});

test('a revoked one cannot be redeemed, by code or by link; a redeemed or revoked one cannot be revoked', async () => {
  const ann = (await trivet.signIn('ann@example.org')).accessToken;
  const kept = await call('invite-user', { orgId: 1 });
  const made = await call('invite-user', { orgId: 1 });
  const given = { orgId: 1, invitationId: made['invitationId'] };
  expect(await statusOfLink(made)).toBe(200);
  expect(await call('revoke-invitation', given)).toEqual(given);
  expect(await statusOfLink(made)).toBe(400);
  expect(await trivet.post('/api/tools/accept-invitation', { code: made['code'] }, ann)).toMatchObject({
    status: 403,
    body: { error: { code: 'INVALID_INVITATION' } },
  });
  expect(await refusal('revoke-invitation', given)).toMatchObject({ code: 'INVITATION_NOT_FOUND' });
  expect((await open()).invitations.map(({ invitationId }) => invitationId)).toEqual([
    Number(kept['invitationId']),
  ]);
  const accepted = await trivet.post('/api/tools/accept-invitation', { code: kept['code'] }, ann);
  expect(accepted.status).toBe(200);
  expect(await open()).toMatchObject({ total: 0 });
  expect(await refusal('revoke-invitation', { orgId: 1, invitationId: kept['invitationId'] })).toMatchObject({
    code: 'INVITATION_NOT_FOUND',
  });
  expect(await call('list-audit', { event: 'invitation_revoked' })).toMatchObject({ total: 1 });
});

test('another organization sees and ends none of them, a member neither', async () => {
  const { orgId } = await call('create-organization', { orgName: 'Second' });
  const before = (await open()).total;
  const { code } = (await toolsOf(trivet).then(({ call: again, owner: now }) =>
    again('invite-user', { orgId, role: 'admin' }, now),
  )) as { code: string };
  const sue = (await trivet.signIn('sue@example.org')).accessToken;
  await trivet.post('/api/tools/accept-invitation', { code }, sue);
  const { invitationId } = await call('invite-user', { orgId: 1 });
  const asSue = (tool: string, input: object) => trivet.post(`/api/tools/${tool}`, input, sue);
  for (const [input, expected] of [
    [{ orgId: 1, invitationId }, 'ORGANIZATION_NOT_FOUND'],
    [{ orgId, invitationId }, 'INVITATION_NOT_FOUND'],
  ] as const)
    expect(await asSue('revoke-invitation', input)).toMatchObject({
      status: 404,
      body: { error: { code: expected } },
    });
  expect(await asSue('list-invitations', { orgId: 1 })).toMatchObject({ status: 404 });
  expect((await asSue('list-invitations', { orgId })).body).toMatchObject({ total: 0 });
  const member = { ...owner, roles: new Map([[1, 'member' as const]]) };
  expect(await refusal('list-invitations', { orgId: 1 }, member)).toMatchObject({ code: 'FORBIDDEN' });
  expect((await open()).total).toBe(before + 1);
});

/** @see A removed administrator came back as one by an invitation that they had made before. */
test('an invitation ends when who made it is removed, demoted or disabled, also if they join again', async () => {
  const as = async (token: string, tool: string, input: object) =>
    (await trivet.post(`/api/tools/${tool}`, input, token)).body as Record<string, unknown>;
  const invited = async () => String((await call('invite-user', { orgId: 1, role: 'admin' }))['code']);
  const administrator = async (email: string) => {
    const { accessToken } = await trivet.signIn(email);
    await as(accessToken, 'accept-invitation', { code: await invited() });
    clock.advance(1_000);
    const own = await as(accessToken, 'invite-user', { orgId: 1, role: 'admin' });
    const { sub } = JSON.parse(atob(accessToken.split('.')[1] ?? '')) as { sub: string };
    return {
      email,
      userId: Number(sub),
      code: String(own['code']),
      invitationId: Number(own['invitationId']),
    };
  };
  const listed = async () => (await open()).invitations.map(({ invitationId }) => invitationId);
  const before = await listed();
  const removed = await administrator('eve@example.org');
  const demoted = await administrator('gus@example.org');
  const disabled = await administrator('kim@example.org');
  const made = [disabled, demoted, removed].map(({ invitationId }) => invitationId);
  expect(await listed()).toEqual([...made, ...before]);
  await call('remove-member', { orgId: 1, userId: removed.userId });
  await call('set-user-role', { orgId: 1, userId: demoted.userId, role: 'reader' });
  await call('set-user-status', { userId: disabled.userId, status: 'disabled' });
  expect(await listed()).toEqual(before);
  const refused = async ({ email, code }: { readonly email: string; readonly code: string }) =>
    as((await trivet.signIn(email)).accessToken, 'accept-invitation', { code });
  expect(await refused(removed)).toMatchObject({ error: { code: 'INVALID_INVITATION' } });
  expect(await refused(demoted)).toMatchObject({ error: { code: 'INVALID_INVITATION' } });
  clock.advance(1_000);
  await as((await trivet.signIn(removed.email)).accessToken, 'accept-invitation', { code: await invited() });
  expect(await refused(removed)).toMatchObject({ error: { code: 'INVALID_INVITATION' } });
  // It does not open again either when they get back what they had.
  await call('set-user-role', { orgId: 1, userId: demoted.userId, role: 'admin' });
  await call('set-user-status', { userId: disabled.userId, status: 'active' });
  const thief = { email: 'thief@example.org' };
  for (const { code } of [demoted, disabled])
    expect(await refused({ ...thief, code })).toMatchObject({ error: { code: 'INVALID_INVITATION' } });
  expect(await listed()).toEqual(before);
});

/** @see Merging the two accounts of an administrator ended the invitations that one of them had made, and nobody was told. */
test.each([
  ['is an administrator', 'admin'],
  ['becomes one by it', null],
] as const)(
  'an invitation stays open when who made it is merged into an account that %s',
  async (_, role) => {
    const account = async (name: string, given: 'admin' | null) => {
      const { accessToken } = await trivet.signIn(`${name}-${role}@example.org`);
      const { sub } = JSON.parse(atob(accessToken.split('.')[1] ?? '')) as { sub: string };
      if (given) await trivet.kernel.host.db.tx((q) => setRole(q, 1, Number(sub), given, clock.now()));
      return { accessToken, userId: Number(sub) };
    };
    const [kept, double] = [await account('kept', role), await account('double', 'admin')];
    const { body } = await trivet.post('/api/tools/invite-user', { orgId: 1 }, double.accessToken);
    clock.advance(1_000);
    await call('merge-users', { userId: kept.userId, duplicateId: double.userId });
    const [first] = (await open()).invitations;
    expect(first).toMatchObject({ invitationId: body['invitationId'], createdBy: kept.userId });
    const { accessToken } = await account('late', null);
    const redeem = await trivet.post('/api/tools/accept-invitation', { code: body['code'] }, accessToken);
    expect(redeem.status).toBe(200);
  },
);

test.each([
  ['member', 'reader', 'member'],
  ['reader', 'member', 'member'],
  ['admin', 'reader', 'admin'],
] as const)('a %s who redeems a code for a %s is a %s', async (before, given, after) => {
  const email = `${before}-${given}@example.org`;
  const { accessToken } = await trivet.signIn(email);
  for (const role of [before, given]) {
    const { code } = await call('invite-user', { orgId: 1, role });
    const { body } = await trivet.post('/api/tools/accept-invitation', { code }, accessToken);
    expect(body).toEqual({ orgId: 1, role: role === before ? before : after });
  }
});

test.each([
  ['revoke-invitation', 'invitationId', { orgId: 1, invitationId: 'the last one' }, 'list-invitations'],
  ['revoke-access-token', 'tokenId', { tokenId: 'pipeline' }, 'list-access-tokens'],
  ['merge-users', 'duplicateId', { userId: 1, duplicateId: 'nobody' }, 'get-all-users'],
] as const)('%s says where %s comes from', async (tool, name, given, listing) => {
  expect((await refusal(tool, given))?.tip).toContain(`${name} takes an id: use ${listing}`);
});
