import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { startTestKernel, type TestKernel } from '../kernel.ts';
import { deltaPath, launchPath } from '../served.ts';
import { getBytes, sendBytes, statusOf } from './raw-http.ts';

/*
 * The limits on the size of a request: bodies that grow when decompressed, headers and bodies beyond their limits.
 *
 * Mutation note: seen to fail when readJson takes Content-Encoding: gzip.
 */
let trivet: TestKernel;
let token = '';
beforeAll(async () => {
  trivet = await startTestKernel();
  token = (await trivet.signIn('a@example.org')).accessToken;
});
afterAll(() => trivet.stop());

const get = (path: string, lines: readonly string[]) =>
  sendBytes(getBytes(path, lines), Number(new URL(trivet.origin).port));

describe('a body that grows when it is unpacked', () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20), { level: 9 });
  const paths = [
    '/v1/auth/token/refresh',
    '/v1/auth/social/authenticate',
    deltaPath,
    '/api/tools/get-orgs-list',
    '/mcp',
  ];
  const resident = () => process.memoryUsage().rss / 2 ** 20;
  test.each(paths)('%s', async (path) => {
    const before = resident();
    for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'zstd', 'identity, gzip', 'x-gzip']) {
      const response = await trivet.fetch(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-encoding': encoding,
          ...(path === deltaPath ? {} : { authorization: `Bearer ${token}` }),
          'auth-userid': '1',
          api_version: '1',
          accept: 'application/json, text/event-stream',
        },
        body: bomb,
      });
      await response.text();
      expect([encoding, response.status]).toEqual([encoding, path === '/mcp' ? expect.any(Number) : 415]);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
    }
    // Decompressed seven times it would be 448 MiB. Memory left by earlier tests of this process does not count.
    expect(resident() - before).toBeLessThan(200);
  });
});

describe('limits', () => {
  test('headers beyond what the parser takes are refused', async () => {
    const answer = await get('/healthz', [`X-Long: ${'a'.repeat(100_000)}`]);
    expect([0, 400, 431]).toContain(statusOf(answer) || 0);
    const many = await get(
      '/healthz',
      Array.from({ length: 3000 }, (_, n) => `X-${n}: a`),
    );
    expect([0, 400, 431]).toContain(statusOf(many) || 0);
    expect((await trivet.fetch('/healthz')).status).toBe(200);
  });

  const limits: ReadonlyArray<readonly [string, number]> = [
    ['/v1/auth/token/refresh', 64 * 1024],
    ['/v1/auth/token/revoke', 64 * 1024],
    ['/v1/auth/link', 64 * 1024],
    ['/v1/auth/social/authenticate', 64 * 1024],
    [launchPath, 1024 * 1024],
    [deltaPath, 1024 * 1024],
    ['/api/tools/get-orgs-list', 16 * 1024 * 1024],
    ['/mcp', 16 * 1024 * 1024],
  ];
  test.each(limits)('%s takes no body over %i bytes, announced or chunked', async (path, limit) => {
    const headers = {
      'content-type': 'application/json',
      'auth-userid': '1',
      api_version: '1',
      accept: 'application/json, text/event-stream',
      ...(path.startsWith('/cta') ? {} : { authorization: `Bearer ${token}` }),
    };
    const body = Buffer.alloc(limit + 1, 0x20);
    const announced = await trivet.fetch(path, { method: 'POST', headers, body });
    expect(announced.status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
        if (sent > 4 * limit + 64 * 1024 * 1024) controller.close();
      },
    });
    const chunked = await trivet.fetch(path, { method: 'POST', headers, body: endless }).catch(() => null);
    expect([null, 413]).toContain(chunked?.status ?? null);
    expect(sent).toBeLessThan(limit + 64 * 1024 * 1024);
  });
});
