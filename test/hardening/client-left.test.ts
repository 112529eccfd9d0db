import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { coreMetrics } from '../../core/metrics/core-metrics.ts';
import { startTestKernel, type TestKernel } from '../kernel.ts';
import { deltaPath, launchPath } from '../served.ts';

/* Telephones in tunnels and cancelled pipelines break off their requests, which is not a failure of the server. */

let trivet: TestKernel;
beforeAll(async () => {
  trivet = await startTestKernel();
});
afterAll(() => trivet.stop());

/** Sends a part of a body, then closes the connection. */
function breakOff(path: string, length: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const lines = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    'content-type: application/json',
    'auth-userid: 1',
    'api_version: 1',
    length,
  ];
  const part = length.startsWith('transfer') ? '5\r\n{"a":\r\n' : '{"a":';
  const socket = connect(Number(new URL(trivet.origin).port), '127.0.0.1', () => {
    socket.write(`${lines.join('\r\n')}\r\n\r\n${part}`);
    setTimeout(() => socket.destroy(), 30);
  });
  socket.on('close', () => resolve());
  return promise;
}

test('50 clients that break off a body are counted with a status of their own, and nothing is logged as an error', async () => {
  const small = ['content-length: 100', 'transfer-encoding: chunked'];
  const places = [
    ...['/v1/auth/social/authenticate', '/v1/auth/token/refresh'].flatMap((path) =>
      small.map((length) => [path, length] as const),
    ),
    ...[launchPath, deltaPath].flatMap((path) =>
      [...small, 'content-length: 300000'].map((length) => [path, length] as const),
    ),
  ];
  const cases = Array.from({ length: 50 }, (_, n) => places[n % places.length] ?? ['', '']);
  await Promise.all(cases.map(([path, length]) => breakOff(path, length)));
  await Bun.sleep(200);
  const counted: Record<string, number> = {};
  for (const { name, series } of trivet.counts.snapshot())
    if (name === coreMetrics.requests.name)
      for (const { labels, value } of series)
        if (value > 0) counted[labels[2] ?? ''] = (counted[labels[2] ?? ''] ?? 0) + value;
  expect(counted).toEqual({ '499': 50 });
  expect(trivet.logged.filter((line) => /"level":"(?:error|warn)"/.test(line))).toEqual([]);
}, 30_000);
