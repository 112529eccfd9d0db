import { describe, expect, test } from 'bun:test';
import { refreshExpiry, rotate } from './rotation.ts';

const graceMs = 30_000;
const session = { generation: 5, rotatedAt: 1_000_000, graceUses: 0 };

describe('what one presented refresh token does', () => {
  const cases: ReadonlyArray<readonly [string, Partial<typeof session>, number, number, number, object]> = [
    ['current, at once', {}, 5, 0, graceMs, { kind: 'advance', generation: 6, rotatedAt: 1_000_000 }],
    ['current, days later', {}, 5, 9e8, graceMs, { kind: 'advance', generation: 6, rotatedAt: 901_000_000 }],
    [
      'first token of a session',
      { generation: 0 },
      0,
      1,
      graceMs,
      { kind: 'advance', generation: 1, rotatedAt: 1_000_001 },
    ],
    [
      'parent, inside the grace',
      {},
      4,
      10,
      graceMs,
      { kind: 'repeat', generation: 5, rotatedAt: 1_000_000, graceUses: 1 },
    ],
    [
      'parent, at its last moment',
      {},
      4,
      graceMs,
      graceMs,
      { kind: 'repeat', generation: 5, rotatedAt: 1_000_000, graceUses: 1 },
    ],
    ['parent, a moment too late', {}, 4, graceMs + 1, graceMs, { kind: 'revoke' }],
    [
      'parent, 100th time',
      { graceUses: 99 },
      4,
      10,
      graceMs,
      { kind: 'repeat', generation: 5, rotatedAt: 1_000_000, graceUses: 100 },
    ],
    ['parent, 101st time', { graceUses: 100 }, 4, 10, graceMs, { kind: 'revoke' }],
    ['parent, grace turned off', {}, 4, 0, 0, { kind: 'revoke' }],
    ['grandparent, at once', {}, 3, 0, graceMs, { kind: 'revoke' }],
    ['a generation that was never given out', {}, 6, 0, graceMs, { kind: 'revoke' }],
  ];
  test.each(cases)('%s', (_title, change, presented, later, grace, expected) => {
    const at = { ...session, ...change };
    expect(rotate(at, presented, { now: at.rotatedAt + later, graceMs: grace })).toEqual(expected as never);
  });
});

test('a refresh token ends after its idle time, and never after its session', () => {
  expect(refreshExpiry({ rotatedAt: 100, expiresAt: 1000 }, 50)).toBe(150);
  expect(refreshExpiry({ rotatedAt: 990, expiresAt: 1000 }, 50)).toBe(1000);
});
