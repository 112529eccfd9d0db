import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { settled } from '../../../test/rejection.ts';
import { parts } from '../parts.ts';
import { localTokenOwner } from '../people/token-owner.ts';
import { createPersonalToken } from '../personal-tokens/personal-token-store.ts';
import { unlimitedScope, type TokenScope } from '../personal-tokens/token-scope.ts';
import { accessTokens, audit, invitations, users } from '../base/schema.ts';

const clock = stillClock();
const day = 86_400_000;

const trivet = await startTestKernel({ clock, settings: { 'access-ttl': '86400' } });
afterAll(() => trivet.stop());

const tool = (name: string, input: object, token: string) => trivet.post(`/api/tools/${name}`, input, token);
const codeOf = (greeting: readonly string[]) =>
  /\/oauth\/link#(\S+)$/.exec(greeting.find((line) => line.startsWith('http')) ?? '')?.[1];

describe('signing in is not membership', () => {
  test('the setup code of the first start makes its redeemer an administrator, once', async () => {
    const shown = async () => codeOf((await parts.greeting?.(trivet.kernel.host, { terminal: true })) ?? []);
    const before = await shown();
    const code = await shown();
    expect([before, code]).toEqual([
      expect.stringMatching(/^[\w-]{24}$/),
      expect.not.stringMatching(before ?? ''),
    ]);

    const ann = await trivet.signIn('ann@example.org');
    expect((await tool('get-orgs-list', {}, ann.accessToken)).body).toMatchObject({ total: 0 });
    expect(await tool('get-projects', { orgId: 1 }, ann.accessToken)).toMatchObject({ status: 403 });
    expect((await tool('accept-invitation', { code }, ann.accessToken)).body).toEqual({
      orgId: 1,
      role: 'admin',
    });
    expect((await tool('get-orgs-list', {}, ann.accessToken)).body).toMatchObject({ total: 1 });
    expect(await shown()).toBeUndefined();
    const bob = await trivet.signIn('bob@example.org');
    for (const used of [before, code])
      expect(await tool('accept-invitation', { code: used }, bob.accessToken)).toMatchObject({
        status: 403,
        body: { error: { code: 'INVALID_INVITATION' } },
      });
    expect((await tool('get-orgs-list', {}, bob.accessToken)).body).toMatchObject({ total: 0 });
  });

  test('an administrator invites; a role is never lowered; a code ends after 7 days', async () => {
    const ann = await trivet.signIn('ann@example.org');
    const bob = await trivet.signIn('bob@example.org');
    const invited = async (input: object) =>
      (await tool('invite-user', { orgId: 1, ...input }, ann.accessToken)).body;
    const { code, role, expiresAt } = await invited({});
    expect({ role, expiresAt }).toEqual({
      role: 'member',
      expiresAt: new Date(clock.now() + 7 * day).toISOString(),
    });
    expect((await tool('accept-invitation', { code }, bob.accessToken)).body).toEqual({
      orgId: 1,
      role: 'member',
    });
    expect(await tool('invite-user', { orgId: 1 }, bob.accessToken)).toMatchObject({ status: 403 });
    expect(await tool('invite-user', { orgId: 2 }, ann.accessToken)).toMatchObject({
      status: 404,
      body: { error: { code: 'ORGANIZATION_NOT_FOUND' } },
    });
    const weaker = await invited({ role: 'reader' });
    expect((await tool('accept-invitation', { code: weaker['code'] }, ann.accessToken)).body).toMatchObject({
      role: 'admin',
    });
    const late = await invited({});
    clock.advance(7 * day);
    const carl = await trivet.signIn('carl@example.org');
    expect(await tool('accept-invitation', { code: late['code'] }, carl.accessToken)).toMatchObject({
      status: 403,
    });
    const rows = await trivet.kernel.host.db.q.select().from(invitations);
    expect(JSON.stringify(rows)).not.toContain(String(late['code']));
  });
});

describe('a personal access token', () => {
  async function made(scope: Partial<TokenScope> = {}, expiresAt: number | null = null) {
    const { host } = trivet.kernel;
    return host.db.tx(async (q) => {
      const { user } = await localTokenOwner(
        q,
        'ci@example.org',
        { role: undefined, newcomer: 'admin' },
        clock.now(),
      );
      const whole = {
        ...unlimitedScope,
        ...scope,
      };
      return {
        userId: user.id,
        ...(await createPersonalToken(host, q, {
          userId: user.id,
          name: 'ci',
          scope: whole,
          expiresAt,
          madeWith: 'machine',
        })),
      };
    });
  }

  test('works until it ends, is kept as a hash, and belongs to one local user per address', async () => {
    const first = await made();
    const second = await made();
    expect(second.userId).toBe(first.userId);
    expect(first.token).toMatch(/^trv_[\w-]{43}$/);
    expect((await tool('get-orgs-list', {}, first.token)).body).toMatchObject({ total: 1 });
    const ending = await made({}, clock.now() + 1000);
    expect((await tool('get-orgs-list', {}, ending.token)).status).toBe(200);
    clock.advance(1000);
    expect((await tool('get-orgs-list', {}, ending.token)).status).toBe(401);
    const rows = JSON.stringify(await trivet.kernel.host.db.q.select().from(accessTokens));
    expect(rows).not.toContain(first.token.slice(4, 20));
  });

  test('does only what its scope says', async () => {
    const reading = await made({ readOnly: true });
    expect((await tool('get-projects', { orgId: 1 }, reading.token)).status).toBe(200);
    expect((await tool('create-project', { orgId: 1, projectName: 'x' }, reading.token)).body).toMatchObject({
      error: { code: 'READ_ONLY' },
    });
    expect(await settled(made({ orgId: 99 }))).toThrow('not a member of organization 99');
    const here = await made({ orgId: 1 });
    expect((await tool('get-orgs-list', {}, here.token)).body).toMatchObject({ total: 1 });
    const other = await made({ toolsets: ['auth'] });
    expect((await tool('get-projects', { orgId: 1 }, other.token)).body).toMatchObject({
      error: { cause: 'toolset' },
    });
    const listed = await trivet.fetch('/api/tools', { headers: { authorization: `Bearer ${other.token}` } });
    const { tools } = (await listed.json()) as { tools: Array<{ toolset: string }> };
    expect(new Set(tools.map(({ toolset }) => toolset))).toEqual(new Set(['auth']));
  });

  test('ends at once when its user is disabled, and so does a session', async () => {
    const { token } = await made();
    const session = await trivet.signIn('dora@example.org');
    const { db } = trivet.kernel.host;
    await db.tx(async (q) => void (await q.update(users).set({ status: 'disabled' })));
    expect((await tool('get-orgs-list', {}, token)).status).toBe(401);
    const verify = await trivet.fetch('/v1/auth/token/verify', {
      headers: { authorization: `Bearer ${session.accessToken}` },
    });
    expect(await verify.json()).toEqual({ isAuthTokenValid: false });
    expect(await trivet.post('/v1/auth/token/refresh', { refreshToken: session.refreshToken })).toMatchObject(
      { status: 403, body: { error: { code: 'ACCESS_DENIED', cause: 'disabled' } } },
    );
    expect(await settled(trivet.signIn('dora@example.org'))).toThrow('403');
    await db.tx(async (q) => void (await q.update(users).set({ status: 'active' })));
    expect((await tool('get-orgs-list', {}, token)).status).toBe(200);
  });
});

test('users, sessions and callers are named by one number', async () => {
  const { accessToken } = await trivet.signIn('emil@example.org');
  const rows = await trivet.kernel.host.db.q.select().from(users);
  const emil = rows.find(({ email, issuer }) => email === 'emil@example.org' && issuer !== 'local');
  expect(decodeJwt(accessToken).sub).toBe(String(emil?.id));
});

test('no audit row holds a token', async () => {
  const rows = JSON.stringify(await trivet.kernel.host.db.q.select().from(audit));
  expect(rows.length).toBeGreaterThan(100);
  expect(rows).not.toMatch(/eyJ|trv_/);
});
