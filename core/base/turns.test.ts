import { describe, expect, test } from 'bun:test';
import { longestBlock } from '../../test/longest-block.ts';
import { settled } from '../../test/rejection.ts';
import { inTurns, nextTurn, partsInTurns, turnIsOver } from './turns.ts';

const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** CPU work for the given milliseconds, in steps. */
function* busy(ms: number): Generator<void, string> {
  for (let step = 0; step < ms; step++) {
    const until = processorMs() + 1;
    while (processorMs() < until);
    yield;
  }
  return 'done';
}

describe('turns', () => {
  test.each([1, 5, 20])('%d jobs of 100 ms at once let others in', async (jobs) => {
    const longest = await longestBlock(() =>
      Promise.all(Array.from({ length: jobs }, () => inTurns(busy(100)))),
    );
    expect(longest).toBeLessThan(60);
  });

  test('the same work without turns blocks', async () => {
    const longest = await longestBlock(async () => {
      for (const _ of busy(100));
    });
    expect(longest).toBeGreaterThan(90);
  });

  test('answers what the work returns, and throws what it throws', async () => {
    expect(await inTurns(busy(1))).toBe('done');
    const faulty = (function* (): Generator<void, never> {
      yield;
      throw new Error('faulty');
    })();
    expect(await settled(inTurns(faulty))).toThrow('faulty');
  });

  test('work whose client has gone ends at its next turn', async () => {
    const client = new AbortController();
    setTimeout(() => client.abort(new Error('gone')), 20);
    expect(await settled(inTurns(busy(5_000), client.signal))).toThrow('gone');
  });

  test('a list in parts is whole and in order', async () => {
    const items = Array.from({ length: 25 }, (_, i) => i);
    const parts: Array<readonly number[]> = [];
    for await (const part of partsInTurns(items, 10)) parts.push(part);
    expect(parts.map((part) => part.length)).toEqual([10, 10, 5]);
    expect(parts.flat()).toEqual(items);
  });

  test('a turn is over after 10 ms and begins anew after the next one was waited for', async () => {
    await nextTurn();
    turnIsOver();
    const until = performance.now() + 12;
    while (performance.now() < until);
    expect(turnIsOver()).toBe(true);
    await nextTurn();
    expect(turnIsOver()).toBe(false);
  });
});
