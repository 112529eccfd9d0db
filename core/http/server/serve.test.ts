import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { Type } from '@sinclair/typebox';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { signedIn } from '../../base/actor.ts';
import { defineModule } from '../../module/module.ts';
import { operation } from '../../tools/operation.ts';

/** A module with every kind of mistake in its routes. */
const unruly = defineModule({
  name: 'unruly',
  requires: ['auth'],
  operations: [
    operation({
      name: 'break-down',
      toolset: 'unruly',
      title: 'Break down',
      description: 'Throws what no catalogue knows.',
      input: Type.Object({ secret: Type.Optional(Type.String()) }, { additionalProperties: false }),
      output: Type.Object({}),
      access: signedIn(),
      effect: 'read',
      handler: async ({ secret }) => {
        throw new Error(`SELECT * FROM passwords -- ${secret}`);
      },
    }),
  ],
  routes: (app) => {
    app.get('/unruly/throws', () => {
      throw new Error('secret text of an unexpected error');
    });
  },
});

let trivet: TestKernel;
let token: string;
beforeAll(async () => {
  trivet = await startTestKernel({
    plugins: [unruly],
    settings: { 'cors-origin': 'https://app.example', 'allowed-hosts': 'trivet.example' },
  });
  token = (await trivet.signIn('someone@example.org')).accessToken;
});
afterAll(() => trivet.stop());

describe('one error body on every path', () => {
  const tool = '/api/tools/accept-invitation';
  const json = { 'content-type': 'application/json' };
  const cases: ReadonlyArray<readonly [string, string, RequestInit, number, string]> = [
    ['no such path', '/nowhere', {}, 404, 'NOT_FOUND'],
    ['another method', '/v1/auth/token/verify', { method: 'POST' }, 404, 'NOT_FOUND'],
    ['a path with escapes', '/%2e%2e/%00/etc', {}, 404, 'NOT_FOUND'],
    ['half an escape', '/api/tools/%', { method: 'POST', headers: json, body: '{}' }, 404, 'NOT_FOUND'],
    [
      'a tool that is not there',
      '/api/tools/nothing',
      { method: 'POST', headers: json, body: '{}' },
      404,
      'UNKNOWN_TOOL',
    ],
    [
      'a tool named like a part of every object',
      '/api/tools/__proto__',
      { method: 'POST', headers: json, body: '{}' },
      404,
      'UNKNOWN_TOOL',
    ],
    ['no JSON', tool, { method: 'POST', headers: json, body: '{' }, 400, 'INVALID_JSON'],
    [
      'no UTF-8',
      tool,
      { method: 'POST', headers: json, body: new Uint8Array([0x22, 0xff, 0x22]) },
      400,
      'INVALID_JSON',
    ],
    ['a wrong argument', tool, { method: 'POST', headers: json, body: '{"code":1}' }, 400, 'INVALID_REQUEST'],
    ['a missing argument', tool, { method: 'POST' }, 400, 'INVALID_REQUEST'],
    ['a list as arguments', tool, { method: 'POST', headers: json, body: '[]' }, 400, 'INVALID_REQUEST'],
    [
      'another media type',
      tool,
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a compressed body',
      tool,
      { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a body over the limit',
      tool,
      { method: 'POST', headers: json, body: new Uint8Array(16 * 1024 * 1024 + 1) },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['a failing route', '/unruly/throws', {}, 500, 'INTERNAL'],
    [
      'a failing tool',
      '/api/tools/break-down',
      { method: 'POST', headers: json, body: '{"secret":"hush"}' },
      500,
      'INTERNAL',
    ],
  ];
  test.each(cases)('%s', async (_title, path, init, status, code) => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    const response = await trivet.fetch(path, { ...init, headers });
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect({ status: response.status, code: error['code'] }).toEqual({ status, code });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toMatch(/^[\w.-]{1,64}$/);
    const keys = path.startsWith('/api/tools')
      ? ['code', 'message', 'cause', 'tip']
      : ['code', 'message', 'cause'];
    expect(Object.keys(error).filter((key) => !keys.includes(key))).toEqual([]);
    expect(JSON.stringify(error)).not.toMatch(/SELECT|hush|secret text|\bat \//);
  });

  test('what was unexpected is logged with its place, without its text', () => {
    const failures = trivet.logged.filter((line) => line.includes('request_failed'));
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.join('')).toContain('serve.test.ts');
    expect(failures.join('')).not.toMatch(/SELECT|hush|secret text/);
  });

  test('a chunked body is stopped at the limit', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20)),
    });
    const response = await trivet
      .fetch('/v1/auth/token/refresh', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: endless,
      })
      .catch(() => null);
    expect(response === null || response.status === 413).toBe(true);
    expect((await trivet.fetch('/healthz')).status).toBe(200);
  });

  test('a request id of the client is kept, one that would split a log line is not', async () => {
    const kept = await trivet.fetch('/healthz', { headers: { 'x-request-id': 'ci-17' } });
    expect(kept.headers.get('x-request-id')).toBe('ci-17');
    const odd = await trivet.fetch('/healthz', { headers: { 'x-request-id': 'a b"c' } });
    expect(odd.headers.get('x-request-id')).not.toContain('"');
  });

  test('the media type may have parameters and capitals', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8', authorization: `Bearer ${token}` };
    const response = await trivet.fetch('/api/tools/get-orgs-list', { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(200);
  });
});

describe('pages of others', () => {
  const preflight = (origin: string) =>
    trivet.fetch('/v1/auth/token/refresh', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  test('CORS is closed but for the origins that were named', async () => {
    const allowed = await preflight('https://app.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    // App builds send it besides the headers of the interface specification.
    const headers = (allowed.headers.get('access-control-allow-headers') ?? '').split(', ');
    expect(headers).toEqual(
      expect.arrayContaining(['authorization', 'auth-userid', 'codepush_version', 'x-api-key', 'user-email']),
    );
    const refused = await preflight('https://evil.example');
    // Not 404: whoever integrates the app would look for a fault in the path.
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('--cors-origin');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  });
  test('tools answer to the names of this server only', async () => {
    const status = async (headers: Record<string, string>) =>
      (await trivet.fetch('/api/tools', { headers: { authorization: `Bearer ${token}`, ...headers } }))
        .status;
    expect(await status({})).toBe(200);
    expect(await status({ host: 'trivet.example' })).toBe(200);
    expect(await status({ host: 'trivet.example:443' })).toBe(200);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'https://app.example' })).toBe(200);
    expect(await status({ origin: trivet.origin })).toBe(200);
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
  });
});

test('two Authorization headers are none', async () => {
  const { port } = new URL(trivet.origin);
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => {
      const line = `authorization: Bearer ${token}\r\n`;
      socket.write(
        `GET /v1/auth/token/verify HTTP/1.1\r\nhost: localhost\r\n${line}${line}connection: close\r\n\r\n`,
      );
    });
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
  });
  expect(answer).toContain('{"isAuthTokenValid":false}');
});

test('the OpenAPI document has a path for every operation and every route of a module', async () => {
  const { openapi, paths } = (await (await trivet.fetch('/openapi.json')).json()) as {
    openapi: string;
    paths: Record<string, Record<string, { requestBody?: { content: object } }>>;
  };
  expect(openapi).toBe('3.1.0');
  for (const name of trivet.kernel.operations.keys()) {
    expect(paths[`/api/tools/${name}`]?.['post']?.requestBody?.content).toHaveProperty(['application/json']);
  }
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([
      '/v1/auth/social/authenticate',
      '/v1/auth/token/verify',
      '/v1/auth/token/refresh',
      '/mcp',
    ]),
  );
});
