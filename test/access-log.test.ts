import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { compiled, createToken, runTrivet, serveTrivet } from './executable.ts';
import { startTestKernel, type TestKernel } from './kernel.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * One line per request says who asked for what and the outcome, and contains nothing that must not be in a log. Mutation note: seen to fail
 * when the line has the path, or the whole URL, instead of the pattern.
 */
let trivet: TestKernel;
let token: string;
beforeAll(async () => {
  trivet = await startTestKernel({ settings: { 'access-log': 'true', 'trusted-proxies': '1' } });
  token = (await trivet.signIn('ann@example.org')).accessToken;
});
afterAll(() => trivet.stop());

/** Waits for the end of the turn of the event loop, when its lines are written. */
const written = () => new Promise((resolve) => setImmediate(resolve));

const lines = () =>
  trivet.logged
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'access');

describe('a line says', () => {
  const bearer = () => ({ authorization: `Bearer ${token}` });
  const ping = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get-orgs-list', arguments: {} },
  };
  const accept = 'application/json, text/event-stream';
  const cases: ReadonlyArray<readonly [string, () => Promise<Response>, object]> = [
    [
      'what was asked',
      () => trivet.fetch('/healthz?secret=1'),
      { method: 'GET', route: '/healthz', status: 200 },
    ],
    [
      'which address, behind a proxy',
      () => trivet.fetch('/healthz', { headers: { 'x-forwarded-for': '203.0.113.9' } }),
      { address: '203.0.113.9' },
    ],
    [
      'the id that the client gave',
      () => trivet.fetch('/healthz', { headers: { 'x-request-id': 'mine-1' } }),
      { requestId: 'mine-1' },
    ],
    [
      'no path that no route has',
      () => trivet.fetch('/ann@example.org?q=secret'),
      { route: '(none)', status: 404 },
    ],
    [
      'which tool a user called',
      () => trivet.fetch('/api/tools/get-orgs-list', { method: 'POST', headers: bearer() }),
      { route: '/api/tools/:name', tool: 'get-orgs-list', userId: expect.any(Number) as number, status: 200 },
    ],
    [
      'which tool over MCP',
      () =>
        trivet.fetch('/mcp', {
          method: 'POST',
          headers: {
            ...bearer(),
            accept,
            'content-type': 'application/json',
            'mcp-protocol-version': '2025-11-25',
          },
          body: JSON.stringify(ping),
        }),
      { route: '/mcp', tool: 'get-orgs-list', status: 200 },
    ],
    [
      'nothing of a tool that does not exist',
      () => trivet.fetch('/api/tools/secret-words', { method: 'POST', headers: bearer() }),
      { route: '/api/tools/:name', status: 404 },
    ],
  ];
  test.each(cases)('%s', async (_title, ask, expected) => {
    await written();
    const before = lines().length;
    const response = await ask();
    const bytes = (await response.arrayBuffer()).byteLength;
    await written();
    const [line, ...others] = lines().slice(before);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ level: 'info', bytes, ...expected });
    expect(line?.['ms']).toBeNumber();
    expect(JSON.stringify(line)).not.toMatch(/secret|example\.org|eyJ|Bearer/);
  });
});

test('the bytes of a file are counted to its end', async () => {
  const where = ['--data', temporaryDirectory('access')];
  const server = await serveTrivet(compiled, [...where, '--access-log']);
  const authorization = `Bearer ${await createToken(compiled, where)}`;
  const call = (tool: string, input: object) =>
    fetch(`${server.origin}/api/tools/${tool}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
  const project = await call('create-project', { orgId: 1, projectName: 'Files' });
  const { projectId } = (await project.json()) as { projectId: number };
  const tests = Array.from({ length: 2_000 }, (_, n) => ({
    testName: `Test ${n}`,
    testDescription: 'x'.repeat(200),
  }));
  expect((await call('bulk-add-tests', { projectId, tests })).status).toBe(200);
  const { byteLength } = await (await call('download-tests', { projectId, format: 'csv' })).arrayBuffer();
  await server.stop();
  expect(byteLength).toBeGreaterThan(400_000);
  expect(server.stderr()).toContain(`"bytes":${byteLength},`);
});

test('it is off unless asked for, and the level of the log does not silence it', async () => {
  const data = temporaryDirectory('access');
  for (const [flags, count] of [
    [[], 0],
    [['--access-log', '--log-level', 'error'], 1],
  ] as const) {
    const server = await serveTrivet(compiled, ['--data', data, ...flags]);
    await fetch(`${server.origin}/healthz`);
    await server.stop();
    expect(server.stderr().split('"event":"access"').length - 1).toBe(count);
  }
  expect((await runTrivet(compiled, ['call', 'get-orgs-list', '--data', data])).stderr).toBe('');
});
