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

test.each([
  ['https://app.example', 'https://app.example', true],
  ['https://other.example', null, false],
])('a page of %s may read what a client needs besides the body: %p', (origin, allowed, reads) => {
  const response = new Response();
  const request = new Request('http://localhost/', { headers: { origin } });
  completeHeaders(response, request, { requestId: 'r1', clientAddress: () => '127.0.0.1' }, [
    'https://app.example',
  ]);
  expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
  const readable = (response.headers.get('access-control-expose-headers') ?? '').split(', ');
  for (const name of ['Retry-After', 'X-Request-Id', 'WWW-Authenticate', 'RateLimit-Reset'])
    expect([name, readable.includes(name)]).toEqual([name, reads]);
});
