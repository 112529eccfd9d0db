import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';

/* `--auth-envelope`, for front ends that read body.data. Every other test of Area A checks the bare bodies without it. */
let trivet: TestKernel;
let tokens: { accessToken: string; refreshToken: string };
const request = async () => ({
  responseType: 'token',
  grantType: 'id_token',
  identifier: await mintDevIdToken(trivet.kernel.host, 'ann@example.org'),
  idProvider: 'dev',
  resources: [],
});
beforeAll(async () => {
  trivet = await startTestKernel({ settings: { 'auth-envelope': 'true' } });
  const { body } = await trivet.post('/v1/auth/social/authenticate', await request());
  tokens = body['data'] as typeof tokens;
});
afterAll(() => trivet.stop());

const authorization = () => ({ authorization: `Bearer ${tokens.accessToken}` });
const get = async (path: string, method = 'GET') =>
  (await (await trivet.fetch(path, { method, headers: authorization() })).json()) as Record<string, unknown>;

describe('success bodies are in data, errors as they were', () => {
  const successes: ReadonlyArray<readonly [string, () => Promise<Record<string, unknown>>, object]> = [
    [
      'authenticate',
      async () => (await trivet.post('/v1/auth/social/authenticate', await request())).body,
      { tokenType: 'Bearer' },
    ],
    ['verify', () => get('/v1/auth/token/verify'), { isAuthTokenValid: true }],
    ['sessions', () => get('/v1/auth/sessions'), { total: 2 }],
    [
      'refresh',
      async () => (await trivet.post('/v1/auth/token/refresh', { refreshToken: tokens.refreshToken })).body,
      { tokenType: 'Bearer' },
    ],
    ['revoke', async () => (await trivet.post('/v1/auth/token/revoke', { token: 'x' })).body, {}],
    ['sign out everywhere', () => get('/v1/auth/sessions', 'DELETE'), { revoked: 2 }],
  ];
  test.each(successes)('%s', async (_, call, data) => {
    const body = await call();
    expect(Object.keys(body)).toEqual(['data', 'error']);
    expect(body['error']).toBeNull();
    expect(body['data']).toMatchObject(data);
  });

  test('a refusal', async () => {
    expect((await trivet.post('/v1/auth/token/refresh', { refreshToken: 'x' })).body).toEqual({
      error: { code: 'INVALID_REFRESH_TOKEN', message: expect.any(String) as string, cause: 'malformed' },
    });
  });

  test('what libraries read stays bare', async () => {
    expect(await get('/.well-known/jwks.json')).toHaveProperty('keys');
    expect(await get('/.well-known/openid-configuration')).toHaveProperty('issuer');
  });

  test('the API description tells it', async () => {
    const document = (await get('/openapi.json')) as unknown as {
      paths: Record<
        string,
        Record<
          string,
          { responses: Record<string, { content: Record<string, { schema: { required?: string[] } }> }> }
        >
      >;
    };
    const schema = (path: string, method: string) =>
      document.paths[path]?.[method]?.responses['200']?.content['application/json']?.schema.required;
    expect(schema('/v1/auth/social/authenticate', 'post')).toEqual(['data', 'error']);
    expect(schema('/v1/auth/token/verify', 'get')).toEqual(['data', 'error']);
    expect(schema('/v1/auth/sessions', 'delete')).toEqual(['data', 'error']);
    expect(schema('/.well-known/jwks.json', 'get')).not.toContain('data');
  });
});
