import { expect, test } from 'bun:test';
import type { Claim } from '../replicate/generation-claim.ts';
import { isLapsed, lapseMs, takeoverWait, claimVerdictOf } from './standby-rules.ts';

const older = '20261124T100000000Z-00000001';
const newer = '20261124T110000000Z-00000002';

test.each([
  ['nothing was replicated', undefined, undefined, 'own'],
  ['its own', { id: newer, holder: 'me' }, { generation: older, own: true }, 'own'],
  [
    'its own, begun by an earlier version',
    { id: older, holder: undefined },
    { generation: older, own: true },
    'own',
  ],
  ['an older one than its own', { id: older, holder: 'other' }, { generation: newer, own: true }, 'missing'],
  ['an older one of its own', { id: older, holder: 'me' }, { generation: newer, own: true }, 'missing'],
  ['none, although it has begun one', undefined, { generation: older, own: true }, 'missing'],
  ['none, although it was restored from one', undefined, { generation: older, own: false }, 'own'],
  [
    'that which it was restored from',
    { id: older, holder: 'other' },
    { generation: older, own: false },
    'restored',
  ],
  [
    'a newer one than it was restored from',
    { id: newer, holder: 'other' },
    { generation: older, own: false },
    'fenced',
  ],
  ['one that has replaced it', { id: newer, holder: 'other' }, { generation: older, own: true }, 'fenced'],
  [
    'one of an earlier version that has replaced it',
    { id: newer, holder: undefined },
    { generation: older, own: true },
    'fenced',
  ],
  ['that of a stranger', { id: older, holder: 'other' }, undefined, 'fenced'],
] as const)('the newest generation: %s', (_, newest, kept, verdict) => {
  expect(claimVerdictOf(newest, 'me', kept)).toBe(verdict);
});

test.each([
  ['both clocks agree', { steady: 5_999, wall: 5_999 }, false],
  ['at the end', { steady: 6_000, wall: 6_000 }, true],
  ['the wall clock was set back', { steady: 6_000, wall: -9_000 }, true],
  ['the steady clock stood still while the machine slept', { steady: 10, wall: 60_000 }, true],
] as const)('a lease of 6 s: %s', (_, now, lapsed) => {
  const from = { steady: 0, wall: 0 };
  expect(isLapsed(from, now, 6_000)).toBe(lapsed);
  expect(isLapsed(undefined, now, 6_000)).toBe(true);
  expect(isLapsed(from, now, 0)).toBe(false);
  expect(isLapsed(undefined, now, 0)).toBe(false);
  expect(lapseMs(from, now)).toBe(Math.max(now.steady, now.wall));
});

test('a takeover waits longer than the longest lease of the others', () => {
  const claim = (holder: string, state: Claim['state'], leaseMs: number): Claim => ({
    format: 1,
    holder,
    state,
    leaseMs,
    count: 1,
    at: 0,
    coveredAt: 0,
  });
  expect(takeoverWait([claim('me', 'held', 60_000)], 'me')).toEqual({ waitMs: 0, unsure: [] });
  expect(takeoverWait([claim('a', 'released', 60_000)], 'me')).toEqual({ waitMs: 0, unsure: [] });
  const { waitMs, unsure } = takeoverWait(
    [claim('a', 'held', 6_000), claim('b', 'held', 9_000), claim('c', 'held', 0)],
    'me',
  );
  expect(waitMs).toBeGreaterThan(9_000);
  expect(unsure.map(({ holder }) => holder)).toEqual(['c']);
});
