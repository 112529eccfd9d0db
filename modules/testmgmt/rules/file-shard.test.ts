import { describe, expect, test } from 'bun:test';
import { durationFinder, shardsOf, type TimedFile } from './file-shard.ts';

const timed = (durations: Readonly<Record<string, number | null>>): TimedFile[] =>
  Object.entries(durations).map(([file, durationMs]) => ({ file, durationMs }));

describe('files are divided by their durations', () => {
  test.each<[string, Record<string, number | null>, number, string[]]>([
    ['two of the same length', { a: 10, b: 10 }, 2, ['a', 'b']],
    ['one long beside three short', { a: 90, b: 30, c: 30, d: 30 }, 2, ['a', 'b c d']],
    ['unknown ones count as the median', { a: 10, b: 100, c: 20, d: null, e: null }, 2, ['b', 'a c d e']],
    ['nothing is known', { a: null, b: null, c: null }, 2, ['a c', 'b']],
    ['all take no time', { a: 0, b: 0, c: 0, d: 0 }, 2, ['a c', 'b d']],
    ['fewer files than shards', { a: 5 }, 3, ['a', '', '']],
    ['no file', {}, 2, ['', '']],
  ])('%s', (_, durations, total, shards) => {
    expect(shardsOf(timed(durations), total).map(({ files }) => files.join(' '))).toEqual(shards);
  });

  test('in any order, each file once, and no shard above the mean by more than its longest file', () => {
    let seed = 7;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let round = 0; round < 200; round++) {
      const files: TimedFile[] = Array.from({ length: Math.floor(random() * 60) }, (_, n) => ({
        file: `f${n}`,
        durationMs: random() < 0.2 ? null : Math.floor(random() ** 3 * 10_000),
      }));
      const total = 1 + Math.floor(random() * 7);
      const shards = shardsOf(files, total);
      expect(shardsOf(files.toReversed(), total)).toEqual(shards);
      expect(shards.flatMap((shard) => shard.files).toSorted()).toEqual(
        files.map(({ file }) => file).toSorted(),
      );
      const longest = Math.max(0, ...files.map(({ durationMs }) => durationMs ?? 0));
      const mean = shards.reduce((sum, { durationMs }) => sum + durationMs, 0) / total;
      for (const { durationMs } of shards) expect(durationMs).toBeLessThanOrEqual(mean + longest + 1);
    }
  });
});

describe('a file is found by its path', () => {
  const find = durationFinder(
    new Map([
      ['src/cart.test.ts', 1],
      ['packages/pay/src/card.test.ts', 2],
      ['a/index.test.ts', 3],
      ['b/index.test.ts', 4],
    ]),
  );
  test.each<[string, number | null]>([
    ['src/cart.test.ts', 1],
    ['./src/cart.test.ts', 1],
    ['src\\cart.test.ts', 1],
    ['packages/shop/src/cart.test.ts', 1],
    ['src/card.test.ts', 2],
    ['index.test.ts', null],
    ['a/index.test.ts', 3],
    ['other.test.ts', null],
    ['rc/cart.test.ts', null],
  ])('%s', (file, duration) => expect(find(file)).toBe(duration));
});
