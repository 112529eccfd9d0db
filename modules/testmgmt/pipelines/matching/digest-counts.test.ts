import { expect, test } from 'bun:test';
import { DigestCounts } from './digest-counts.ts';

test.each([
  ['each once', [1, 2, 3], [1, 1, 1]],
  ['one again', [7, 7, 8, 7], [1, 2, 1, 3]],
  ['zero is a number', [0, 0], [1, 2]],
  ['those of one place', [5, 21, 37, 5, 21], [1, 1, 1, 2, 2]],
  ['large ones', [2 ** 53 - 1, 2 ** 53 - 2, 2 ** 53 - 1], [1, 1, 2]],
])('%s', (_title, digests, expected) => {
  const counts = new DigestCounts(digests.length);
  expect(digests.map((digest) => counts.add(digest))).toEqual(expected);
});

test('as a Map counts', () => {
  const digests = Array.from({ length: 20_000 }, (_, n) => Number(Bun.hash.xxHash64(`${n % 15_000}`) >> 11n));
  const [counts, known] = [new DigestCounts(15_000), new Map<number, number>()];
  for (const digest of digests) {
    known.set(digest, (known.get(digest) ?? 0) + 1);
    expect(counts.add(digest)).toBe(known.get(digest) ?? 0);
  }
});
