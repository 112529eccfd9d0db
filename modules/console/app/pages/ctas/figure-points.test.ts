import { expect, test } from 'bun:test';
import { chartOf } from './figure-points.ts';

const nothing = { impressions: 0, clicks: 0, dismissals: 0, held: 0, custom: 0, actions: 0, completions: 0 };

test('impressions are drawn, or actions where there are none', () => {
  const acted = { ...nothing, at: 86_400_000, actions: 3 };
  expect(chartOf([acted])).toMatchObject({ figure: 'Actions', data: [[86_400], [3]] });
  expect(chartOf([acted, { ...acted, impressions: 5 }])).toMatchObject({
    figure: 'Impressions',
    data: [
      [86_400, 86_400],
      [0, 5],
    ],
  });
});

const day = 86_400;
const on = (days: readonly number[]) =>
  days.map((at) => ({ ...nothing, at: at * day * 1_000, impressions: 9 }));

test.each<[string, readonly number[], ReadonlyArray<readonly [day: number, value: number]>]>([
  [
    'days without a gap',
    [4, 5],
    [
      [4, 9],
      [5, 9],
    ],
  ],
  [
    'a gap of a day',
    [4, 6],
    [
      [4, 9],
      [5, 0],
      [6, 9],
    ],
  ],
  [
    'a gap of two days',
    [4, 7],
    [
      [4, 9],
      [5, 0],
      [6, 0],
      [7, 9],
    ],
  ],
  [
    'a clock that was years behind',
    [0, 9_000],
    [
      [0, 9],
      [1, 0],
      [8_999, 0],
      [9_000, 9],
    ],
  ],
])('the line is at 0 on days without figures: %s', (_, days, expected) => {
  const { data, points } = chartOf(on(days));
  expect(data[0].map((at, index) => [at / day, data[1][index] ?? -1])).toEqual(
    expected.map((pair) => [...pair]),
  );
  expect(points.map(({ value }) => value)).toEqual([...data[1]]);
});
