import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { setRole } from '../people/member-store.ts';
import { organizations } from '../base/schema.ts';

/** Another organization, with its own administrator and member. */
const clock = stillClock();
const tokens: Record<string, string> = {};

const trivet = await startTestKernel({ clock });
const { tx } = trivet.kernel.host.db;
const elsewhere = await tx(async (q) => {
  const [made] = await q.insert(organizations).values({ name: 'Elsewhere', createdAt: 0 }).returning();
  return made?.id ?? 0;
});
for (const name of ['owner', 'member', 'boss', 'worker', 'both', 'stranger']) {
  tokens[name] = (await trivet.signIn(`${name}@example.org`)).accessToken;
}

const tokenOf = (name: string) => tokens[name] ?? '';
const idOf = (name: string) => Number(decodeJwt(tokenOf(name)).sub);
const join = (name: string, orgId: number, role: 'admin' | 'member') =>
  tx((q) => setRole(q, orgId, idOf(name), role, clock.now()));
await join('owner', 1, 'admin');
await join('member', 1, 'member');
await join('boss', elsewhere, 'admin');
await join('worker', elsewhere, 'member');
await join('both', 1, 'member');
await join('both', elsewhere, 'member');
afterAll(() => trivet.stop());

const as = (name: string, tool: string, input: object) =>
  trivet.post(`/api/tools/${tool}`, input, tokenOf(name));

describe('who may disable whom', () => {
  const cases: ReadonlyArray<readonly [string, string, number]> = [
    ['owner', 'member', 200],
    ['owner', 'stranger', 200],
    ['owner', 'worker', 200],
    ['boss', 'worker', 200],
    ['boss', 'both', 404],
    ['boss', 'member', 404],
    ['boss', 'stranger', 404],
    ['member', 'worker', 403],
    ['stranger', 'member', 403],
    ['owner', 'owner', 409],
  ];
  test.each(cases)('%s disables %s: %d', async (actor, subject, status) => {
    const token = tokenOf(subject);
    const answer = await as(actor, 'set-user-status', { userId: idOf(subject), status: 'disabled' });
    expect(answer.status).toBe(status);
    const verify = await trivet.fetch('/v1/auth/token/verify', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await verify.json()).toEqual({ isAuthTokenValid: status !== 200 });
    if (status !== 200) return;
    await as(actor, 'set-user-status', { userId: idOf(subject), status: 'active' });
    tokens[subject] = (await trivet.signIn(`${subject}@example.org`)).accessToken;
  });

  test.each([
    ['part of', 'merge-users'],
    ['no user', 'erase-user'],
  ])('an account that is %s is 404, after %s', async (said, tool) => {
    const { accessToken } = await trivet.signIn(`${tool}@example.org`);
    const userId = Number(decodeJwt(accessToken).sub);
    const input = tool === 'erase-user' ? { userId } : { userId: idOf('stranger'), duplicateId: userId };
    expect((await as('owner', tool, input)).status).toBe(200);
    for (const status of ['disabled', 'active'])
      expect(await as('owner', 'set-user-status', { userId, status })).toMatchObject({
        status: 404,
        body: { error: { code: 'USER_NOT_FOUND', message: expect.stringContaining(said) as string } },
      });
  });

  test('a user who is not there is 404, for the administrator of all too', async () => {
    expect(await as('owner', 'set-user-status', { userId: 9999, status: 'disabled' })).toMatchObject({
      status: 404,
      body: { error: { code: 'USER_NOT_FOUND' } },
    });
  });
});

describe('roles', () => {
  test('are changed and taken away by administrators of the organization alone', async () => {
    const set = (actor: string, orgId: number, subject: string, role: string) =>
      as(actor, 'set-user-role', { orgId, userId: idOf(subject), role });
    expect((await set('boss', elsewhere, 'worker', 'reader')).body).toMatchObject({ role: 'reader' });
    expect((await set('owner', elsewhere, 'worker', 'admin')).body).toMatchObject({
      error: { code: 'ORGANIZATION_NOT_FOUND' },
    });
    expect((await set('boss', 1, 'member', 'reader')).body).toMatchObject({
      error: { code: 'ORGANIZATION_NOT_FOUND' },
    });
    expect((await set('boss', elsewhere, 'member', 'reader')).body).toMatchObject({
      error: { code: 'USER_NOT_FOUND' },
    });
    expect((await set('boss', elsewhere, 'boss', 'member')).body).toMatchObject({
      error: { code: 'LAST_ADMIN' },
    });
    expect((await set('boss', elsewhere, 'boss', 'none')).body).toMatchObject({
      error: { code: 'LAST_ADMIN' },
    });
    expect((await set('boss', elsewhere, 'both', 'none')).status).toBe(200);
    expect((await as('both', 'get-orgs-list', {})).body).toMatchObject({ total: 1 });
    expect((await set('boss', elsewhere, 'worker', 'root')).status).toBe(400);
  });
});

describe('the record of what happened', () => {
  const usersIn = async (actor: string, input: object = {}) => {
    const { body } = await as(actor, 'list-audit', { limit: 500, ...input });
    return [...new Set((body['events'] as Array<{ userId: number | null }>).map(({ userId }) => userId))];
  };
  test('shows each what concerns them', async () => {
    expect(await usersIn('stranger')).toEqual([idOf('stranger')]);
    expect((await usersIn('boss')).toSorted()).toEqual([idOf('boss'), idOf('worker')].toSorted());
    expect((await usersIn('owner')).length).toBeGreaterThanOrEqual(6);
    expect(await usersIn('boss', { userId: idOf('member') })).toEqual([]);
  });

  test('shows administrators of an organization the invitations that they and its other members made', async () => {
    const { body } = await as('boss', 'invite-user', { orgId: elsewhere });
    await as('boss', 'revoke-invitation', { orgId: elsewhere, invitationId: body['invitationId'] });
    await as('owner', 'invite-user', { orgId: 1 });
    const invitations = async (actor: string, input: object = {}) => {
      const events: unknown[] = [];
      for (const event of ['member_invited', 'invitation_revoked'])
        events.push(...((await as(actor, 'list-audit', { event, ...input })).body['events'] as unknown[]));
      return events;
    };
    const ids = { orgId: elsewhere, invitationId: body['invitationId'] };
    const byBoss = { userId: null, actorId: idOf('boss'), ids };
    expect(await invitations('boss')).toMatchObject([byBoss, byBoss]);
    expect(await invitations('boss', { userId: idOf('boss') })).toMatchObject([byBoss, byBoss]);
    expect(await invitations('boss', { userId: idOf('worker') })).toEqual([]);
    expect(await invitations('worker')).toEqual([]);
    await join('worker', elsewhere, 'admin');
    expect(await invitations('worker')).toMatchObject([byBoss, byBoss]);
    expect(await invitations('owner')).toHaveLength(3);
  });

  test('says of a changed role and of an accepted invitation in which organization', async () => {
    const { body } = await as('boss', 'invite-user', { orgId: elsewhere });
    await as('stranger', 'accept-invitation', { code: body['code'] });
    const theirs = { orgId: elsewhere, userId: idOf('stranger') };
    await as('boss', 'set-user-role', { ...theirs, role: 'reader' });
    await as('boss', 'remove-member', theirs);
    const events = async (event: string) =>
      (await as('owner', 'list-audit', { event, userId: idOf('stranger') })).body['events'];
    const ids = { orgId: elsewhere };
    expect(await events('role_changed')).toMatchObject([
      { cause: 'none', ids },
      { cause: 'reader', ids },
    ]);
    expect(await events('invitation_accepted')).toMatchObject([
      { cause: 'member', ids: { ...ids, invitationId: body['invitationId'] } },
    ]);
  });

  test('is filtered and paged, the newest first', async () => {
    const since = new Date(clock.now() + 1000).toISOString();
    clock.advance(1000);
    await trivet.signIn('member@example.org');
    clock.advance(1000);
    const until = new Date(clock.now()).toISOString();
    await trivet.signIn('member@example.org');
    const { body } = await as('owner', 'list-audit', { event: 'sign_in', since, until });
    expect(body).toMatchObject({
      total: 1,
      events: [{ event: 'sign_in', userId: idOf('member'), at: since, provider: 'dev', cause: null }],
    });
    const page = await as('owner', 'list-audit', { limit: 1 });
    expect(page.body).toMatchObject({ limit: 1, events: [{ userId: idOf('member'), at: until }] });
    expect((await as('owner', 'list-audit', { since: '2026-02-28T00:00:00Z' })).status).toBe(200);
    expect((await as('owner', 'list-audit', { since: '2026-02-31T00:00:00Z' })).status).toBe(400);
    expect((await as('owner', 'list-audit', { since: '2026-99-99T00:00:00Z' })).status).toBe(400);
    expect((await as('owner', 'list-audit', { since: 'yesterday' })).status).toBe(400);
  });
});
