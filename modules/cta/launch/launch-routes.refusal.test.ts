import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import {
  deltaPath,
  freshUser,
  launchPath,
  machineAt,
  startCtaKernel,
  type Sent,
} from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
/** A live CTA of the tenant `default`. */
const live = await trivet.makeCta({}, 'LIVE');
afterAll(() => trivet.stop());

const machine = (over: object = {}) => machineAt(now, over);
/** A body with one machine of the live CTA. */
const push = (over: object = {}, groupKey = 'g') => ({
  ctas: [{ ctaId: live, activeStateMachines: { [groupKey]: machine(over) } }],
});
describe('what is refused', () => {
  const invalid = (message: string) => ({ code: 'INVALID_REQUEST', message: `Invalid request: ${message}` });
  const long = 'must be a whole number of at most 2^53-1';

  test.each<[string, () => Sent, number, object]>([
    ['no user', () => ({ headers: { 'auth-userid': '' } }), 400, { code: 'INVALID_REQUEST' }],
    [
      'a user that is no long',
      () => ({ headers: { 'auth-userid': '9223372036854775808' } }),
      400,
      invalid('header auth-userid must be a signed 64-bit integer'),
    ],
    [
      'an api_version that is no long',
      () => ({ headers: { api_version: '1.5' } }),
      400,
      invalid('header api_version must be a long'),
    ],
    [
      'a tenant that cannot be',
      () => ({ headers: { 'x-tenant-id': 'a b' } }),
      400,
      { code: 'INVALID_REQUEST' },
    ],
    ['no JSON', () => ({ body: '{"ctas":' }), 400, invalid('body is not a JSON document in UTF-8')],
    ['a list', () => ({ body: [] }), 400, invalid('body must be an object')],
    ['null', () => ({ body: 'null' }), 400, invalid('body must be an object')],
    [
      'a machine without a state',
      () => ({ body: push({ currentState: undefined }) }),
      400,
      invalid('ctas[0].activeStateMachines.g.currentState is required'),
    ],
    [
      'a time beyond 2^53-1',
      () => ({ body: push({ lastTransitionAt: 2 ** 53 }) }),
      400,
      invalid(`ctas[0].activeStateMachines.g.lastTransitionAt ${long}`),
    ],
    [
      'a CTA twice, though the first could be stored',
      () => ({ body: { ctas: [...push().ctas, ...push().ctas] } }),
      400,
      invalid('ctas[1].ctaId is the same as that of ctas[0]'),
    ],
    [
      'an unknown unit',
      () => ({
        body: { behaviourTags: [{ behaviourTagName: 'x', exposureRule: { window: { unit: 'weeks' } } }] },
      }),
      400,
      invalid('behaviourTags[0].exposureRule.window.unit must be one of days, hours, minutes, seconds'),
    ],
    [
      'a form',
      () => ({ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      415,
      { code: 'UNSUPPORTED_MEDIA_TYPE' },
    ],
    [
      'more than a mebibyte',
      () => ({ body: `"${'x'.repeat(1024 * 1024)}"` }),
      413,
      { code: 'PAYLOAD_TOO_LARGE' },
    ],
    [
      'a bearer that is none',
      () => ({ body: push(), headers: { authorization: 'Bearer abc' } }),
      401,
      { code: 'UNAUTHENTICATED' },
    ],
    [
      'credentials of another kind',
      () => ({ body: push(), headers: { authorization: 'Basic YTpi' } }),
      401,
      { code: 'UNAUTHENTICATED' },
    ],
  ])('%s, by both endpoints, and nothing is written', async (_, sent, status, error) => {
    const before = await trivet.allStored();
    for (const path of [launchPath, deltaPath]) {
      const answer = await trivet.send(freshUser(), { path, ...sent() });
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([status, { error }]);
    }
    expect(await trivet.allStored()).toEqual(before);
  });
});

describe('clients that are too old', () => {
  test.each<[string, Record<string, string>]>([
    ['no api_version', {}],
    ['0', { api_version: '0' }],
    ['below 0, and everything else wrong', { api_version: '-9', 'auth-userid': 'x', 'x-tenant-id': '?' }],
    ['with a bad token', { authorization: 'Bearer nobody' }],
  ])('%s: the empty answer, whatever else is sent', async (_, headers) => {
    for (const [path, answer] of [
      [launchPath, '{"data":{"ctas":null,"behaviourTags":null}}'],
      [deltaPath, '{"data":false}'],
    ] as const) {
      for (const body of [undefined, '{', JSON.stringify(push())]) {
        const response = await trivet.fetch(path, {
          method: 'POST',
          headers: { 'auth-userid': '5', 'content-type': 'text/plain', ...headers },
          ...(body === undefined ? {} : { body }),
        });
        expect([response.status, await response.text()]).toEqual([200, answer]);
      }
    }
  });

  test('the storage is not touched: the answer comes with the database gone', async () => {
    const gone = await startCtaKernel(clock);
    await gone.kernel.host.db.close();
    const ask = (headers: Record<string, string>) =>
      gone.fetch(launchPath, { method: 'POST', headers: { 'auth-userid': '1', ...headers } });
    expect(await (await ask({})).text()).toBe('{"data":{"ctas":null,"behaviourTags":null}}');
    expect((await ask({ api_version: '1' })).status).toBeGreaterThanOrEqual(500);
    await gone.stop();
  });
});

describe('bearer tokens', () => {
  const userOf = (accessToken: string) =>
    String(
      (JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as { sub: string })
        .sub,
    );

  test('the own token is accepted, another user’s is 403, and neither is needed', async () => {
    const { accessToken } = await trivet.signIn('ann@example.com');
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await trivet.send(userOf(accessToken), { headers, body: {} })).status).toBe(200);
    const before = await trivet.allStored();
    for (const path of [launchPath, deltaPath]) {
      const { status, text } = await trivet.send('9007199254740992', { path, headers, body: push() });
      expect([status, JSON.parse(text)]).toMatchObject([
        403,
        { error: { code: 'FORBIDDEN', cause: 'auth-userid' } },
      ]);
    }
    expect(await trivet.allStored()).toEqual(before);
    expect((await trivet.send(userOf(accessToken), { body: {} })).status).toBe(200);
  });

  test('with --cta-require-token nothing is answered without one, but to clients that are too old', async () => {
    const strict = await startCtaKernel(clock, { 'cta-require-token': 'true' });
    const { accessToken } = await strict.signIn('ann@example.com');
    const ask = (path: string, init: RequestInit) =>
      strict.fetch(path, init).then(async (response) => [response.status, await response.json()]);
    const headers = { 'auth-userid': userOf(accessToken), api_version: '1' };
    const unauthenticated = [401, { error: { code: 'UNAUTHENTICATED' } }];
    expect(await ask(launchPath, { method: 'POST', headers })).toMatchObject(unauthenticated);
    expect(await ask(deltaPath, { method: 'POST', headers })).toMatchObject(unauthenticated);
    expect(await ask('/cta/nudge/preview/x', {})).toMatchObject(unauthenticated);
    expect(await ask(deltaPath, { method: 'POST' })).toEqual([200, { data: false }]);
    const authorization = `Bearer ${accessToken}`;
    expect(await ask(deltaPath, { method: 'POST', headers: { ...headers, authorization } })).toEqual([
      200,
      { data: true },
    ]);
    expect(await ask('/cta/nudge/preview/x', { headers: { authorization } })).toEqual([200, { data: null }]);
    await strict.stop();
  });
});
