import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { setRole } from '../people/member-store.ts';
import { audit } from '../base/schema.ts';

const clock = stillClock();
const trivet = await startTestKernel({ clock });
afterAll(() => trivet.stop());

const tool = (name: string, input: object, token: string) => trivet.post(`/api/tools/${name}`, input, token);
const isLive = async (token: string) => {
  const response = await trivet.fetch('/v1/auth/token/verify', {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await response.json()) as { isAuthTokenValid: boolean }).isAuthTokenValid;
};

const sid = (token: string) => String(decodeJwt(token)['sid']);
const userId = (token: string) => Number(decodeJwt(token).sub);
const join = (token: string, role: 'reader' | 'member' | 'admin') =>
  trivet.kernel.host.db.tx((q) => setRole(q, 1, userId(token), role, clock.now()));

describe('sessions', () => {
  test('a user sees where they are signed in, page by page, and nothing of a token', async () => {
    for (let i = 0; i < 3; i++) {
      await trivet.signIn('ann@example.org');
      clock.advance(1000);
    }
    const { accessToken, refreshToken } = await trivet.signIn('ann@example.org');
    const { body } = await tool('list-sessions', { limit: 2 }, accessToken);
    expect(body).toMatchObject({ total: 4, limit: 2, offset: 0 });
    const [first] = body['sessions'] as Array<Record<string, unknown>>;
    expect(first).toMatchObject({
      sessionId: sid(accessToken),
      userId: userId(accessToken),
      provider: 'dev',
      address: '127.0.0.1',
    });
    expect(JSON.stringify(body)).not.toContain(refreshToken.slice(-20));
  });

  test('one is revoked, then all; tokens of others go on', async () => {
    const [one, two, other] = [
      await trivet.signIn('bob@example.org'),
      await trivet.signIn('bob@example.org'),
      await trivet.signIn('carl@example.org'),
    ];
    const revoke = (input: object) => tool('revoke-session', input, two.accessToken);
    expect((await revoke({ sessionId: sid(one.accessToken) })).body).toEqual({ revoked: 1 });
    expect((await revoke({ sessionId: sid(one.accessToken) })).body).toEqual({ revoked: 0 });
    expect((await revoke({ sessionId: sid(other.accessToken) })).body).toEqual({ revoked: 0 });
    expect([
      await isLive(one.accessToken),
      await isLive(two.accessToken),
      await isLive(other.accessToken),
    ]).toEqual([false, true, true]);
    expect(await trivet.post('/v1/auth/token/refresh', { refreshToken: one.refreshToken })).toMatchObject({
      status: 401,
      body: { error: { cause: 'revoked' } },
    });
    expect((await revoke({})).body).toEqual({ revoked: 1 });
    expect([await isLive(two.accessToken), await isLive(other.accessToken)]).toEqual([false, true]);
    expect((await tool('list-sessions', {}, two.accessToken)).status).toBe(401);
  });

  test('an administrator of the installation sees and ends those of everybody, a reader only their own', async () => {
    const [admin, member, stranger] = [
      await trivet.signIn('dora@example.org'),
      await trivet.signIn('emil@example.org'),
      await trivet.signIn('fred@example.org'),
    ];
    await join(admin.accessToken, 'admin');
    await join(member.accessToken, 'reader');
    const of = (token: string) => ({ userId: userId(token) });
    expect((await tool('list-sessions', of(member.accessToken), admin.accessToken)).body).toMatchObject({
      total: 1,
    });
    expect(await tool('list-sessions', of(admin.accessToken), member.accessToken)).toMatchObject({
      status: 404,
    });
    expect(await tool('revoke-session', of(stranger.accessToken), member.accessToken)).toMatchObject({
      status: 404,
      body: { error: { code: 'USER_NOT_FOUND' } },
    });
    expect((await tool('revoke-session', of(member.accessToken), admin.accessToken)).body).toEqual({
      revoked: 1,
    });
    expect(await isLive(member.accessToken)).toBe(false);
    expect(await isLive(stranger.accessToken)).toBe(true);
    const all = await trivet.kernel.host.db.q.select().from(audit).orderBy(audit.id);
    const events = all.filter(({ event }) => event !== 'operation');
    expect(events.at(-1)).toMatchObject({
      event: 'session_revoked',
      userId: userId(member.accessToken),
      actorId: userId(admin.accessToken),
      sessionId: sid(member.accessToken),
    });
  });
});

test('pages of sessions fit together, from either end', async () => {
  let accessToken = '';
  for (let n = 0; n < 9; n++) {
    ({ accessToken } = await trivet.signIn('many@example.org'));
    if (n % 3 === 0) clock.advance(1_000);
  }
  const page = async (limit: number, offset: number) => {
    const { body } = await tool('list-sessions', { limit, offset }, accessToken);
    return (body['sessions'] as Array<{ sessionId: string }>).map(({ sessionId }) => sessionId);
  };
  const all = await page(50, 0);
  expect(all.length).toBe(9);
  for (let offset = 0; offset < 12; offset++)
    for (const limit of [1, 2, 4])
      expect(await page(limit, offset)).toEqual(all.slice(offset, offset + limit));
});

test('a session that nobody used for the idle time is not listed: it cannot be continued', async () => {
  const day = 86_400_000;
  const { accessToken: old } = await trivet.signIn('idle@example.org');
  clock.advance(31 * day);
  const { accessToken } = await trivet.signIn('idle@example.org');
  const { body } = await tool('list-sessions', {}, accessToken);
  expect(JSON.stringify(body)).not.toContain(sid(old));
  expect(body).toMatchObject({ total: 1, sessions: [{ sessionId: sid(accessToken) }] });
});

describe('personal access tokens', () => {
  test('are made, listed without themselves, used and revoked', async () => {
    const { accessToken } = await trivet.signIn('gina@example.org');
    await join(accessToken, 'member');
    const made = await tool(
      'create-access-token',
      { name: ' CI ', scopes: ['testmgmt', 'read-only'], expiresInDays: 1 },
      accessToken,
    );
    expect(made.body).toMatchObject({
      name: 'CI',
      scopes: ['testmgmt', 'read-only'],
      expiresAt: new Date(clock.now() + 86_400_000).toISOString(),
      lastUsedAt: null,
    });
    const token = String(made.body['token']);
    expect((await tool('get-projects', { orgId: 1 }, token)).status).toBe(200);
    expect((await tool('create-project', { orgId: 1, projectName: 'x' }, token)).status).toBe(403);
    const listed = await tool('list-access-tokens', {}, accessToken);
    expect(listed.body).toMatchObject({
      total: 1,
      tokens: [{ name: 'CI', lastUsedAt: new Date(clock.now()).toISOString() }],
    });
    expect(JSON.stringify(listed.body)).not.toContain(token.slice(4, 12));
    const { tokenId } = made.body;
    const other = await trivet.signIn('hugo@example.org');
    expect(await tool('revoke-access-token', { tokenId }, other.accessToken)).toMatchObject({
      status: 404,
      body: { error: { code: 'UNKNOWN_TOKEN' } },
    });
    expect((await tool('revoke-access-token', { tokenId }, accessToken)).body).toEqual({ tokenId });
    expect((await tool('get-projects', { orgId: 1 }, token)).status).toBe(401);
    expect((await tool('revoke-access-token', { tokenId }, accessToken)).status).toBe(404);
  });

  test('cannot make another one, and a scope that means nothing is refused', async () => {
    const { accessToken } = await trivet.signIn('ida@example.org');
    const { body } = await tool('create-access-token', { name: 'wide', scopes: ['auth'] }, accessToken);
    expect(await tool('create-access-token', { name: 'more' }, String(body['token']))).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN', cause: 'token' } },
    });
    for (const scopes of [['Admin'], ['org:0'], ['org:1']]) {
      const refused = await tool('create-access-token', { name: 'x', scopes }, accessToken);
      expect([400, 404]).toContain(refused.status);
    }
  });
});
