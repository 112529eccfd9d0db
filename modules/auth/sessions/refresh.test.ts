import { afterAll, describe, expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import { decodeJwt, SignJWT } from 'jose';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { deriveKey } from '../keys/master-key.ts';
import { audit, sessions } from '../base/schema.ts';

const clock = stillClock();
const trivet = await startTestKernel({ clock });
afterAll(() => trivet.stop());

const verify = async (token: string) => {
  const response = await trivet.fetch('/v1/auth/token/verify', {
    headers: { authorization: `Bearer ${token}` },
  });
  return { body: await response.json() };
};

describe('refresh rotates', () => {
  const refresh = (refreshToken: unknown) => trivet.post('/v1/auth/token/refresh', { refreshToken });

  test('the successor works, no ID token is answered', async () => {
    const { refreshToken } = await trivet.signIn('gina@example.org');
    const answer = await refresh(refreshToken);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual([
      'accessToken',
      'expiresIn',
      'refreshToken',
      'tokenType',
    ]);
    expect(answer.body['refreshToken']).not.toBe(refreshToken);
    expect((await verify(String(answer.body['accessToken']))).body).toEqual({ isAuthTokenValid: true });
    expect((await refresh(answer.body['refreshToken'])).status).toBe(200);
  });

  test('it says when its generation began, the same inside the grace; one without iat, of version 0.1, goes on', async () => {
    clock.advance(1_500);
    const { refreshToken, accessToken } = await trivet.signIn('iat@example.org');
    const begun = Math.floor(clock.now() / 1000);
    expect(decodeJwt(refreshToken).iat).toBe(begun);
    clock.advance(5_000);
    const first = (await refresh(refreshToken)).body['refreshToken'];
    clock.advance(20_000);
    const again = (await refresh(refreshToken)).body['refreshToken'];
    expect(again).toBe(first);
    expect(Object.keys(decodeJwt(String(first)))).toEqual(['sid', 'gen', 'iat', 'exp']);
    expect(decodeJwt(String(first)).iat).toBe(begun + 5);

    const signed = async (change: object) => {
      const { sid, gen, exp = 0 } = decodeJwt(String(first));
      const secret = Buffer.from(deriveKey(trivet.kernel.host)('refresh tokens')).toString('base64url');
      return new SignJWT({ sid, gen, exp, ...change })
        .setProtectedHeader({ alg: 'HS256', typ: 'rt+jwt' })
        .sign(new TextEncoder().encode(secret));
    };
    for (const iat of [1.5, -1.5, 'x', null])
      expect(await refresh(await signed({ iat }))).toMatchObject({
        status: 401,
        body: { error: { code: 'INVALID_REFRESH_TOKEN' } },
      });
    expect((await verify(accessToken)).body).toEqual({ isAuthTokenValid: true });
    expect((await refresh(await signed({}))).status).toBe(200);
  });

  test('50 simultaneous uses of one token: 50 answers, one successor, one rotation', async () => {
    const { refreshToken, accessToken } = await trivet.signIn('hugo@example.org');
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(refreshToken)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body: answer }) => answer['refreshToken'])).size).toBe(1);
    const rows = await trivet.kernel.host.db.q.select().from(sessions);
    const session = rows.find(({ id }) => id === decodeJwt(accessToken)['sid']);
    expect(session).toMatchObject({ generation: 1, graceUses: 49, revokedAt: null });
    const events = await trivet.kernel.host.db.q
      .select()
      .from(audit)
      .where(and(eq(audit.sessionId, session?.id ?? ''), eq(audit.event, 'refresh')));
    expect(events.map(({ cause }) => cause).toSorted()).toEqual([
      null,
      ...Array<string>(49).fill('repeated'),
    ]);
  });

  test('a lost answer is forgiven after the grace, and recorded as that', async () => {
    const { refreshToken, accessToken } = await trivet.signIn('lost@example.org');
    const lost = await refresh(refreshToken);
    clock.advance(8 * 3_600_000);
    const again = await refresh(refreshToken);
    expect([again.status, again.body['refreshToken']]).toEqual([200, lost.body['refreshToken']]);
    expect((await refresh(again.body['refreshToken'])).status).toBe(200);
    const sid = String(decodeJwt(accessToken)['sid']);
    const events = await trivet.kernel.host.db.q
      .select()
      .from(audit)
      .where(and(eq(audit.sessionId, sid), eq(audit.event, 'refresh')))
      .orderBy(audit.id);
    expect(events.map(({ cause }) => cause)).toEqual([null, 'forgiven', null]);
  });

  test('once its successor was used the parent revokes the session, that one only', async () => {
    const stolen = await trivet.signIn('ida@example.org');
    const other = await trivet.signIn('ida@example.org');
    const successor = await refresh((await refresh(stolen.refreshToken)).body['refreshToken']);
    clock.advance(31_000);
    expect(await refresh(stolen.refreshToken)).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_REFRESH_TOKEN', cause: 'reused' } },
    });
    expect(await refresh(successor.body['refreshToken'])).toMatchObject({
      status: 401,
      body: { error: { cause: 'revoked' } },
    });
    expect((await verify(String(successor.body['accessToken']))).body).toEqual({ isAuthTokenValid: false });
    expect((await verify(other.accessToken)).body).toEqual({ isAuthTokenValid: true });
    expect((await refresh(other.refreshToken)).status).toBe(200);
    const sid = String(decodeJwt(stolen.accessToken)['sid']);
    const events = await trivet.kernel.host.db.q
      .select()
      .from(audit)
      .where(eq(audit.sessionId, sid))
      .orderBy(audit.id);
    expect(events.map(({ event, address }) => [event, address])).toEqual([
      ['sign_in', '127.0.0.1'],
      ['refresh', '127.0.0.1'],
      ['refresh', '127.0.0.1'],
      ['refresh_reuse', '127.0.0.1'],
    ]);
  });

  const cases: ReadonlyArray<readonly [string, () => Promise<unknown>, number, string, string]> = [
    ['missing', async () => undefined, 400, 'INVALID_REQUEST', 'refreshToken'],
    ['a number', async () => 7, 400, 'INVALID_REQUEST', 'refreshToken'],
    ['no token', async () => 'x.y.z', 401, 'INVALID_REFRESH_TOKEN', 'malformed'],
    [
      'an access token',
      async () => (await trivet.signIn('k@x.de')).accessToken,
      401,
      'INVALID_REFRESH_TOKEN',
      'wrong_type',
    ],
    [
      'a token of somebody else',
      () =>
        new SignJWT({ sid: 'x', gen: 0 })
          .setProtectedHeader({ alg: 'HS256', typ: 'rt+jwt' })
          .setExpirationTime('1h')
          .sign(new Uint8Array(32)),
      401,
      'INVALID_REFRESH_TOKEN',
      'signature',
    ],
  ];
  test.each(cases)('%s is refused', async (_title, make, status, code, cause) => {
    const answer = await refresh(await make());
    expect(answer).toMatchObject({ status, body: { error: { code, cause } } });
  });

  test('idle for 30 days, and a session of 90 days', async () => {
    const idle = await trivet.signIn('lara@example.org');
    let token: unknown = (await trivet.signIn('lara@example.org')).refreshToken;
    for (let days = 0; days < 87; days += 29) {
      clock.advance(29 * 86_400_000);
      token = (await refresh(token)).body['refreshToken'];
    }
    expect(await refresh(idle.refreshToken)).toMatchObject({
      status: 401,
      body: { error: { cause: 'idle_timeout' } },
    });
    clock.advance(4 * 86_400_000);
    expect(await refresh(token)).toMatchObject({ status: 401, body: { error: { cause: 'expired' } } });
  });
});

test('no log line of this suite holds a token or a part of one', () => {
  expect(trivet.logged.join('')).not.toMatch(/eyJ|trv_/);
});
