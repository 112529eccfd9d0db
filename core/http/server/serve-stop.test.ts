import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { Type } from '@sinclair/typebox';
import { startTestKernel } from '../../../test/kernel.ts';
import { settled } from '../../../test/rejection.ts';
import { signedIn } from '../../base/actor.ts';
import { defineModule } from '../../module/module.ts';
import { operation } from '../../tools/operation.ts';

const unhurried = defineModule({
  name: 'unhurried',
  requires: ['auth'],
  operations: [
    operation({
      name: 'take-time',
      toolset: 'unhurried',
      title: 'Take time',
      description: 'Answers after 300 ms.',
      input: Type.Object({}, { additionalProperties: false }),
      output: Type.Object({}),
      access: signedIn(),
      effect: 'read',
      handler: async () => {
        await Bun.sleep(300);
        return { done: true };
      },
    }),
  ],
});

test('stopping lets requests in flight finish and takes no new ones', async () => {
  const server = await startTestKernel({ plugins: [unhurried] });
  const { accessToken } = await server.signIn('a@b.co');
  const slow = server.post('/api/tools/take-time', {}, accessToken);
  await Bun.sleep(100);
  const stopped = server.stop();
  expect(await slow).toMatchObject({ status: 200, body: { done: true } });
  await stopped;
  expect(await settled(fetch(`${server.origin}/healthz`))).toThrow();
});

describe('stopping while requests go on, each on a connection of its own', () => {
  /** The first line of the response, or the code of the error. */
  const ask = (port: number, text: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => {
        resolve(chunk.toString().slice(9, 12));
        socket.destroy();
      });
      socket.on('error', (error) => resolve('code' in error ? String(error.code) : 'error'));
      socket.on('close', () => resolve('closed'));
    });
  const launch =
    'POST /cta/active/state-machines/ HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\n' +
    'auth-userid: 5\r\napi_version: 1\r\ncontent-length: 2\r\n\r\n{}';
  const health = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

  test.each([
    ['GET', health],
    ['POST', launch],
  ])('none is cut off: %s', async (_method, text) => {
    const server = await startTestKernel();
    const port = Number(new URL(server.origin).port);
    const seen = new Map<string, number>();
    const client = async () => {
      for (let answer = '200'; answer !== 'ECONNREFUSED';) {
        answer = await ask(port, text);
        seen.set(answer, (seen.get(answer) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 16 }, client);
    await Bun.sleep(200);
    await server.stop();
    await Promise.all(clients);
    expect([...seen.keys()].toSorted()).toEqual(['200', 'ECONNREFUSED']);
    expect(seen.get('200')).toBeGreaterThan(16);
  });

  test('with --stop-delay it answers on, but says that it is not ready', async () => {
    const server = await startTestKernel({ settings: { 'stop-delay': '1' } });
    const port = Number(new URL(server.origin).port);
    const statusOf = async (path: string) => (await server.fetch(path)).status;
    expect([await statusOf('/readyz'), await statusOf('/healthz')]).toEqual([200, 200]);
    const began = performance.now();
    const stopped = server.stop();
    expect(await (await server.fetch('/readyz')).json()).toMatchObject({
      error: { code: 'NOT_READY', message: expect.stringContaining('The server is stopping.') as string },
    });
    expect([await statusOf('/readyz'), await ask(port, launch)]).toEqual([503, '200']);
    await stopped;
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(await ask(port, health)).toBe('ECONNREFUSED');
  });
});

test('stopping lets a call over /mcp finish too, and one whose client has gone does not hold it up', async () => {
  const server = await startTestKernel({ plugins: [unhurried] });
  const { accessToken } = await server.signIn('a@b.co');
  const callTool = (signal?: AbortSignal) =>
    server.fetch('/mcp?toolsets=unhurried', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${accessToken}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'take-time', arguments: {} },
      }),
      ...(signal ? { signal } : {}),
    });
  const gone = new AbortController();
  const abandoned = callTool(gone.signal).catch(() => null);
  await Bun.sleep(50);
  gone.abort();
  await abandoned;
  const slow = callTool().then((response) => response.text());
  await Bun.sleep(100);
  const startedAt = performance.now();
  const stopped = server.stop();
  expect(await slow).toContain('"structuredContent":{"done":true}');
  await stopped;
  expect(performance.now() - startedAt).toBeLessThan(3000);
});
