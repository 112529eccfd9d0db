import { describe, expect, test } from 'bun:test';
import { Fault } from '../base/errors.ts';
import { remoteExecutor } from './remote-executor.ts';

/** One response of the server: a status with headers, an empty page, or none. */
type Answer = { readonly status: number; readonly headers?: Record<string, string> } | 'empty' | 'hang';

const tools = [
  { name: 'read-it', effect: 'read' },
  { name: 'write-it', effect: 'create' },
].map((tool) => ({ ...tool, toolset: 'x', title: '', description: '', inputSchema: { type: 'object' } }));

interface Hit {
  readonly at: number;
  readonly key: string | null;
}

/** A server that sends the given responses, then repeats the last one. */
async function against<T>(
  answers: readonly Answer[],
  work: (origin: string, hits: readonly Hit[]) => Promise<T>,
) {
  const hits: Hit[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (request.method === 'GET') return Response.json({ tools });
      const answer = answers[Math.min(hits.length, answers.length - 1)] ?? 'hang';
      hits.push({ at: performance.now(), key: request.headers.get('idempotency-key') });
      if (answer === 'hang') await Bun.sleep(10_000);
      if (answer === 'empty' || answer === 'hang') return new Response();
      const error = {
        code: answer.status === 429 ? 'RATE_LIMITED' : 'STORAGE_FAILED',
        message: 'No.',
        tip: 'Later.',
      };
      return answer.status === 200
        ? Response.json({ done: true })
        : Response.json({ error }, { status: answer.status, headers: answer.headers ?? {} });
    },
  });
  try {
    return await work(server.url.origin, hits);
  } finally {
    await server.stop(true);
  }
}

const ok: Answer = { status: 200 };
const call = async (
  origin: string,
  tool: string,
  { totalMs, key }: { totalMs?: number; key?: string } = {},
) => {
  const executor = remoteExecutor({ url: origin, token: 't' }, {}, totalMs === undefined ? {} : { totalMs });
  const options = {
    signal: new AbortController().signal,
    ...(key === undefined ? {} : { idempotencyKey: key }),
  };
  try {
    return { answer: await executor.call(tool, {}, options) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { code: error.code, tip: error.tip };
  }
};
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

describe('a server that refuses for rate did nothing: every tool waits and tries again', () => {
  const cases: ReadonlyArray<readonly [string, () => Record<string, string>, number, number]> = [
    ['seconds', () => ({ 'retry-after': '1' }), 950, 1_900],
    // A date has whole seconds, so it is up to one second too early.
    ['a date', () => ({ 'retry-after': inSeconds(2) }), 900, 2_900],
    ['RateLimit-Reset', () => ({ 'ratelimit-reset': '1' }), 950, 1_900],
    ['X-RateLimit-Reset', () => ({ 'x-ratelimit-reset': '1' }), 950, 1_900],
    [
      'X-RateLimit-Reset in epoch seconds',
      () => ({ 'x-ratelimit-reset': String(Date.now() / 1000 + 1) }),
      900,
      1_900,
    ],
    ['Retry-After-Ms before all others', () => ({ 'retry-after-ms': '300', 'retry-after': '9' }), 250, 1_900],
    ['nothing', () => ({}), 0, 3_000],
  ];
  test.concurrent.each(cases)('told by %s', async (_title, headers, least, most) => {
    for (const tool of ['read-it', 'write-it']) {
      await against([{ status: 429, headers: headers() }, ok], async (origin, hits) => {
        expect(await call(origin, tool)).toEqual({ answer: { done: true } });
        expect(hits.length).toBe(2);
        const waited = (hits[1]?.at ?? 0) - (hits[0]?.at ?? 0);
        expect(waited).toBeGreaterThanOrEqual(least);
        expect(waited).toBeLessThan(most);
      });
    }
  });

  test.concurrent('five times, then it says how long to wait', () =>
    against([{ status: 429, headers: { 'retry-after': '0' } }], async (origin, hits) => {
      expect(await call(origin, 'read-it')).toMatchObject({ code: 'RATE_LIMITED' });
      expect(hits.length).toBe(5);
    }));

  test.concurrent.each([
    ['seconds', { 'retry-after': '180' }],
    ['RateLimit-Reset', { 'ratelimit-reset': '180' }],
  ])('a wait beyond all patience, told by %s, is said at once instead of waited for', (_title, headers) =>
    against([{ status: 429, headers }], async (origin, hits) => {
      const since = performance.now();
      expect(await call(origin, 'write-it')).toEqual({
        code: 'RATE_LIMITED',
        tip: 'Wait 180 seconds, then try again.',
      });
      expect(hits.length).toBe(1);
      expect(performance.now() - since).toBeLessThan(1_000);
    }),
  );
});

test('an outage that is longer than all patience says how long to wait, too', () =>
  against([{ status: 503, headers: { 'retry-after': '180' } }], async (origin, hits) => {
    expect(await call(origin, 'read-it')).toEqual({
      code: 'STORAGE_FAILED',
      tip: 'Later. Wait 180 seconds, then try again.',
    });
    expect(hits.length).toBe(1);
  }));

/** @see A call over the rate limit failed at once: the window of 60 s was as long as the whole time for retries. */
test('a wait of a whole window of the server is waited for', () =>
  against([{ status: 429, headers: { 'retry-after': '60' } }], async (origin, hits) => {
    const gone = new AbortController();
    const executor = remoteExecutor({ url: origin, token: 't' }, {});
    const answer = executor.call('write-it', {}, { signal: gone.signal }).catch((error: unknown) => error);
    const first = await Promise.race([answer, Bun.sleep(1_000)]);
    gone.abort();
    expect([first, hits.length]).toEqual([undefined, 1]);
    await answer;
  }));

describe('an outage: what may have happened is not sent again', () => {
  const outages: ReadonlyArray<readonly [string, Answer]> = [
    ['502', { status: 502 }],
    ['503', { status: 503, headers: { 'retry-after': '0' } }],
    ['504', { status: 504 }],
  ];
  const calls: ReadonlyArray<readonly [string, string, string | undefined, number]> = [
    ['a read', 'read-it', undefined, 2],
    ['a write', 'write-it', undefined, 1],
    ['a write under a key', 'write-it', 'k-1', 2],
  ];
  test.concurrent.each(outages.flatMap((outage) => calls.map((one) => [...outage, ...one] as const)))(
    '%s, %#',
    async (_status, answer, _title, tool, key, sent) =>
      against([answer, ok], async (origin, hits) => {
        const result = await call(origin, tool, key === undefined ? {} : { key });
        expect(result).toEqual(
          sent === 2 ? { answer: { done: true } } : { code: 'STORAGE_FAILED', tip: 'Later.' },
        );
        expect(hits.map((hit) => hit.key)).toEqual(Array<string | null>(sent).fill(key ?? null));
      }),
  );

  test.concurrent.each(['read-it', 'write-it'])('silence: %s ends when its time is over', (tool) =>
    against(['hang'], async (origin, hits) => {
      const since = performance.now();
      expect(await call(origin, tool, { totalMs: 700 })).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
      expect(performance.now() - since).toBeLessThan(2_000);
      expect(hits.length).toBe(1);
    }),
  );

  test.concurrent('429, then 503, then silence', () =>
    against(
      [
        { status: 429, headers: { 'retry-after': '0' } },
        { status: 503, headers: { 'retry-after': '0' } },
        'hang',
      ],
      async (origin, hits) => {
        expect(await call(origin, 'read-it', { totalMs: 1_500 })).toMatchObject({
          code: 'UPSTREAM_UNREACHABLE',
        });
        expect(hits.length).toBe(3);
      },
    ));

  test.concurrent('an answer that is not Trivet’s', () =>
    against(['empty'], async (origin, hits) => {
      expect(await call(origin, 'write-it')).toMatchObject({ code: 'UPSTREAM_FAILED' });
      expect(hits.length).toBe(1);
    }));

  /** @see Finding: each of these was "cannot be reached", after as many attempts as for an outage, or a missing route with exit code 1. */
  test.concurrent.each<[string, () => Response, RegExp]>([
    [
      'the redirect of a proxy from http to https',
      () => new Response(null, { status: 301, headers: { location: 'https://trivet.example/api/tools' } }),
      /sends on to https:\/\/trivet\.example\. .*--url https:\/\/trivet\.example\./,
    ],
    [
      'the redirect of a sign-in',
      () => new Response(null, { status: 302, headers: { location: '/sign-in' } }),
      /sends on to .* signs in/,
    ],
    [
      'a page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      /is not Trivet\. .*before \/console/,
    ],
    [
      'a path below Trivet',
      () => Response.json({ error: { code: 'NOT_FOUND', message: '' } }, { status: 404 }),
      /is not Trivet/,
    ],
  ])('%s in place of the tools', async (_title, answer, said) => {
    let hits = 0;
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => (hits++, answer()) });
    const executor = remoteExecutor({ url: server.url.origin, token: 't' }, {});
    const fault = (await executor.tools().catch((error: unknown) => error)) as Fault;
    await server.stop(true);
    expect([fault.code, hits]).toEqual(['UPSTREAM_FAILED', 1]);
    expect(`${fault.message} ${fault.tip}`).toMatch(said);
  });

  /** @see The body of a response was read only after the last retry. */
  test.concurrent.each([
    ['content-length: 100', 'read-it', undefined, 2],
    ['content-length: 100', 'write-it', undefined, 1],
    ['content-length: 100', 'write-it', 'k-1', 2],
    ['transfer-encoding: chunked', 'read-it', undefined, 2],
    ['transfer-encoding: chunked', 'write-it', undefined, 1],
  ])(
    'an answer that breaks off (%s): %s under the key %p is sent %d times',
    async (framing, tool, key, sent) => {
      let hits = 0;
      const list = JSON.stringify({ tools });
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n';
      const server = Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: {
          data: (socket, chunk) => {
            if (chunk.toString('latin1').startsWith('GET')) {
              socket.end(`${head}content-length: ${list.length}\r\n\r\n${list}`);
            } else if (chunk.toString('latin1').startsWith('POST')) {
              hits++;
              const part = framing.startsWith('content') ? '{"do' : '4\r\n{"do\r\n';
              const whole = 'content-length: 13\r\n\r\n{"done":true}';
              socket.end(hits === 1 ? `${head}${framing}\r\n\r\n${part}` : head + whole);
            }
          },
        },
      });
      const answer = await call(`http://127.0.0.1:${server.port}`, tool, key ? { key } : {});
      server.stop(true);
      expect(answer).toMatchObject(
        sent === 1 ? { code: 'UPSTREAM_UNREACHABLE' } : { answer: { done: true } },
      );
      expect(hits).toBe(sent);
    },
  );

  test.concurrent.each([
    ['read-it', undefined, 5],
    ['write-it', undefined, 1],
    ['write-it', 'k-1', 5],
  ])(
    'a connection that breaks before the answer: %s under the key %p is sent %d times',
    async (tool, key, sent) => {
      let hits = 0;
      const list = JSON.stringify({ tools });
      const server = Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: {
          data: (socket, chunk) => {
            if (chunk.toString('latin1').startsWith('GET')) {
              socket.write(
                `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${list.length}\r\n\r\n${list}`,
              );
            } else if (chunk.toString('latin1').startsWith('POST')) {
              hits++;
            }
            socket.end();
          },
        },
      });
      const answer = await call(`http://127.0.0.1:${server.port}`, tool, {
        totalMs: 30_000,
        ...(key ? { key } : {}),
      });
      server.stop(true);
      expect(answer).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
      expect(hits).toBe(sent);
    },
    30_000,
  );
});
