import { expect, test } from 'bun:test';
import { completeHeaders } from './response-headers.ts';

test('the seconds until a limit ends are rounded up: a client that comes back then is let in', () => {
  const response = new Response();
  const rate = { limit: 60, remaining: 0, resetMs: 1_001, exceeded: true };
  const exchange = { requestId: 'r1', clientAddress: () => '127.0.0.1', rate };
  completeHeaders(response, new Request('http://localhost/'), exchange, []);
  const names = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
  expect(names.map((name) => response.headers.get(name))).toEqual(['r1', '60', '0', '2']);
});
