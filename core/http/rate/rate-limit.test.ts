import { describe, expect, test } from 'bun:test';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { rateLimit } from './rate-limit.ts';

describe('a limit a minute', () => {
  const minute = 60_000;
  /** Requests with their times → whether one exceeded the limit, and what is left. */
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<readonly [number, string, boolean, number]>]> = [
    [
      'up to the limit, then no more',
      [
        [0, 'a', false, 2],
        [1, 'a', false, 1],
        [2, 'a', false, 0],
        [3, 'a', true, 0],
      ],
    ],
    [
      'each key for itself',
      [
        [0, 'a', false, 2],
        [0, 'b', false, 2],
        [0, 'a', false, 1],
      ],
    ],
    [
      'a minute after the first use it begins again',
      [
        [5, 'a', false, 2],
        [minute + 4, 'a', false, 1],
        [minute + 5, 'a', false, 2],
      ],
    ],
    [
      'refused ones count too, and change nothing',
      [
        [0, 'a', false, 2],
        [1, 'a', false, 1],
        [2, 'a', false, 0],
        [3, 'a', true, 0],
        [minute, 'a', false, 2],
      ],
    ],
    [
      'a clock that is set back does not close it for longer',
      [
        [minute, 'a', false, 2],
        [0, 'a', false, 2],
      ],
    ],
  ];
  test.each(cases)('%s', (_title, steps) => {
    const clock = stillClock(0);
    const limit = rateLimit('test', 3, clock);
    for (const [at, key, exceeded, remaining] of steps) {
      clock.set(at);
      const peeked = limit.peek(key);
      expect(limit.take(key)).toMatchObject({ limit: 3, exceeded, remaining });
      expect(peeked).toMatchObject({ exceeded, remaining });
    }
  });

  test('0 is none', () => {
    const limit = rateLimit('test', 0, stillClock());
    expect([limit.take('a'), limit.peek('a')]).toEqual([null, null]);
  });

  test('memory is bounded: the key that began first is forgotten', () => {
    const limit = rateLimit('test', 1, stillClock(), { keys: 2 });
    for (const key of ['a', 'b', 'c']) limit.take(key);
    expect(['a', 'b', 'c'].map((key) => limit.peek(key)?.exceeded)).toEqual([false, true, true]);
  });
});

describe('tools are limited per token', () => {
  test('over HTTP as 429 with the wait, over MCP as a failure with a tip; listing and other tokens go on', async () => {
    const clock = stillClock();
    const trivet = await startTestKernel({ clock, settings: { 'rate-tools': '2' } });
    const { accessToken } = await trivet.signIn('ann@example.org');
    const other = (await trivet.signIn('ann@example.org')).accessToken;
    const call = (token = accessToken) => trivet.post('/api/tools/list-sessions', {}, token);
    expect((await call()).headers.get('ratelimit-remaining')).toBe('1');
    expect((await call()).status).toBe(200);
    clock.advance(20_000);
    const refused = await call();
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: 'RATE_LIMITED', cause: 'tools', tip: 'Wait 40 seconds, then try again.' } },
    });
    expect(
      ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((n) =>
        refused.headers.get(n),
      ),
    ).toEqual(['40', '2', '0', '40']);
    expect(
      (await trivet.fetch('/api/tools', { headers: { authorization: `Bearer ${accessToken}` } })).status,
    ).toBe(200);
    expect((await call(other)).status).toBe(200);

    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list-sessions', arguments: {} },
    };
    const overMcp = await fetch(`${trivet.origin}/mcp?toolsets=auth`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
    });
    expect(await overMcp.text()).toContain('Tip: Wait 40 seconds, then try again.');
    clock.advance(40_000);
    expect((await call()).status).toBe(200);
    await trivet.stop();
  });
});
