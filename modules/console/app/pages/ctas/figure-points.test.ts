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
