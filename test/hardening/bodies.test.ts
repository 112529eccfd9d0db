import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startTestKernel, stillClock, type TestKernel } from '../kernel.ts';
import { launchPath } from '../served.ts';
import { toolsOf } from '../tools.ts';

/*
 * Bodies that cost more than they look: the sender is identified and counted before the body is read, and the body is refused before it is
 * complete.
 *
 * Mutation note: seen to fail when the scan is left out, when a body is read before the token is looked at, and when listing is not
 * counted.
 */
let trivet: TestKernel;
let token = '';
beforeAll(async () => {
  trivet = await startTestKernel({ settings: { 'rate-tools': '300' } });
  token = await adminToken();
});
afterAll(() => trivet.stop());

async function adminToken(): Promise<string> {
  const { accessToken } = await trivet.signIn('a@example.org');
  const { code } = await (await toolsOf(trivet)).call('invite-user', { orgId: 1, role: 'admin' });
  await trivet.post('/api/tools/accept-invitation', { code }, accessToken);
  return accessToken;
}

const mebibyte = 1024 * 1024;
const headers = (bearer?: string) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'auth-userid': '1',
  api_version: '1',
  ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
});
const list = (count: number, item: string) => `{"a":[${Array(count).fill(item).join(',')}]}`;

/** @see Finding: 16 MiB of `[` cost 0.9 to 2.5 s, before access and rate were checked. */
describe('what a body will cost is known before it is parsed', () => {
  const bodies: ReadonlyArray<readonly [string, string | Buffer, string]> = [
    ['16 MiB of [', Buffer.alloc(16 * mebibyte, '['), 'deeper than'],
    ['16 MiB of {"a":', Buffer.alloc(16 * mebibyte, '{"a":'), 'deeper than'],
    ['small objects', list(300_000, '{"a":1}'), 'too many values'],
    ['small texts', list(1_000_000, '""'), 'too many values'],
    ['empty lists', list(300_000, '[]'), 'too many values'],
  ];
  const paths = [
    '/api/tools/list-sessions',
    '/api/tools/import-tests',
    '/mcp',
    '/v1/auth/token/refresh',
    launchPath,
  ];
  test.each(bodies)('%s', async (_title, body, message) => {
    for (const path of paths) {
      const since = performance.now();
      const response = await trivet.fetch(path, {
        method: 'POST',
        headers: headers(path.startsWith('/cta') ? undefined : token),
        body,
      });
      const text = await response.text();
      expect([path, response.status]).toEqual([path, 413]);
      if (path.startsWith('/api') || path === '/mcp') expect(text).toContain(message);
      expect(performance.now() - since).toBeLessThan(500);
    }
  });

  test('a text of 16 MiB is one value and cheap', async () => {
    const body = JSON.stringify({ projectId: 1, content: 'x'.repeat(15 * mebibyte) });
    const response = await trivet.fetch('/api/tools/import-tests', {
      method: 'POST',
      headers: headers(token),
      body,
    });
    expect(response.status).toBe(404);
  });

  test('thousands of records and ids are allowed where a tool takes them, and only there', async () => {
    const ids = `{"projectId":1,"runName":"r","testIds":[${Array.from({ length: 100_000 }, (_, n) => n + 1)}]}`;
    const at = async (tool: string) =>
      (await trivet.post(`/api/tools/${tool}`, ids, token)).body as { error: { code: string } };
    expect((await at('create-run')).error.code).toBe('PROJECT_NOT_FOUND');
    expect((await at('list-sessions')).error.code).toBe('PAYLOAD_TOO_LARGE');
  });

  test('a body that is no JSON is a parse error of JSON-RPC at /mcp', async () => {
    const response = await trivet.fetch('/mcp', { method: 'POST', headers: headers(token), body: '{"a":' });
    expect([response.status, await response.json()]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) as string } },
    ]);
  });
});

describe('who sends a body comes before the body', () => {
  /** Sends a head and the beginning of a body that never ends. @returns the status of the response. */
  const statusBeforeBody = async (path: string, bearer?: string) => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array([0x20])),
    });
    const body = endless.pipeThrough(
      new TransformStream({
        transform: async (chunk, to) => {
          await Bun.sleep(5);
          to.enqueue(chunk);
        },
      }),
    );
    const response = await trivet.fetch(path, {
      method: 'POST',
      headers: headers(bearer),
      body,
      signal: AbortSignal.timeout(5_000),
    });
    return response.status;
  };
  test.each(['/api/tools/list-sessions', '/mcp'])('%s without a token', async (path) => {
    expect(await statusBeforeBody(path)).toBe(401);
  });
  test('a tool that does not exist, and one that the caller may not use', async () => {
    expect(await statusBeforeBody('/api/tools/no-such-tool', token)).toBe(404);
    const { accessToken } = await trivet.signIn('nobody@example.org');
    expect(await statusBeforeBody('/api/tools/create-project', accessToken)).toBe(403);
  });
  test('a token without calls left', async () => {
    const limited = await startTestKernel({ settings: { 'rate-tools': '1' } });
    const { accessToken } = await limited.signIn('b@example.org');
    const ask = (method: string, path: string, body?: string) =>
      limited.fetch(path, { method, headers: headers(accessToken), ...(body === undefined ? {} : { body }) });
    expect((await ask('GET', '/api/tools')).status).toBe(200);
    expect((await ask('GET', '/api/tools')).status).toBe(429);
    expect((await ask('POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status).toBe(200);
    const listed = await ask('POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect([listed.status, Number(listed.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await ask('POST', '/api/tools/list-sessions', '{')).status).toBe(429);
    await limited.stop();
  });
  test('each message of a batch counts', async () => {
    const limited = await startTestKernel({ settings: { 'rate-tools': '5' } });
    const { accessToken } = await limited.signIn('b@example.org');
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list-sessions', arguments: {} },
    };
    const send = (count: number) =>
      limited.fetch('/mcp?toolsets=auth', {
        method: 'POST',
        headers: headers(accessToken),
        body: JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...message, id }))),
      });
    expect((await send(5)).status).toBe(200);
    expect((await send(2)).status).toBe(429);
    await limited.stop();
  });
});

/** @see A removed administrator made somebody else one with a request whose last byte was held back until then. */
describe('the rights of a sender are those when the body has arrived', () => {
  const input = { orgId: 1, projectName: 'late' };
  const message = { name: 'create-project', arguments: input };
  const requests: ReadonlyArray<readonly [string, string, object]> = [
    ['a tool', '/api/tools/create-project', input],
    ['MCP', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: message }],
  ];
  const changes: ReadonlyArray<readonly [string, string, object, boolean]> = [
    ['is still one', 'set-user-role', { orgId: 1, role: 'admin' }, true],
    ['was made a member', 'set-user-role', { orgId: 1, role: 'member' }, false],
    ['was removed', 'remove-member', { orgId: 1 }, false],
    ['was disabled', 'set-user-status', { status: 'disabled' }, false],
    ['was signed out', 'revoke-session', {}, false],
  ];
  const clock = stillClock();
  let held: TestKernel;
  beforeAll(async () => void (held = await startTestKernel({ clock })));
  afterAll(() => held.stop());

  const cases = requests.flatMap(([what, path, body]) =>
    changes.map((change) => [what, ...change, path, body] as const),
  );
  test.each(cases)('%s by an administrator who %s', async (what, title, tool, change, may, path, body) => {
    const { call } = await toolsOf(held);
    const email = `${what} ${title}`.replaceAll(' ', '.');
    const { accessToken } = await held.signIn(`${email}@example.org`);
    const { code } = await call('invite-user', { orgId: 1, role: 'admin' });
    await held.post('/api/tools/accept-invitation', { code }, accessToken);
    const userId = Number(decodeJwt(accessToken).sub);
    const count = async () => (await call('get-projects', { orgId: 1 }))['total'];
    const before = await count();

    const bytes = new TextEncoder().encode(JSON.stringify(body));
    let finish = () => {};
    const slowly = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(bytes.subarray(0, -1));
        finish = () => {
          controller.enqueue(bytes.subarray(-1));
          controller.close();
        };
      },
    });
    const answer = held.fetch(path, { method: 'POST', headers: headers(accessToken), body: slowly });
    await Bun.sleep(50);
    await call(tool, { ...change, userId });
    clock.advance(1_001);
    finish();
    await (await answer).text();
    expect(await count()).toBe(Number(before) + (may ? 1 : 0));
  });
});
