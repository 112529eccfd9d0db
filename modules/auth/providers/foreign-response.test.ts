import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { fetchForeign, ForeignResponseFault, readForeign } from './foreign-response.ts';

/* A server that anybody may name sends little that becomes much. */

const zeros = new Uint8Array(64 * 1024 * 1024);
const bombs: Readonly<Record<string, Buffer<ArrayBuffer>>> = {
  gzip: gzipSync(zeros),
  br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync(zeros),
};

let hostile: ReturnType<typeof Bun.serve>;
let asked: string | null;
beforeAll(() => {
  hostile = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      asked = request.headers.get('accept-encoding');
      const { pathname } = new URL(request.url);
      if (pathname === '/redirect') return Response.redirect('/plain', 302);
      if (pathname === '/plain') return new Response('{"a":1}');
      if (pathname === '/identity')
        return new Response('{}', { headers: { 'content-encoding': 'Identity' } });
      if (pathname === '/long') return new Response('x'.repeat(100_000));
      const encoding = pathname.slice(1);
      return new Response(bombs[encoding], { headers: { 'content-encoding': encoding } });
    },
  });
});
afterAll(() => hostile.stop(true));

const read = async (path: string, limit = 5 * 1024) =>
  (await readForeign(await fetchForeign(new URL(path, hostile.url)), limit)).toString('utf8');

const peakMiB = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

describe('a response of another server', () => {
  test.each(Object.keys(bombs))(
    'that is compressed by %s is refused before it is unpacked',
    async (encoding) => {
      const before = peakMiB();
      const refused = await read(encoding).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ForeignResponseFault);
      expect((refused as ForeignResponseFault).reason).toBe('encoding');
      expect(peakMiB() - before).toBeLessThan(32);
    },
  );

  test('that is too large is refused', async () => {
    const refused = await read('long').catch((error: unknown) => error);
    expect((refused as ForeignResponseFault).reason).toBe('size');
  });

  test('as it is asked for is read; a redirect is not followed', async () => {
    expect(await read('plain')).toBe('{"a":1}');
    expect(asked).toBe('identity');
    expect(await read('identity')).toBe('{}');
    expect((await fetchForeign(new URL('/redirect', hostile.url))).status).toBe(302);
  });
});
