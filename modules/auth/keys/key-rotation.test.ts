import { describe, expect, test } from 'bun:test';
import { changesAt, rotationPlan, type KeyAge, type RotationPlan } from './key-rotation.ts';

const hour = 3_600_000;
const day = 24 * hour;
const policy = { everyMs: 30 * day, aheadMs: day, tokenMs: day + hour };
const now = 1000 * day;

const active = (age: number, kid = 'a'): KeyAge => ({ kid, status: 'active', since: now - age });
const next = (age: number): KeyAge => ({ kid: 'n', status: 'next', since: now - age });
const retired = (age: number, kid = 'r'): KeyAge => ({ kid, status: 'retired', since: now - age });
const nothing: RotationPlan = { make: null, activate: null, retire: [], drop: [] };

describe('what is due', () => {
  const cases: ReadonlyArray<readonly [string, KeyAge[], 'soon' | 'now' | null, Partial<RotationPlan>]> = [
    ['no key at all', [], null, { make: 'active' }],
    ['no active key, but a next one', [next(0)], null, { activate: 'n' }],
    ['a young key', [active(day)], null, {}],
    ['a key a moment before its last day', [active(29 * day - 1)], null, {}],
    ['a key on its last day', [active(29 * day)], null, { make: 'next' }],
    ['a key that is long overdue, after the server was off', [active(90 * day)], null, { make: 'next' }],
    ['a key of a clock that was years ahead', [active(-3650 * day)], null, { make: 'next' }],
    ['a key of a clock that was minutes ahead', [active(-hour)], null, {}],
    [
      'a next key of a clock that was years ahead: it would wait until then',
      [active(29 * day), next(-3650 * day)],
      null,
      { make: 'next', drop: ['n'] },
    ],
    ['the same before the active one is old', [active(day), next(-3650 * day)], null, { drop: ['n'] }],
    ['the same, asked for soon', [active(0), next(-3650 * day)], 'soon', { make: 'next', drop: ['n'] }],
    [
      'the same, asked for now',
      [active(0), next(-3650 * day)],
      'now',
      { make: 'active', retire: ['a'], drop: ['n'] },
    ],
    ['a next key of a clock that was minutes ahead', [active(29 * day), next(-hour)], null, {}],
    ['a next key that is not known long enough', [active(30 * day), next(day - 1)], null, {}],
    ['a next key that is', [active(30 * day), next(day)], null, { activate: 'n', retire: ['a'] }],
    ['a retired key whose tokens may live', [active(0), retired(day)], null, {}],
    ['a retired key whose tokens have ended', [active(0), retired(day + hour)], null, { drop: ['r'] }],
    [
      'two active keys, as two processes might leave them',
      [active(2, 'a'), active(1, 'b'), next(day)],
      null,
      { activate: 'n', retire: ['a', 'b'] },
    ],
    ['asked for soon', [active(0)], 'soon', { make: 'next' }],
    ['asked for soon twice', [active(0), next(0)], 'soon', {}],
    ['asked for now', [active(0)], 'now', { make: 'active', retire: ['a'] }],
    ['asked for now with a next key', [active(0), next(0)], 'now', { activate: 'n', retire: ['a'] }],
  ];
  test.each(cases)('%s', (_title, keys, asked, expected) => {
    expect(rotationPlan(keys, policy, now, asked)).toEqual({ ...nothing, ...expected });
  });
});

test('over two years with a look every hour: one key signs at any time, each was published a day before', () => {
  let keys: KeyAge[] = [];
  let made = 0;
  const publishedAt = new Map<string, number>();
  for (let at = 0; at < 730 * day; at += hour) {
    const plan = rotationPlan(keys, policy, at);
    keys = keys
      .filter(({ kid }) => !plan.drop.includes(kid))
      .map((key) => (plan.retire.includes(key.kid) ? { ...key, status: 'retired' as const, since: at } : key))
      .map((key) => (key.kid === plan.activate ? { ...key, status: 'active' as const, since: at } : key));
    if (plan.make) {
      const kid = `k${made++}`;
      publishedAt.set(kid, at);
      keys.push({ kid, status: plan.make, since: at });
    }
    expect(rotationPlan(keys, policy, at)).toEqual(nothing);
    const signing = keys.filter(({ status }) => status === 'active');
    expect(signing).toHaveLength(1);
    const [{ kid, since } = { kid: '', since: 0 }] = signing;
    if (kid !== 'k0') expect(since - (publishedAt.get(kid) ?? NaN)).toBeGreaterThanOrEqual(day);
    expect(keys.length).toBeLessThanOrEqual(3);
  }
  expect(made).toBe(25);
});

test.each<[KeyAge, number]>([
  [next(0), day],
  [active(0), 30 * day],
  [retired(0), day + hour],
])('a key changes when it is due, and not a moment before: %j', (key, after) => {
  const at = changesAt(key, policy);
  expect(at - now).toBe(after);
  // A next key replaces an active one.
  const others = key.status === 'active' ? [next(-after + day)] : [active(0)];
  expect(rotationPlan([key, ...others], policy, at - 1)).toEqual(nothing);
  expect(rotationPlan([key, ...others], policy, at)).not.toEqual(nothing);
});
