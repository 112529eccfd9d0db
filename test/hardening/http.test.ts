import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { compiled, requireBuilt, runTrivet, serveTrivet } from '../executable.ts';
import { startTestKernel, type TestKernel } from '../kernel.ts';
import { deltaPath, launchPath } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import { getBytes, sendBytes, statusOf } from './raw-http.ts';

/*
 * Attacks of a browser, a proxy and a scanner on the HTTP port: foreign Host and Origin, CORS, required response headers, paths that mean
 * another path.
 *
 * Mutation note: seen to fail when the guard compares only the beginning of a name, when /mcp is served without guard, when serve.ts sends
 * CORS headers to everybody, when a header of securityHeaders is left out, and when runServe says nothing about an address that others can
 * reach.
 */
let trivet: TestKernel;
let token = '';
beforeAll(async () => {
  requireBuilt();
  trivet = await startTestKernel({ settings: { 'cors-origin': 'https://app.example' } });
  token = (await trivet.signIn('a@example.org')).accessToken;
});
afterAll(() => trivet.stop());

const raw = (bytes: string, port = Number(new URL(trivet.origin).port)) => sendBytes(bytes, port);
const get = (path: string, lines: readonly string[], host?: string) => raw(getBytes(path, lines, host));

describe('Host and Origin', () => {
  const evil = [
    'evil.example',
    'localhost.evil.example',
    'evil.example:8787',
    'localhost:80@evil.example',
    '127.0.0.1.nip.io',
    '0x7f.1',
    '2130706433',
    '127.1',
    '[::ffff:127.0.0.1]',
    'localhost,evil.example',
    'evil.example#localhost',
    'LOCALHOST.EVIL',
  ];
  test.each(evil)('a request to %s is refused where tools are', async (host) => {
    for (const path of ['/api/tools', '/mcp']) {
      const answer = await get(path, [`Authorization: Bearer ${token}`], `Host: ${host}`);
      expect([400, 403]).toContain(statusOf(answer));
      expect(answer).not.toContain('get-orgs-list');
    }
  });
  test('no Host at all is refused', async () => {
    expect(statusOf(await get('/api/tools', [`Authorization: Bearer ${token}`], ''))).toBe(400);
  });
  /** @see Finding: `POST /mcp HTTP/1.0` without Host was answered with 500, because its url is a bare path. */
  test('no Host in HTTP/1.0 is refused where tools are, and needed nowhere else', async () => {
    const old = (line: string) =>
      raw(`${line} HTTP/1.0\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2\r\n\r\n{}`);
    expect(statusOf(await old('POST /mcp?toolsets=runs'))).toBe(403);
    expect(statusOf(await old('POST /api/tools/get-orgs-list'))).toBe(403);
    expect(await old('GET /v1/auth/sessions?limit=0')).toMatch(/^HTTP\/1.1 400[^]*limit/);
  });
  /** @see Finding: Area A and Area B accepted any Host, so a page using DNS rebinding could act for the apps on this machine. */
  test.each(evil)('a request to %s is refused on every route but health', async (host) => {
    for (const path of [
      '/v1/auth/token/verify',
      '/cta/nudge/preview/x',
      '/.well-known/jwks.json',
      '/schemas/cta-rule.json',
      '/openapi.json',
    ])
      expect([400, 403]).toContain(statusOf(await get(path, [], `Host: ${host}`)));
  });
  test('health is answered under any name', async () => {
    expect(statusOf(await get('/healthz', [], 'Host: 10.0.0.7:8787'))).toBe(200);
  });
  /** @see Finding: Elysia searches for the path from the eleventh character of the url on. */
  test('a Host of a few characters leads to the path that was asked for', async () => {
    const short = await startTestKernel({ settings: { 'allowed-hosts': 'a,ab,abc' } });
    const { port } = new URL(short.origin);
    for (const host of ['a', 'ab', 'abc']) {
      const answer = await raw(
        `GET /v1/auth/token/verify HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        Number(port),
      );
      expect([host, answer.split('\r\n\r\n')[1]]).toEqual([host, '{"isAuthTokenValid":false}']);
    }
    await short.stop();
  });
  test('on every address of the machine, any address is its own name; names are not', async () => {
    const open = await startTestKernel({ settings: { host: '0.0.0.0', dev: 'false' } });
    const { port } = new URL(open.origin);
    const verify = async (host: string) =>
      statusOf(
        await raw(
          `GET /v1/auth/token/verify HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
          Number(port),
        ),
      );
    expect(await verify('192.168.1.7:8787')).toBe(200);
    expect(await verify('[2001:db8::7]:8787')).toBe(200);
    expect(await verify('evil.example')).toBe(403);
    await open.stop();
  });
  const good = ['localhost', 'LOCALHOST', 'localhost:1', '127.0.0.1', '[::1]:8787'];
  test.each(good)('a request to %s is served', async (host) => {
    expect(statusOf(await get('/api/tools', [`Authorization: Bearer ${token}`], `Host: ${host}`))).toBe(200);
  });
  const origins = [
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'https://app.example.evil',
    'file://',
    'http://127.0.0.1:1',
  ];
  test.each(origins)(
    'a page of %s may not call tools, and no page of it may read an answer',
    async (origin) => {
      for (const [path, method] of [
        ['/api/tools', 'GET'],
        ['/api/tools/get-orgs-list', 'POST'],
        ['/mcp', 'POST'],
      ] as const) {
        const headers = { origin, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const response = await trivet.fetch(path, {
          method,
          headers,
          ...(method === 'POST' ? { body: '{}' } : {}),
        });
        expect(response.status).toBe(403);
      }
      for (const path of ['/healthz', '/openapi.json', '/v1/auth/token/verify', '/.well-known/jwks.json']) {
        const response = await trivet.fetch(path, { headers: { origin } });
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
    },
  );
  test('credentials are never allowed across origins, and a cache keeps the answers apart', async () => {
    const response = await trivet.fetch('/healthz', { headers: { origin: 'https://app.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('vary')).toBe('Origin');
  });
});

test('every answer carries the security headers', async () => {
  const json = { 'content-type': 'application/json' };
  const requests: ReadonlyArray<readonly [string, RequestInit]> = [
    ['/healthz', {}],
    ['/nowhere', {}],
    ['/openapi.json', {}],
    ['/api/tools', {}],
    ['/api/tools', { headers: { authorization: `Bearer ${token}` } }],
    ['/mcp', { method: 'POST', body: '{}', headers: json }],
    ['/mcp', {}],
    [launchPath, { method: 'POST' }],
    [deltaPath, { method: 'POST', body: '{', headers: { ...json, 'auth-userid': '1', api_version: '1' } }],
    ['/v1/auth/token/verify', {}],
    ['/v1/auth/token/refresh', { method: 'POST', body: '{}', headers: json }],
  ];
  for (const [path, init] of requests) {
    const { headers } = await trivet.fetch(path, init);
    const sent = {
      'x-content-type-options': headers.get('x-content-type-options'),
      'content-security-policy': headers.get('content-security-policy'),
      'referrer-policy': headers.get('referrer-policy'),
      'x-request-id': /^[\w.-]{1,64}$/.test(headers.get('x-request-id') ?? ''),
      server: headers.get('server'),
      'x-powered-by': headers.get('x-powered-by'),
    };
    expect([path, sent]).toEqual([
      path,
      {
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-request-id': true,
        server: null,
        'x-powered-by': null,
      },
    ]);
  }
});

describe('paths that mean another path', () => {
  const paths = [
    '/%2e%2e/%2e%2e/etc/passwd',
    '/../../etc/passwd',
    '/..%2f..%2fetc/passwd',
    '//etc/passwd',
    '///healthz/../etc/passwd',
    '/healthz%00',
    '/healthz%00.json',
    '/\u0000',
    '/.%00./',
    '/api//tools',
    '/api/tools/..%2f..%2fhealthz',
    '/%c0%ae%c0%ae/etc/passwd',
    '/api/tools/%c0%af',
    '/%',
    '/%f',
    '/cta/nudge/preview/%ff%fe',
    `/${'a'.repeat(12_000)}`,
    `/api/tools/${'%41'.repeat(3000)}`,
    '/HEALTHZ',
    '/healthz;x=1',
    '/healthz/.',
    '/api/tools/get-orgs-list/../../healthz',
    '\\..\\..\\windows',
  ];
  test.each(paths.map((path) => [path.slice(0, 60), path]))('%j', async (_title, path) => {
    const answer = await get(path, [`Authorization: Bearer ${token}`]);
    expect(answer).not.toMatch(/root:|\[fonts\]/);
    // Not found, refused, or no HTTP at all; the preview of an unknown id is null by specification.
    if (path.startsWith('/cta/nudge/preview/')) expect(answer).toContain('{"data":null}');
    else if (path !== '/healthz/.' && !path.endsWith('/healthz'))
      expect([0, 400, 404, 414, 431, 505]).toContain(statusOf(answer) || 0);
    else expect(statusOf(answer)).toBeLessThan(500);
  });
});

describe('no cache keeps what belongs to a person', () => {
  const calls: ReadonlyArray<readonly [string, string, object | undefined]> = [
    ['GET', '/api/tools', undefined],
    ['POST', '/api/tools/get-orgs-list', {}],
    ['POST', '/api/tools/create-access-token', { name: 'x', scopes: ['testmgmt:read'] }],
    ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ['GET', '/console/me', undefined],
    ['GET', '/console/backup', undefined],
    ['GET', '/v1/auth/sessions', undefined],
    ['GET', '/v1/auth/token/verify', undefined],
    ['GET', '/readyz', undefined],
    ['GET', '/nowhere', undefined],
  ];
  test.each(calls)('%s %s', async (method, path, body) => {
    const answer = await trivet.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await answer.text();
    expect(answer.headers.get('cache-control')).toMatch(/no-store/);
  });
});

describe('an address that others can reach', () => {
  test('is said loudly at start; loopback is not', async () => {
    const open = await serveTrivet(compiled, ['--host', '0.0.0.0', '--data', temporaryDirectory('open')]);
    await open.stop();
    expect(open.stderr()).toMatch(/"listening_without_tls","message":"WARNING: .*0\.0\.0\.0.*others.*TLS/m);
    const closed = await serveTrivet(compiled, ['--data', temporaryDirectory('open')]);
    await closed.stop();
    expect(closed.stderr()).not.toContain('WARNING');
  });
  const addresses = ['0.0.0.0', '::', '[::]', '192.0.2.1', 'example.org', '127.0.0.1.evil.example', ''];
  test.each(addresses)('--dev on %j is refused', async (host) => {
    const args = ['serve', '--port', '0', '--dev', `--host=${host}`, '--data', temporaryDirectory('open')];
    const refused = await runTrivet(compiled, args);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/--dev signs anyone in|--host/);
  });
});
