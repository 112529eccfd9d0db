import { expect, test } from 'bun:test';
import { inMovedOrder } from './moved-sections.ts';

const chain = (length: number) =>
  Array.from({ length }, (_, n) => ({ id: n + 1, parentId: n === 0 ? null : n }));

test('sections come after their parents', () => {
  const cases: ReadonlyArray<
    readonly [given: ReadonlyArray<readonly [number, number | null]>, levels: number[][], raised: number[]]
  > = [
    [[], [], []],
    [[[1, null]], [[1]], []],
    [
      [
        [1, 2],
        [2, null],
      ],
      [[2], [1]],
      [],
    ],
    [
      [
        [3, 2],
        [2, 1],
        [1, null],
        [4, 1],
      ],
      [[1], [2, 4], [3]],
      [],
    ],
    [[[1, 9]], [[1]], [1]],
    [[[1, 1]], [[1]], [1]],
    [
      [
        [1, 2],
        [2, 1],
      ],
      [[2], [1]],
      [2],
    ],
    [
      [
        [1, 2],
        [2, 3],
        [3, 2],
      ],
      [[3], [2], [1]],
      [3],
    ],
  ];
  for (const [given, levels, raised] of cases) {
    const order = inMovedOrder(given.map(([id, parentId]) => ({ id, parentId })));
    expect([given, order.levels.map((level) => level.map(({ id }) => id)), [...order.raised]]).toEqual([
      given,
      levels,
      raised,
    ]);
  }
});

test('a section that is too deep comes to the top, with those below it', () => {
  const { levels, raised } = inMovedOrder(chain(70));
  expect([levels.length, [...raised]]).toEqual([32, [33, 65]]);
  // A chain of a hundred thousand, given from its end, is walked once.
  const began = performance.now();
  inMovedOrder(chain(100_000).toReversed());
  expect(performance.now() - began).toBeLessThan(2_000);
});
