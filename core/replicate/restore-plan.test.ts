import { expect, test } from 'bun:test';
import { logKey, snapshotKey } from './replica-names.ts';
import { readGenerations, type Head, type Listed } from './replica-listing.ts';
import { noDigest } from './replica-object.ts';
import { isPlan, planRestore } from './restore-plan.ts';
import { expiredObjects } from './retention-plan.ts';

const first = '20261124T100000000Z-00000001';
const second = '20261124T200000000Z-00000002';

/** A digest that says which object it is of. */
const digest = (generation: string, sequence: number, twin = '') =>
  sequence === 0
    ? noDigest
    : new Bun.CryptoHasher('sha256').update(`${generation} ${sequence} ${twin}`).digest('hex');

const log = (
  generation: string,
  sequence: number,
  at: number,
  more: { ends?: boolean; twin?: string; since?: number } = {},
): Listed => ({
  key: logKey({
    generation,
    sequence,
    at,
    since: more.since ?? at - 1,
    ends: more.ends ?? true,
    previous: digest(generation, sequence - 1),
    digest: digest(generation, sequence, more.twin),
  }),
  bytes: 10,
});

const whole = (generation: string, sequence: number, at: number): Listed => ({
  key: snapshotKey({
    generation,
    sequence,
    at,
    previous: digest(generation, sequence),
    part: undefined,
    digest: digest(generation, sequence, 'whole'),
  }),
  bytes: 100,
});
const part = (generation: string, sequence: number, at: number): Listed => ({
  key: snapshotKey({
    generation,
    sequence,
    at,
    previous: digest(generation, sequence),
    part: 0,
    digest: digest(generation, sequence, 'part'),
  }),
  bytes: 100,
});
const chain = (generation: string, from: number, to: number, start: number): Listed[] =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    log(generation, from + index, start + (from + index) * 10),
  );

const head = (generation: string, sequence: number, at: number): [string, Head] => [
  generation,
  { sequence, digest: digest(generation, sequence), at },
];

/** A plan in short: the generation, the objects after the snapshot, or why there is none and what the last good moment is. */
function planOf(listed: readonly Listed[], heads: ReadonlyArray<[string, Head]>, at?: number): string {
  const plan = planRestore(readGenerations(listed, new Map(heads)), at);
  if (!isPlan(plan)) return `${plan.why}${plan.lastGood === undefined ? '' : ` ${plan.lastGood}`}`;
  const [way] = plan.ways;
  if (!way) return 'nothing';
  const of = way.generation === first ? 'first' : 'second';
  return `${of} snapshot ${way.snapshot.sequence} to ${way.logs.at(-1)?.sequence ?? way.snapshot.sequence}, ${plan.ways.length} ways`;
}

const simple = [whole(first, 0, 1_000), ...chain(first, 1, 5, 1_000)];
const twoSnapshots = [...simple, whole(first, 3, 1_030)];

test.each<
  [
    what: string,
    listed: readonly Listed[],
    heads: ReadonlyArray<[string, Head]>,
    at: number | undefined,
    plan: string,
  ]
>([
  ['nothing', [], [], undefined, 'empty'],
  ['parts alone', [part(first, 0, 1_000)], [], undefined, 'empty'],
  ['the end', simple, [], undefined, 'first snapshot 0 to 5, 1 ways'],
  ['the end, in any order', simple.toReversed(), [], undefined, 'first snapshot 0 to 5, 1 ways'],
  ['the end, two snapshots', twoSnapshots, [], undefined, 'first snapshot 3 to 5, 2 ways'],
  ['a moment', simple, [], 1_025, 'first snapshot 0 to 2, 1 ways'],
  ['the moment of an object', simple, [], 1_020, 'first snapshot 0 to 2, 1 ways'],
  ['a moment before the second snapshot', twoSnapshots, [], 1_029, 'first snapshot 0 to 2, 1 ways'],
  ['a moment after it', twoSnapshots, [], 1_041, 'first snapshot 3 to 4, 2 ways'],
  ['too early', simple, [], 999, 'too early'],
  ['later than what is known', simple, [], 1_051, 'too late 1050'],
  [
    'a quiet time that the head knows',
    simple,
    [head(first, 5, 9_000)],
    8_000,
    'first snapshot 0 to 5, 1 ways',
  ],
  ['later than the head', simple, [head(first, 5, 9_000)], 9_001, 'too late 9000'],
  [
    'an object in the middle is missing',
    simple.filter((_, index) => index !== 3),
    [],
    undefined,
    'missing 1020',
  ],
  [
    'a moment before the missing one',
    simple.filter((_, index) => index !== 3),
    [],
    1_020,
    'first snapshot 0 to 2, 1 ways',
  ],
  ['a moment after the missing one', simple.filter((_, index) => index !== 3), [], 1_045, 'missing 1020'],
  [
    'a later snapshot helps',
    twoSnapshots.filter((_, index) => index !== 2),
    [],
    1_045,
    'first snapshot 3 to 4, 1 ways',
  ],
  [
    'the end is missing, as the head knows',
    simple.slice(0, -1),
    [head(first, 5, 9_000)],
    undefined,
    'missing 1040',
  ],
  [
    'an old list, but the moment is in it',
    simple.slice(0, -1),
    [head(first, 5, 9_000)],
    1_040,
    'first snapshot 0 to 4, 1 ways',
  ],
  ['an old list, and the moment is not', simple.slice(0, -1), [head(first, 5, 9_000)], 1_041, 'missing 1040'],
  ['an old head', simple, [head(first, 3, 1_035)], undefined, 'first snapshot 0 to 5, 1 ways'],
  [
    'a transaction that is not complete',
    [...simple, log(first, 6, 1_060, { ends: false })],
    [],
    undefined,
    'first snapshot 0 to 5, 1 ways',
  ],
  [
    'a twin of the last object',
    [...simple, log(first, 5, 1_049, { twin: 'b' })],
    [],
    undefined,
    'first snapshot 0 to 5, 1 ways',
  ],
  [
    'a newer generation',
    [...simple, whole(second, 0, 2_000)],
    [],
    undefined,
    'second snapshot 0 to 0, 1 ways',
  ],
  [
    'a newer generation without a snapshot',
    [...simple, part(second, 0, 2_000)],
    [],
    undefined,
    'unfinished 1050',
  ],
  [
    'a moment before the newer one',
    [...simple, whole(second, 0, 2_000)],
    [],
    1_030,
    'first snapshot 0 to 3, 1 ways',
  ],
  ['a moment between both', [...simple, whole(second, 0, 2_000)], [], 1_500, 'too late 1050'],
  [
    'a moment of both: the newer one counts',
    [...simple, ...chain(first, 6, 200, 1_000), whole(second, 0, 2_000), log(second, 1, 2_100)],
    [],
    2_100,
    'second snapshot 0 to 1, 1 ways',
  ],
  [
    'files that are no objects',
    [...simple, { key: 'generations/x/log/1', bytes: 1 }, { key: 'other', bytes: 1 }],
    [],
    undefined,
    'first snapshot 0 to 5, 1 ways',
  ],
])('a restore is planned: %s', (_what, listed, heads, at, plan) => {
  expect(planOf(listed, heads, at)).toBe(plan);
});

test('what was committed while a target was away is known less exactly', () => {
  const listed = [whole(first, 0, 1_000), log(first, 1, 1_010), log(first, 2, 9_000, { since: 1_500 })];
  const plan = planRestore(readGenerations(listed, new Map()), 6_000);
  expect(isPlan(plan) && plan.ways[0]?.inexactMs).toBe(4_500);
});

const kept = (listed: readonly Listed[], own: string, keepFrom: number) => {
  const expired = expiredObjects(listed, readGenerations(listed, new Map()), { own, keepFrom });
  return listed.map(({ key }) => key).filter((key) => !expired.includes(key));
};
const keysOf = (...listed: Listed[]) => listed.map(({ key }) => key);

test.each<[what: string, listed: Listed[], own: string, keepFrom: number, left: string[]]>([
  ['nothing is old', simple, first, 0, keysOf(...simple)],
  ['the only snapshot stays', simple, first, 9_999, keysOf(...simple)],
  [
    'what is before the newest old snapshot goes',
    [...twoSnapshots, part(first, 0, 1_000)],
    first,
    1_035,
    keysOf(...simple.slice(4), whole(first, 3, 1_030)),
  ],
  [
    'a moment before the second snapshot is still wanted',
    twoSnapshots,
    first,
    1_029,
    keysOf(...twoSnapshots),
  ],
  [
    'an earlier generation goes when its end is old',
    [...simple, whole(second, 0, 2_000)],
    second,
    1_500,
    keysOf(whole(second, 0, 2_000)),
  ],
  [
    'but not before the newer one is complete',
    [...simple, part(second, 0, 2_000)],
    second,
    1_500,
    keysOf(...simple, part(second, 0, 2_000)),
  ],
  [
    'and not while its end is wanted',
    [...simple, whole(second, 0, 2_000)],
    second,
    1_050,
    keysOf(...simple, whole(second, 0, 2_000)),
  ],
])('retention: %s', (_what, listed, own, keepFrom, left) => {
  expect(kept(listed, own, keepFrom)).toEqual(left);
});
