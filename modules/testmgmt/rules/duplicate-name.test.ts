import { expect, test } from 'bun:test';
import { comparedName, DuplicateNames } from './duplicate-name.ts';

test.each([
  ['Sign in', 'sign  IN ', true],
  ['Sign in', 'Sign\u00a0in', true],
  ['Straße', 'STRAẞE', true],
  ['ﬁlter', 'Filter', true],
  ['Sign in', 'Signin', false],
  ['Sign in', 'Sign in.', false],
  ['', ' \t\n', true],
])('%p and %p are the same name: %p', (a, b, same) => {
  expect(comparedName(a) === comparedName(b)).toBe(same);
});

test.each<[string, readonly string[], readonly (readonly number[])[]]>([
  ['none', [], []],
  ['all different', ['a', 'b'], []],
  [
    'the larger group first, then the older one',
    ['b', 'c', 'a', 'C', 'a', 'B', 'A'],
    [
      [3, 5, 7],
      [1, 6],
      [2, 4],
    ],
  ],
])('groups: %s', (_title, names, groups) => {
  const found = new DuplicateNames();
  // In any order: the ids of a group are ascending.
  for (const [index, name] of [...names.entries()].toReversed()) found.see(index + 1, name);
  expect(found.groups().map(({ testIds }) => testIds)).toEqual(groups.map((ids) => [...ids]));
});
