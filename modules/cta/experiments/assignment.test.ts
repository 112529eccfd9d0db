import { expect, test } from 'bun:test';
import { buckets } from '../rules/cohort.ts';
import type { Variant } from '../rules/experiment.ts';
import { armAt, armOf } from './assignment.ts';

const arms = (...weights: readonly number[]): readonly Variant[] =>
  weights.map((weight, index) => ({ key: 'abcde'[index] ?? '', weight }));

test.each<[string, readonly Variant[], number, ReadonlyArray<readonly [bucket: number, key: string | null]>]>(
  [
    [
      'halves',
      arms(0.5, 0.5),
      1,
      [
        [0, 'a'],
        [4_999, 'a'],
        [5_000, 'b'],
        [9_999, 'b'],
      ],
    ],
    [
      'halves of a fifth',
      arms(0.5, 0.5),
      0.2,
      [
        [0, 'a'],
        [999, 'a'],
        [1_000, null],
        [5_000, 'b'],
        [5_999, 'b'],
        [6_000, null],
      ],
    ],
    [
      'decimals that do not add up exactly',
      arms(0.1, 0.2, 0.7),
      1,
      [
        [999, 'a'],
        [1_000, 'b'],
        [2_999, 'b'],
        [3_000, 'c'],
        [9_999, 'c'],
      ],
    ],
    [
      'thirds',
      arms(1 / 3, 1 / 3, 1 / 3),
      1,
      [
        [3_332, 'a'],
        [3_333, 'b'],
        [6_666, 'b'],
        [6_667, 'c'],
        [9_999, 'c'],
      ],
    ],
    [
      'nobody',
      arms(0.5, 0.5),
      0,
      [
        [0, null],
        [5_000, null],
      ],
    ],
  ],
)('%s', (_, variants, coverage, expected) => {
  for (const [bucket, key] of expected)
    expect([bucket, armAt(variants, coverage, bucket)?.key ?? null]).toEqual([bucket, key]);
});

test('a coverage that grows moves nobody from one arm to another', () => {
  for (const variants of [arms(0.5, 0.5), arms(0.1, 0.2, 0.7), arms(0.2, 0.2, 0.2, 0.2, 0.2)]) {
    for (let bucket = 0; bucket < buckets; bucket++) {
      let known: string | null = null;
      for (let percent = 0; percent <= 100; percent += 5) {
        const key = armAt(variants, percent / 100, bucket)?.key ?? null;
        if (known !== null) expect(key).toBe(known);
        known = key;
      }
      expect(known).not.toBeNull();
    }
  }
});

test('the bucket is the one of sha256sum', () => {
  // printf 'spring:42' | sha256sum
  const [digest = ''] = Bun.spawnSync(['sh', '-c', "printf 'spring:42' | sha256sum"])
    .stdout.toString()
    .split(' ');
  const bucket = Number.parseInt(digest.slice(0, 8), 16) % 10_000;
  const variants = arms(0.5, 0.5);
  expect(armOf({ key: 'k', seed: 'spring', coverage: 1, variants }, '42')?.key).toBe(
    bucket < 5_000 ? 'a' : 'b',
  );
});
