import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { cleanEnvironment, compiled } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran, scaled, seed } from '../verify/scale.ts';
import { blurred, idPool } from './arguments.ts';
import { mcpMessage, type Tool } from './requests.ts';
import { startTarget, type Target } from './target.ts';

/*
 * Bytes that no client library would send: to the HTTP port and to MCP on stdin. Each connection is answered or closed within seconds, no
 * response is a 5xx, the next client is served; every line on stdout is JSON-RPC and the last ping is answered.
 *
 * Mutation note: seen to fail when faultAnswer throws for a path that is not there (the connection gets a bare 500), and when
 * core/mcp/mcp-tools.ts writes a word to stdout beside its answers (a line that is no JSON-RPC).
 */
let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
afterAll(async () => {
  expect(await target.served.running.stop()).toBe(0);
});

const line = fc.oneof(
  fc.constantFrom(
    'Host: localhost',
    'Host: localhost\r\nHost: evil.example',
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 99999999999999999999',
    'Content-Length: 0x10',
    'Content-Length: 5\r\nContent-Length: 6',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 5',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding : chunked',
    'Expect: 100-continue',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
    'Content-Type: application/json',
    'Content-Encoding: gzip',
    'auth-userid: 1\r\napi_version: 1',
    'Range: bytes=0-0,1-1,2-2',
    ' folded: value',
    'no colon at all',
    ': no name',
  ),
  fc
    .tuple(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 30 }))
    .map(([name, value]) => `${name}: ${value}`),
  fc.nat(20_000).map((length) => `X-Long: ${'a'.repeat(length)}`),
);
const request = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'get', 'PRI', 'CONNECT', 'G\u0000T', ''),
    path: fc.oneof(
      fc.constantFrom(
        '/',
        '/healthz',
        '/mcp',
        '/api/tools/get-orgs-list',
        '/cta/active/state-machines/',
        '/v1/auth/token/verify',
        '*',
        'http://evil.example/',
        '//evil.example/',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/..\\..\\',
        '/\u0000',
        '/a b',
        '/?' + 'q'.repeat(9000),
        'healthz',
      ),
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `/${text}`),
    ),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTP/1.1', ''),
    lines: fc.array(line, { maxLength: 6 }),
    end: fc.constantFrom('\r\n', '\n', '\r\n'),
    body: fc.oneof(
      fc.constantFrom(
        '',
        '{}',
        '5\r\nabcde\r\n0\r\n\r\n',
        'ffffffff\r\n',
        '-1\r\n',
        '0;ext=1\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n',
      ),
      fc.string({ maxLength: 50 }),
    ),
  })
  .map(({ method, path, version, lines, end, body }) =>
    [`${method} ${path} ${version}`, ...lines, '', body].join(end),
  );

const raw = fc.oneof(
  { weight: 5, arbitrary: blurred(request) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.tuple(request, request).map((two) => Buffer.from(two.join(''), 'latin1')) },
);

/** Sends bytes, ends its side, and returns everything received until the other side has ended, too. */
function exchange(origin: string, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    let answer = '';
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`neither answered nor closed; so far: ${answer.slice(0, 200)}`));
    }, 20_000);
    const settle = () => {
      clearTimeout(late);
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (chunk) => void (answer += chunk.toString('latin1')));
    socket.on('error', settle);
    socket.on('end', settle);
    socket.on('close', settle);
    socket.on('connect', () => socket.end(bytes));
  });
}

test('HTTP: raw bytes', async () => {
  const count = scaled(500, 20_000);
  let answered = 0;
  const before = target.memory();
  await fc.assert(
    fc.asyncProperty(fc.array(raw, { minLength: 8, maxLength: 8 }), async (together) => {
      const answers = await Promise.all(
        together.map((bytes) => exchange(target.served.running.origin, bytes)),
      );
      for (const [index, answer] of answers.entries()) {
        if (answer !== '') answered++;
        // 505 is the parser's response to another version of HTTP.
        if (/^HTTP\/1\.[01] 5(?!05)\d\d|root:x:0|\bat .*\.ts:\d/m.test(answer)) {
          const sent = together[index]?.toString('latin1').slice(0, 2_000);
          throw new Error(`${JSON.stringify(sent)} was answered: ${answer.slice(0, 500)}`);
        }
      }
      const health = await fetch(`${target.served.running.origin}/healthz`, {
        signal: AbortSignal.timeout(20_000),
      });
      expect(health.status).toBe(200);
    }),
    { seed, numRuns: Math.ceil(count / 8), endOnFailure: true },
  );
  expect(answered).toBeGreaterThan(count / 4);
  expect(target.memory()).toBeLessThan(Math.max(500, before * 2));
  ran(count, `raw exchanges of HTTP, ${answered} of them answered`);
}, 3_600_000);

const framing = (tools: readonly Tool[]) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: blurred(mcpMessage(tools, idPool()).map((message) => JSON.stringify(message) ?? '')),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('', '\r', '{', '[]', 'Content-Length: 2\r\n\r\n{}', '\uFEFF{}')
        .map((text) => Buffer.from(text)),
    },
  );

test('MCP on stdio: raw bytes', async () => {
  const count = scaled(600, 20_000);
  const perProcess = 300;
  const offered = await fetch(`${target.served.running.origin}/api/tools`, {
    headers: { authorization: `Bearer ${target.served.token}` },
  });
  const { tools } = (await offered.json()) as { tools: Tool[] };
  await fc.assert(
    fc.asyncProperty(
      fc.array(framing(tools), { minLength: perProcess, maxLength: perProcess }),
      async (messages) => {
        const child = Bun.spawn(
          [
            ...compiled.command,
            '--mcp',
            '--toolsets',
            'testmgmt,extra,cta',
            '--data',
            temporaryDirectory('fuzz'),
          ],
          {
            env: cleanEnvironment(),
            stdin: 'pipe',
            stdout: 'pipe',
            stderr: 'pipe',
          },
        );
        const [output, complaint] = [new Response(child.stdout).text(), new Response(child.stderr).text()];
        for (const message of messages) {
          // One message stays one line, whatever it contains.
          void child.stdin.write(Buffer.concat([message.filter((byte) => byte !== 10), Buffer.from('\n')]));
        }
        void child.stdin.write('{"jsonrpc":"2.0","id":"last","method":"ping"}\n');
        await child.stdin.end();
        const late = setTimeout(() => child.kill('SIGKILL'), 60_000);
        const exitCode = await child.exited;
        clearTimeout(late);
        const lines = (await output).split('\n').filter((text) => text !== '');
        const heard = lines.map(
          (text) => JSON.parse(text) as { jsonrpc?: unknown; id?: unknown; result?: unknown },
        );
        expect(heard.filter(({ jsonrpc }) => jsonrpc !== '2.0')).toEqual([]);
        expect(heard.find(({ id }) => id === 'last')).toEqual({ jsonrpc: '2.0', id: 'last', result: {} });
        expect({
          exitCode,
          complaint: (await complaint)
            .split('\n')
            .filter((text) => /"level":"error"|panic|\n\s+at /.test(text)),
        }).toEqual({ exitCode: 0, complaint: [] });
      },
    ),
    { seed, numRuns: Math.ceil(count / perProcess), endOnFailure: true },
  );
  ran(count, 'messages of MCP on stdio');
}, 3_600_000);
