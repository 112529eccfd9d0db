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
      { kind: 'repeat', generation: 5, rotatedAt: 1_000_000, graceUses: 1, forgiven: false },
    ],
    [
      'parent, at its last moment',
      {},
      4,
      graceMs,
      graceMs,
      { kind: 'repeat', generation: 5, rotatedAt: 1_000_000, graceUses: 1, forgiven: false },
    ],
    [
      'parent, a moment after the grace: the answer was lost',
      {},
      4,
      graceMs + 1,
      graceMs,
      { kind: 'repeat', generation: 5, rotatedAt: 1_000_000, graceUses: 1, forgiven: true },
    ],
    [
      'parent, after a day',
      { graceUses: 98 },
      4,
      86_400_000,
      graceMs,
      { kind: 'repeat', generation: 5, rotatedAt: 1_000_000, graceUses: 99, forgiven: true },
    ],
    ['parent, a moment after a day', {}, 4, 86_400_001, graceMs, { kind: 'revoke' }],
    ['parent, 101st time, after the grace', { graceUses: 100 }, 4, graceMs + 1, graceMs, { kind: 'revoke' }],
    ['parent, grace turned off, later', {}, 4, graceMs + 1, 0, { kind: 'revoke' }],
    ['grandparent, after the grace', {}, 3, graceMs + 1, graceMs, { kind: 'revoke' }],
    [
      'parent, 100th time',
      { graceUses: 99 },
      4,
      10,
      graceMs,
      { kind: 'repeat', generation: 5, rotatedAt: 1_000_000, graceUses: 100, forgiven: false },
    ],
    ['parent, 101st time', { graceUses: 100 }, 4, 10, graceMs, { kind: 'revoke' }],
    ['parent, grace turned off', {}, 4, 0, 0, { kind: 'revoke' }],
    ['grandparent, at once', {}, 3, 0, graceMs, { kind: 'revoke' }],
  ];
  test.each(cases)('%s', (_title, change, presented, later, grace, expected) => {
    const at = { ...session, ...change };
    const token = { generation: presented, issuedAt: at.rotatedAt };
    expect(rotate(at, token, { now: at.rotatedAt + later, graceMs: grace })).toEqual(expected as never);
  });
});

describe('a generation that is newer than the stored one: the database was restored', () => {
  const now = 2_000_000;
  const restored = (isNew: boolean) => ({ kind: 'restored', generation: 9, rotatedAt: now, isNew });
  const cases: ReadonlyArray<
    readonly [
      title: string,
      issuedAt: number,
      restoredAt: number | undefined,
      rotatedAt: number,
      outcome: object,
    ]
  > = [
    ['no restore is known', 1_200_000, undefined, 1_000_000, restored(true)],
    ['a restore was noted after it was issued', 1_200_000, 1_500_000, 1_000_000, restored(false)],
    ['in the moment of the restore', 1_500_000, 1_500_000, 1_000_000, restored(false)],
    ['the session has rotated since: a copy', 1_200_000, 1_500_000, 1_600_000, { kind: 'revoke' }],
    [
      'it was issued after the restore that is known: there was another one',
      1_700_000,
      1_500_000,
      1_600_000,
      restored(true),
    ],
  ];
  test.each(cases)('%s', (_title, issuedAt, restoredAt, rotatedAt, outcome) => {
    const token = { generation: 8, issuedAt };
    expect(rotate({ ...session, rotatedAt }, token, { now, graceMs, restoredAt })).toEqual(outcome as never);
  });
});

test('a refresh token ends after its idle time, and never after its session', () => {
  expect(refreshExpiry({ rotatedAt: 100, expiresAt: 1000 }, 50)).toBe(150);
  expect(refreshExpiry({ rotatedAt: 990, expiresAt: 1000 }, 50)).toBe(1000);
});
