import { expect, test } from 'bun:test';
import { fittingColumns } from './fitting-columns.ts';

const columns = [
  { key: 'name', room: 300 },
  { key: 'status', room: 100 },
  { key: 'section', room: 150, drop: 1 },
  { key: 'priority', room: 80, drop: 3 },
  { key: 'at', room: 120, drop: 2 },
];
test.each([
  [0, 'name status section priority at'],
  [750, 'name status section priority at'],
  [749, 'name status section at'],
  [669, 'name status section'],
  [549, 'name status'],
  [100, 'name status'],
])('%p pixels have room for %p', (width, keys) =>
  expect(
    fittingColumns(columns, width)
      .map(({ key }) => key)
      .join(' '),
  ).toBe(keys),
);
