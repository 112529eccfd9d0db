import { afterAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { users } from '../base/schema.ts';
import { refreshTokens } from '../sessions/refresh-token.ts';
import { startAttacked } from '../testing/attacked-server.ts';
import { ecPair, encoded, forge, respelled } from '../testing/forged-tokens.ts';
import { causeOf, isLive, sessionRow, signIn, type SignedIn } from '../testing/refreshing.ts';

const attacked = await startAttacked({});
afterAll(() => attacked.end());

describe('a refresh token that we did not make', () => {
  const parts = (token: string) => {
    const [head = '', payload = '', signature = ''] = token.split('.');
    const read = (part: string) =>
      JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    return { head, payload, signature, header: read(head), claims: read(payload) };
  };
  type Parts = ReturnType<typeof parts>;
  const stranger = ecPair('stranger');
  const cases: ReadonlyArray<readonly [string, (p: Parts, other: SignedIn) => string, string]> = [
    [
      'the next generation',
      ({ head, claims, signature }) => `${head}.${encoded({ ...claims, gen: 1 })}.${signature}`,
      'signature',
    ],
    [
      'generation -1',
      ({ head, claims, signature }) => `${head}.${encoded({ ...claims, gen: -1 })}.${signature}`,
      'signature',
    ],
    [
      'the session of somebody else',
      ({ head, claims, signature }, other) =>
        `${head}.${encoded({ ...claims, sid: other.sid })}.${signature}`,
      'signature',
    ],
    [
      'a later end',
      ({ head, claims, signature }) => `${head}.${encoded({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      'signature',
    ],
    [
      'no end',
      ({ head, claims, signature }) => `${head}.${encoded({ ...claims, exp: undefined })}.${signature}`,
      'signature',
    ],
    [
      'the signature of another one',
      ({ head, payload }, other) => `${head}.${payload}.${other.refresh.split('.')[2]}`,
      'signature',
    ],
    [
      'the payload of another one',
      ({ head, signature }, other) => `${head}.${other.refresh.split('.')[1]}.${signature}`,
      'signature',
    ],
    [
      'a signature of zeros',
      ({ head, payload }) => `${head}.${payload}.${Buffer.alloc(32).toString('base64url')}`,
      'signature',
    ],
    [
      'a cut signature',
      ({ head, payload, signature }) => `${head}.${payload}.${signature.slice(0, 40)}`,
      'signature',
    ],
    [
      'signed with nothing',
      ({ header, claims }) => forge(header, claims, { with: 'HS256', key: '' }),
      'signature',
    ],
    [
      'signed with its own session id',
      ({ header, claims }) => forge(header, claims, { with: 'HS256', key: String(claims['sid']) }),
      'signature',
    ],
    [
      'signed with a word',
      ({ header, claims }) => forge(header, claims, { with: 'HS256', key: 'secret' }),
      'signature',
    ],
    [
      'alg none',
      ({ header, claims, signature }) =>
        `${encoded({ ...header, alg: 'none' })}.${encoded(claims)}.${signature}`,
      'wrong_type',
    ],
    [
      'alg none, no signature',
      ({ header, claims }) => `${encoded({ ...header, alg: 'none' })}.${encoded(claims)}.`,
      'malformed',
    ],
    [
      'alg HS512',
      ({ header, claims }) => forge({ ...header, alg: 'HS512' }, claims, { with: 'HS512', key: '' }),
      'wrong_type',
    ],
    [
      'alg ES256 with a key of its own',
      ({ header, claims }) =>
        forge({ ...header, alg: 'ES256', jwk: stranger.jwk }, claims, {
          with: 'ES256',
          key: stranger.privateKey,
        }),
      'wrong_type',
    ],
    [
      'another type',
      ({ header, payload, signature }) => `${encoded({ ...header, typ: 'JWT' })}.${payload}.${signature}`,
      'wrong_type',
    ],
    [
      'no type',
      ({ header, payload, signature }) => `${encoded({ alg: header['alg'] })}.${payload}.${signature}`,
      'wrong_type',
    ],
    [
      'another member in the header',
      ({ header, payload, signature }) => `${encoded({ ...header, crit: ['x'] })}.${payload}.${signature}`,
      'signature',
    ],
    [
      'b64 false',
      ({ header, payload, signature }) => `${encoded({ ...header, b64: false })}.${payload}.${signature}`,
      'signature',
    ],
    [
      'another spelling',
      ({ head, payload, signature }) => `${head}.${payload}.${respelled(signature)}`,
      'malformed',
    ],
    ['padding', ({ head, payload, signature }) => `${head}.${payload}.${signature}=`, 'malformed'],
    ['a line break', ({ head, payload, signature }) => `${head}.${payload}.${signature}\n`, 'malformed'],
    ['two parts', ({ head, payload }) => `${head}.${payload}`, 'malformed'],
    [
      'a payload that is a list',
      ({ head, claims, signature }) => `${head}.${encoded([claims])}.${signature}`,
      'malformed',
    ],
    [
      '17 KiB',
      ({ head, claims }) => `${head}.${encoded({ ...claims, pad: 'x'.repeat(17_000) })}.AAAA`,
      'malformed',
    ],
    ['a word', () => 'undefined', 'malformed'],
    ['SQL', () => "' OR 1=1 --", 'malformed'],
  ];
  test.each(cases)('%s: refused, and the session stands', async (_title, make, cause) => {
    const [session, other] = [await signIn(attacked), await signIn(attacked, 'bystander@example.org')];
    expect(await attacked.outcome(() => attacked.refresh(make(parts(session.refresh), other)))).toEqual({
      status: 401,
      code: 'INVALID_REFRESH_TOKEN',
      cause,
      changed: [],
      recorded: [],
    });
    expect(causeOf(await attacked.refresh(session.refresh))).toBe('ok');
    expect(causeOf(await attacked.refresh(other.refresh))).toBe('ok');
  });

  test.each([undefined, null, 7, '', true, {}, { refreshToken: 'x' }].map((value) => [value] as const))(
    'no text but %j',
    async (value) => {
      expect(await attacked.outcome(() => attacked.refresh(value))).toEqual({
        status: 400,
        code: 'INVALID_REQUEST',
        cause: 'refreshToken',
        changed: [],
        recorded: [],
      });
    },
  );
});

describe('a refresh token that we made, for what is no longer so', () => {
  const sign = (claims: { sid: string; gen: number; exp: number; iat?: number }) =>
    refreshTokens(attacked.trivet.kernel.host).sign(claims);
  const later = () => attacked.seconds() + 1000;

  test('a generation that the database does not know (it is an old copy): once, then the session ends', async () => {
    const { sid } = await signIn(attacked);
    const iat = attacked.seconds();
    expect(causeOf(await attacked.refresh(await sign({ sid, gen: 5, iat, exp: later() })))).toBe('ok');
    // Two copies of one token: a thief has the other one.
    expect(causeOf(await attacked.refresh(await sign({ sid, gen: 9, iat, exp: later() })))).toBe('reused');
    expect(causeOf(await attacked.refresh(await sign({ sid, gen: 6, iat, exp: later() })))).toBe('revoked');
    expect(await sessionRow(attacked, sid)).toMatchObject({ revokedReason: 'refresh_reuse' });
  });
  test('a session that is not there', async () => {
    const token = await sign({ sid: 'A'.repeat(24), gen: 0, exp: later() });
    expect(await attacked.outcome(() => attacked.refresh(token))).toMatchObject({
      cause: 'revoked',
      changed: [],
      recorded: [],
    });
  });
  test('the end of its idle time, to the second', async () => {
    const { refresh } = await signIn(attacked);
    attacked.clock.advance(30 * 86_400_000);
    expect(await attacked.outcome(() => attacked.refresh(refresh))).toMatchObject({
      cause: 'idle_timeout',
      changed: [],
      recorded: [],
    });
    attacked.clock.advance(-1000);
    expect(causeOf(await attacked.refresh(refresh))).toBe('ok');
  });
  test('the end of its session, however often it was refreshed', async () => {
    let { refresh } = await signIn(attacked);
    for (let days = 0; days < 87; days += 29) {
      attacked.clock.advance(29 * 86_400_000);
      refresh = String((await attacked.refresh(refresh)).body['refreshToken']);
    }
    attacked.clock.advance(3 * 86_400_000);
    expect(await attacked.outcome(() => attacked.refresh(refresh))).toMatchObject({
      cause: 'expired',
      changed: [],
      recorded: [],
    });
  });
  test('a user who was disabled', async () => {
    const { refresh, access, sid } = await signIn(attacked, 'disabled-person@example.org');
    const { db } = attacked.trivet.kernel.host;
    const userId = Number((await sessionRow(attacked, sid))?.userId);
    await db.tx(
      async (q) => void (await q.update(users).set({ status: 'disabled' }).where(eq(users.id, userId))),
    );
    expect(await attacked.outcome(() => attacked.refresh(refresh))).toEqual({
      status: 403,
      code: 'ACCESS_DENIED',
      cause: 'disabled',
      changed: [],
      recorded: [],
    });
    expect(await isLive(attacked, access)).toBe(false);
  });
  test('signed out', async () => {
    const { refresh } = await signIn(attacked);
    await attacked.trivet.post('/v1/auth/token/revoke', { token: refresh });
    expect(await attacked.outcome(() => attacked.refresh(refresh))).toMatchObject({
      cause: 'revoked',
      changed: [],
      recorded: [],
    });
  });
});
