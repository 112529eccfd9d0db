import { expect, test } from 'bun:test';
import { knownGroupsFirst } from './known-groups.ts';

test('failures with an issue stand first, the others keep their order', () => {
  const groups = [
    { id: 1, defects: [] },
    { id: 2, defects: ['A'] },
    { id: 3, defects: [] },
    { id: 4, defects: ['A', 'B'] },
  ];
  expect(knownGroupsFirst(groups).map(({ id }) => id)).toEqual([2, 4, 1, 3]);
});
